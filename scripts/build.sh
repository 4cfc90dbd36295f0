# shellcheck shell=bash
# Configures and builds presets.

# Checkouts in different folders, and presets whose compilers see the same text, share what ccache keeps.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1

# prepare MPI PRESET [TARGET]: packages, environment and build are there and up to date. Two of these at once wait for
# each other.
prepare() {
  local mpi=$1 preset=$2 target=${3:-all}
  mkdir -p "$ROOT/build"
  exec 9>"$ROOT/build/.lock"
  flock 9
  if [[ $preset == smpi ]]; then need_packages "$mpi" smpi; else need_packages "$mpi"; fi
  need_environment "$mpi"
  build_preset "$preset" "$target"
  exec 9>&-
}

# Configure when the presets have changed since, then build what is out of date.
build_preset() {
  local preset=$1 target=$2 build=$ROOT/build/$1 stamp
  stamp=$build/configured-$(hash_of "$(cat "$ROOT/CMakePresets.json")").stamp
  if [[ ! -e $stamp || ! -e $build/build.ninja ]]; then
    run_logged "$build/configure.log" "configuring build/$preset" env -C "$ROOT" cmake --preset "$preset"
    rm -f "$build"/configured-*.stamp
    touch "$stamp"
  fi
  NINJA_STATUS="[%f/%t] " run_logged "$build/build.log" "building build/$preset" \
    cmake --build "$build" --parallel "$JOBS" --target "$target"
}
