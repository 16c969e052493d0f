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

# run_unit_tests RESULTS [FILTER]: runs them; adds a line per test target to RESULTS (name, status, seconds, detail).
run_unit_tests() {
  local results=$1 filter=${2:-} xml=$MH_TEST_SCRATCH/unit.xml status=0
  local command=(swift test --package-path "$MH_ROOT" --scratch-path "$MH_TEST_SCRATCH" --skip-build --disable-xctest
    --xunit-output "$xml")
  [ -z "$filter" ] || command+=(--filter "$filter")
  rm -f "$xml" "${xml%.xml}-swift-testing.xml"
  say "unit tests"
  "${command[@]}" >"$MH_TEST_SCRATCH/unit.log" 2>&1 || status=$?
  [ -e "$xml" ] || xml=${xml%.xml}-swift-testing.xml
  if [ "$status" != 0 ]; then
    grep -aE '^✘|error:|Fatal|signal' "$MH_TEST_SCRATCH/unit.log" >&2 || tail -n 40 "$MH_TEST_SCRATCH/unit.log" >&2
    note "the whole output: $MH_TEST_SCRATCH/unit.log"
  fi
  test_targets | python3 "$MH_ROOT/tools/lib/unit_report.py" "$xml" "$results" "$status" "$filter"
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
