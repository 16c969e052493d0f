# shellcheck shell=bash
# Builds, in folders of their own, so that neither an editor's build nor `swift build` is disturbed.

MH_TEST_SCRATCH=$MH_ROOT/.build/tools-test
export MH_TEST_SCRATCH

# build_matterhub: builds the executable for release; sets MATTERHUB to its path.
build_matterhub() { build_into "$MH_ROOT/.build/tools-release" release "matterhub (release)" --product matterhub; }

# build_tests: builds everything for debugging, tests included; sets MATTERHUB.
build_tests() {
  build_into "$MH_TEST_SCRATCH" debug "matterhub and all unit tests (debug)" --build-tests \
    --explicit-target-dependency-import-check error
}

# build_for_tests: builds the executable for debugging; sets MATTERHUB.
build_for_tests() { build_into "$MH_TEST_SCRATCH" debug "matterhub (debug)" --product matterhub; }

build_into() {
  local scratch=$1 configuration=$2 what=$3 start
  shift 3
  start=$(now_ms)
  mkdir -p "$scratch"
  say "building $what"
  quietly "$scratch/build.log" swift build --package-path "$MH_ROOT" --scratch-path "$scratch" -c "$configuration" "$@" ||
    die "the build failed"
  MATTERHUB=$scratch/$configuration/matterhub
  [ -x "$MATTERHUB" ] || die "the build made no $MATTERHUB"
  export MATTERHUB
  good "built in $(elapsed "$start")"
}
