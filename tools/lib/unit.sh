# shellcheck shell=bash
# The unit tests: `swift test`, and the checks that it does not make (a filter or a target that runs nothing passes it).

# test_targets: the names of the package's test targets, one a line.
test_targets() {
  swift package --package-path "$MH_ROOT" --scratch-path "$MH_TEST_SCRATCH" dump-package |
    python3 -c 'import json, sys
for target in json.load(sys.stdin)["targets"]:
    if target["type"] == "test":
        print(target["name"])'
}

# run_unit_tests RESULTS [FILTER]: runs them; adds a line per test target to RESULTS.
# One target at a time, since a process runs all its tests at once: those that compute for long would keep those that talk
# to each other waiting past their limits. They run in a sandbox without any network but loopback, where one can be made.
# Those that ask for MATTERHUB_TEST_MDNS=1 run after that in a network node with its own Avahi, beside a second node that
# holds the name they want to be taken.
run_unit_tests() {
  local results=$1 filter=${2:-} mdns=$MH_TEST_SCRATCH/unit-mdns.xml status=0 start suites='' target targets xml
  local prefix=() files=()
  say "unit tests"
  start=$(now_ms)
  targets=$(test_targets)
  ! sandbox_flags >/dev/null || prefix=("$MH_ROOT/tools/lab" run --)
  if [ -n "$filter" ]; then
    xml=$MH_TEST_SCRATCH/unit.xml files=("$xml")
    swift_test "$xml" "$filter" ${prefix[@]+"${prefix[@]}"} || status=$?
  else
    for target in $targets; do
      xml=$MH_TEST_SCRATCH/unit-$target.xml files+=("$xml")
      swift_test "$xml" "^$target\\." ${prefix[@]+"${prefix[@]}"} || status=$?
    done
  fi
  for xml in "${files[@]}"; do
    target=$(python3 "$MH_ROOT/tools/lib/unit_report.py" suites MATTERHUB_TEST_MDNS "$xml" 2>/dev/null) || true
    [ -z "$target" ] || suites=${suites:+$suites|}$target
  done
  if [ -n "$suites" ] && [ ${#prefix[@]} -gt 0 ]; then
    swift_test "$mdns" "$suites" "$MH_ROOT/tools/lab" run tests other -- "$MH_ROOT/tools/lib/beside_remote" || status=$?
    files+=("$mdns")
  fi
  python3 "$MH_ROOT/tools/lib/unit_report.py" report "$results" "$status" "$filter" "${files[@]}" <<<"$targets" || status=1
  note "unit tests took $(elapsed "$start")"
  return "$status"
}

# Longer than any target takes on a slow machine, in seconds.
MH_STALL=${MH_STALL:-900}

# swift_test XML FILTER PREFIX...: one run; its results go to XML, its output beside it.
swift_test() {
  local xml=$1 filter=$2 log=${1%.xml}.log status=0 stalled
  shift 2
  local command=(swift test --package-path "$MH_ROOT" --scratch-path "$MH_TEST_SCRATCH" --skip-build --disable-xctest
    --xunit-output "$xml")
  [ -z "$filter" ] || command+=(--filter "$filter")
  rm -f "$xml"
  timeout --kill-after=15 "$MH_STALL" "$@" "${command[@]}" </dev/null >"$log" 2>&1 || status=$?
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    # A test that waits for ever is ended by its own limit, and fails. Where not even these limits come, the process's
    # own scheduling stands still (seen once in some 30 runs of HubTests: no thread, no timer, nothing to run).
    status=0 stalled=${log%.log}-stalled.log
    mv "$log" "$stalled"
    note "$(basename "${xml%.xml}") stood still past every test's own limit ($stalled); once more"
    timeout --kill-after=15 "$MH_STALL" "$@" "${command[@]}" </dev/null >"$log" 2>&1 || status=$?
  fi
  if [ "$status" != 0 ]; then
    grep -aE '^✘ Test .* recorded|error:|Fatal|signal' "$log" | head -n 60 >&2 || tail -n 40 "$log" >&2
    note "the whole output: $log"
  fi
  return "$status"
}

# check_format RESULTS: the sources are as `swift format` wants them.
check_format() {
  local start status=passed detail='as swift format wants them' log=$MH_TEST_SCRATCH/format.log
  start=$(now_ms)
  if ! swift format lint --strict -r "$MH_ROOT/Sources" "$MH_ROOT/Tests" >"$log" 2>&1; then
    status=failed detail="$(grep -c 'error:' "$log") findings of swift format lint --strict"
    head -n 10 "$log" >&2
  fi
  printf '%s check    %-28s %s (%s)\n' "$([ $status = passed ] && echo 'ok  ' || echo FAIL)" sources "$detail" "$(elapsed "$start")"
  printf '{"kind": "check", "name": "sources", "status": "%s", "seconds": %s, "detail": "%s"}\n' \
    "$status" "$(($(now_ms) - start))e-3" "$detail" >>"$1"
}

# check_no_faces RESULTS: where the system has Apple's modules the product of the faces is there, empty, and builds.
check_no_faces() {
  local start status=passed detail='without the faces MatterHubFaces is one empty target, and builds' log=$MH_TEST_SCRATCH/no-faces.log
  start=$(now_ms)
  if ! no_faces >"$log" 2>&1; then
    status=failed detail="see $log"
    tail -n 10 "$log" >&2
  fi
  printf '%s check    %-28s %s (%s)\n' "$([ $status = passed ] && echo 'ok  ' || echo FAIL)" no-faces "$detail" "$(elapsed "$start")"
  printf '{"kind": "check", "name": "no-faces", "status": "%s", "seconds": %s, "detail": "%s"}\n' \
    "$status" "$(($(now_ms) - start))e-3" "$detail" >>"$1"
}

no_faces() (
  options=(--package-path "$MH_ROOT" --scratch-path "$MH_ROOT/.build/tools-no-faces")
  export MATTERHUB_FACES=0
  swift package "${options[@]}" dump-package | python3 -c 'import json, sys
manifest = json.load(sys.stdin)
targets = next(product["targets"] for product in manifest["products"] if product["name"] == "MatterHubFaces")
names = {target["name"] for target in manifest["targets"]}
left = names & {"GoogleHomeSDK", "MatterSupport", "HomeKit", "Combine"}
sys.exit(None if targets == ["MatterHubNoFaces"] and not left else f"the product has {targets}, the package {sorted(left)}")' &&
    swift build "${options[@]}" --target MatterHubNoFaces
)
