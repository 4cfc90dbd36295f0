# shellcheck shell=bash
# The Debian and Ubuntu packages that a checkout needs.

PACKAGES_COMMON=(g++ gfortran make cmake ninja-build ccache pkg-config python3-dev python3-venv
  libfftw3-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libgtest-dev libhwy-dev)
PACKAGES_OPENMPI=(libopenmpi-dev openmpi-bin libfftw3-mpi-dev)
PACKAGES_MPICH=(libmpich-dev mpich)
PACKAGES_ESPRESSO=(quantum-espresso quantum-espresso-data openmpi-bin)
# To compile it.
PACKAGES_ESPRESSO_SOURCE=(dpkg-dev patch libopenblas-serial-dev quantum-espresso-data)
PACKAGES_ABINIT_SOURCE=(dpkg-dev autoconf automake libtool libopenblas-dev libxc-dev libnetcdff-dev libhdf5-dev)
# A simulator of clusters: for the preset smpi only.
PACKAGES_SMPI=(libsimgrid-dev)
# The oldest compilers that are promised, for the tests; GCC 11 where the distribution has it.
PACKAGES_COMPILERS=(clang)
# To build with Clang and run what it built.
PACKAGES_CLANG=(clang libomp-dev)
# For Debian packages of Weft.
PACKAGES_DEBIAN=(debhelper dpkg-dev fakeroot help2man lintian mmdebstrap)
# For that of the Python part as well, where the distribution has nanobind (Debian 13): its typer is new enough, too.
PACKAGES_DEBIAN_PYTHON=(dh-python python3-mpi4py python3-nanobind python3-numpy python3-rich python3-scikit-build-core python3-tomli-w python3-typer)
# To build for 64-bit Arm, and run what was built.
PACKAGES_ARM64=(g++-aarch64-linux-gnu qemu-user mmdebstrap)
PACKAGES_FORMAT=(git python3-dev python3-venv shellcheck)

# need_packages openmpi|mpich|espresso|espresso-source|abinit-source|compilers|format...: install what is missing for building with
# these MPI libraries, for the examples' calculations, or for formatting.
need_packages() {
  local wanted=("${PACKAGES_COMMON[@]}") purpose
  for purpose in "$@"; do
    case $purpose in
      openmpi) wanted+=("${PACKAGES_OPENMPI[@]}") ;;
      mpich) wanted+=("${PACKAGES_MPICH[@]}") ;;
      espresso) wanted=("${PACKAGES_ESPRESSO[@]}") ;;
      espresso-source) wanted+=("${PACKAGES_ESPRESSO_SOURCE[@]}") ;;
      abinit-source) wanted+=("${PACKAGES_ABINIT_SOURCE[@]}") ;;
      smpi) wanted+=("${PACKAGES_SMPI[@]}") ;;
      clang) wanted+=("${PACKAGES_CLANG[@]}") ;;
      arm64) wanted+=("${PACKAGES_ARM64[@]}") ;;
      debian) wanted+=("${PACKAGES_DEBIAN[@]}") ;;
      debian-python) wanted+=("${PACKAGES_DEBIAN_PYTHON[@]}") ;;
      compilers)
        wanted=("${PACKAGES_COMPILERS[@]}")
        if apt-cache show g++-11 >/dev/null 2>&1; then wanted+=(g++-11); fi
        ;;
      format) wanted=("${PACKAGES_FORMAT[@]}") ;;
    esac
  done

  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    need_programs "$@"
    return
  fi
  if [[ -z $(missing_packages "${wanted[@]}") ]]; then return; fi
  # One installation at a time; what is missing may have come meanwhile.
  local missing
  mkdir -p "$ROOT/build"
  exec 7>"$ROOT/build/.packages.lock"
  flock 7
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
  exec 7>&-
}

# missing_packages PACKAGE...: those that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
  done
}

# Without Debian's package manager: all that can be done is to look for the programs.
need_programs() {
  local purpose program missing=() programs=(python3)
  for purpose in "$@"; do
    case $purpose in
      espresso) programs+=(mpirun.openmpi pw.x) ;;
      espresso-source | abinit-source) programs+=(gfortran make patch pkg-config) ;;
      format) programs+=(git shellcheck) ;;
      smpi) programs+=(smpicxx smpirun) ;;
      clang) programs+=(clang clang++) ;;
      arm64) programs+=(aarch64-linux-gnu-g++ qemu-aarch64 mmdebstrap) ;;
      debian) programs+=(dpkg-buildpackage lintian mmdebstrap) ;;
      compilers | mpich5 | openmpi5 | intelmpi) ;;
      *) programs+=(c++ cmake ninja "mpicxx.$purpose" "mpiexec.$purpose") ;;
    esac
  done
  for program in "${programs[@]}"; do command -v "$program" >/dev/null || missing+=("$program"); done
  [[ ${#missing[@]} -eq 0 ]] || die "not found: ${missing[*]}. This script installs packages on Debian and Ubuntu only; \
on another system, install an MPI library, FFTW 3 (double and single), CMake, Ninja, CLI11, nlohmann-json, \
toml++ and GoogleTest, and build with CMake itself: cmake -B build && cmake --build build"
}

install_packages() {
  local as_root=() install=(apt-get install -y --no-install-recommends "$@")
  say "Debian packages that are missing: $*"
  if [[ $(id -u) -ne 0 ]]; then
    # At a terminal sudo may ask for the password; elsewhere it must do without.
    local sudo=(sudo -n)
    if [[ -t 0 && -t 2 && -z ${CI:-} ]]; then sudo=(sudo); fi
    if ! command -v sudo >/dev/null || ! "${sudo[@]}" true; then
      cat >&2 <<END
error: installing them needs root, and sudo is not there or refuses. Either have somebody run

  apt-get update && ${install[*]}

and run this command again, or provide the same programs and libraries in another way (environment modules, Spack,
conda-forge) and build with CMake itself: cmake -B build && cmake --build build
END
      exit 2
    fi
    as_root=("${sudo[@]}")
  fi
  export DEBIAN_FRONTEND=noninteractive
  say "installing them with apt-get"
  run_logged "$ROOT/build/apt-update.log" "reading the package lists" \
    "${as_root[@]}" apt-get -o Acquire::Retries=3 update
  run_logged "$ROOT/build/apt-install.log" "installing" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 "${install[@]:1}"
}
