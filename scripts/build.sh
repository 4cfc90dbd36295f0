# shellcheck shell=bash
# Configures and builds presets.

# Checkouts in different folders, and presets whose compilers see the same text, share what ccache keeps. The second line
# is what it needs to keep precompiled headers.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros

# prepare PRESET PURPOSE TARGET...: packages, environment (environments.sh has the purposes) and these targets of the
# build are there and up to date. Two of these at once wait for each other.
prepare() {
  local preset=$1 purpose=$2 mpi
  shift 2
  mpi=$(mpi_of_preset "$preset")
  mkdir -p "$ROOT/build"
  exec 9>"$ROOT/build/.lock"
  flock 9
  case $preset in
    smpi | clang | arm64) need_packages "$mpi" "$preset" ;;
    *) need_packages "$mpi" ;;
  esac
  case $preset:$mpi in
    arm64:*) need_arm64 ;; # nothing of Python's
    *:openmpi | *:mpich) need_environment "$mpi" "$purpose" ;;
    mpiabi:*) # that of its compilers, and another one that its tests run with
      need_tools "$mpi" "an MPI library"
      need_tools intelmpi "an MPI library"
      ;;
    *) need_tools "$mpi" "an MPI library" ;; # its compilers, programs and headers are in a virtual environment
  esac
  build_preset "$preset" "$@"
  exec 9>&-
}

# build_preset PRESET TARGET...: configure when the presets have changed since, then build what is out of date.
build_preset() {
  local preset=$1 build=$ROOT/build/$1 stamp
  shift
  stamp=$build/configured-$(hash_of "$(cat "$ROOT/CMakePresets.json" "$ROOT/cmake/arm64.cmake")").stamp
  if [[ ! -e $stamp || ! -e $build/build.ninja ]]; then
    run_logged "$build/configure.log" "configuring build/$preset" env -C "$ROOT" cmake --preset "$preset"
    rm -f "$build"/configured-*.stamp
    touch "$stamp"
  fi
  NINJA_STATUS="[%f/%t] " run_logged "$build/build.log" "building $* in build/$preset" \
    cmake --build "$build" --parallel "$JOBS" --target "$@"
}

# targets_of_weft COMMAND...: what the command line needs for a command.
targets_of_weft() {
  echo weft_python
  case ${1:-} in
    npb | bench | verify | sort | calibrate) echo "weft-$1" ;;
    place) echo weft-sort ;;
    run)
      echo weft_fftw3_mpi
      targets_of "$@"
      ;;
    lab | info) echo weft_programs ;;
  esac
}

# targets_of COMMAND...: what any command needs. Python may run whatever there is.
targets_of() {
  local word targets=()
  for word in "$@"; do
    word=${word##*/}
    case $word in
      python* | pytest | weft | *.py) targets=(weft_programs) && break ;;
      weft-mpi-tests | weft-unit-tests) targets+=("$word") ;;
      weft-*) ! grep -qx "$word" "$ROOT/cmake/programs.txt" || targets+=("$word") ;;
    esac
  done
  [[ ${#targets[@]} -eq 0 ]] || printf '%s\n' "${targets[@]}"
}
