# shellcheck shell=bash
# Builds, in folders of their own, so that neither an editor's build nor `swift build` is disturbed.

MH_TEST_SCRATCH=$MH_ROOT/.build/tools-test
export MH_TEST_SCRATCH

# build_matterhub: builds the executable for release; sets MATTERHUB to its path.
build_matterhub() { build_into "$MH_ROOT/.build/tools-release" release "matterhub (release)" --product matterhub; }

# build_samples: builds the sample app and its extension beside the executable of build_matterhub.
build_samples() {
  local sample
  for sample in SeedApp SeedExtension; do
    build_into "$MH_ROOT/.build/tools-release" release "$sample (release)" --product "$sample"
  done
}

# build_tests: builds everything for debugging, tests included; sets MATTERHUB.
build_tests() {
  build_into "$MH_TEST_SCRATCH" debug "matterhub and all unit tests (debug)" --build-tests \
    --explicit-target-dependency-import-check error
}

# build_for_tests: builds the executables of the interop tests for debugging; sets MATTERHUB.
build_for_tests() {
  local product
  for product in SeedApp SeedExtension matterhub; do
    build_into "$MH_TEST_SCRATCH" debug "$product (debug)" --product "$product"
  done
}

# build_into SCRATCH CONFIGURATION WHAT SWIFT-BUILD-OPTION...: builds; sets MATTERHUB to where the executable is or will be.
build_into() {
  local scratch=$1 configuration=$2 what=$3 start
  shift 3
  start=$(now_ms)
  mkdir -p "$scratch"
  say "building $what"
  if ! swift build --package-path "$MH_ROOT" --scratch-path "$scratch" -c "$configuration" "$@" >"$scratch/build.log" 2>&1; then
    { grep -E '^[^ ]*: error:|^error:' "$scratch/build.log" | sort -u | head -n 20; } || tail -n 30 "$scratch/build.log"
    die "the build failed; the whole output: $scratch/build.log"
  fi >&2
  MATTERHUB=$scratch/$configuration/matterhub
  [[ " $* " == *" --product Seed"* ]] || [ -x "$MATTERHUB" ] || die "the build made no $MATTERHUB"
  export MATTERHUB
  good "built in $(elapsed "$start")"
}
