# shellcheck shell=bash
# Builds, in a folder of their own, so that neither an editor's build nor `swift build` is disturbed.

# build_matterhub CONFIGURATION: builds the executable; sets MATTERHUB to its path.
build_matterhub() {
  local scratch=$MH_ROOT/.build/tools-$1 start log
  start=$(now_ms)
  mkdir -p "$scratch"
  log=$scratch/build.log
  say "building matterhub ($1)"
  quietly "$log" swift build --package-path "$MH_ROOT" --scratch-path "$scratch" -c "$1" --product matterhub ||
    die "the build failed"
  MATTERHUB=$scratch/$1/matterhub
  [ -x "$MATTERHUB" ] || die "the build made no $MATTERHUB"
  export MATTERHUB
  good "built in $(elapsed "$start")"
}

# build_tests: builds everything, tests included; sets MATTERHUB and MH_TEST_SCRATCH.
build_tests() {
  local start log
  MH_TEST_SCRATCH=$MH_ROOT/.build/tools-test
  mkdir -p "$MH_TEST_SCRATCH"
  start=$(now_ms)
  log=$MH_TEST_SCRATCH/build.log
  say "building matterhub and all unit tests (debug)"
  quietly "$log" swift build --package-path "$MH_ROOT" --scratch-path "$MH_TEST_SCRATCH" --build-tests \
    --explicit-target-dependency-import-check error || die "the build failed"
  MATTERHUB=$MH_TEST_SCRATCH/debug/matterhub
  export MATTERHUB MH_TEST_SCRATCH
  good "built in $(elapsed "$start")"
}
