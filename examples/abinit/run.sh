#!/usr/bin/env bash
# Builds abinit as it is and with Weft, runs both on the same inputs, and compares.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
# shellcheck source=/dev/null
source "$HERE/../inside/programs.sh"

usage() {
  cat <<'END'
usage: examples/abinit/run.sh [--source DIR] [--build-only] [OPTIONS]
       examples/abinit/run.sh [--source DIR] --test-suite [OPTIONS]

  --source DIR       ABINIT's source, a release or a checkout, 8.8 or later; it is copied, not changed. Without it: the source
                     package `abinit` of Debian or Ubuntu, from the archive that apt uses; where that has none, 9.6.2 from
                     Ubuntu's archive
  --configure TEXT   more arguments of ABINIT's configure
  --build-only       build, and print where the programs are
  --test-suite       run ABINIT's own tests that split the FFT with both

END
  python3 "$HERE/compare.py" --help | sed -n '/^options:/,$p'
  printf '\nwith --test-suite, '
  python3 "$HERE/test_suite.py" --help | sed -n '/^options:/,$p'
  cat <<'END'

Everything is under build/abinit. The first call takes a quarter of an hour on two cores (JOBS=N: parallel compilations).
END
}

read_arguments() {
  source_folder='' build_only='' program=compare.py configure=() options=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      --source)
        [[ -d ${2:-}/src/53_ffts && -d $2/src/98_main ]] ||
          die "--source: '${2:-}' is not a source folder of ABINIT; it must have src/53_ffts and src/98_main"
        source_folder=$(realpath "$2")
        shift
        ;;
      --configure)
        [[ $# -ge 2 ]] || die "--configure needs a text"
        read -ra configure <<<"$2"
        shift
        ;;
      --source=* | --configure=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        continue
        ;;
      --build-only) build_only=yes ;;
      --test-suite) program=test_suite.py ;;
      -h | --help)
        usage
        exit
        ;;
      *) options+=("$1") ;;
    esac
    shift
  done
}

# Debian 12's ABINIT, for archives without it. What comes must be what Debian has (its .dsc).
fetch_release() {
  local place=$BUILD/debian name=abinit_9.6.2.orig.tar.gz
  mkdir -p "$place"
  run_logged "$place/release.log" "fetching ABINIT 9.6.2 from Ubuntu's archive" /usr/lib/apt/apt-helper download-file \
    "http://archive.ubuntu.com/ubuntu/pool/universe/a/abinit/$name" "$place/$name" \
    SHA256:5fba537bac99f53ae02781f1f374247503241b80ce329dc51fe2e986b13198f0
  tar -C "$place" -xzf "$place/$name"
  mv "$place/abinit-9.6.2" "$place/source"
}

# 8.x would build libraries for itself, and its configure names libraries in another way than that of 9.x.
is_8() { [[ -f $1/fallbacks/configure.ac ]]; }

# In a copy of the source.
configure_stock() {
  local flags=(FC="mpif90.$MPI" CC="mpicc.$MPI" CXX="mpicxx.$MPI" PYTHON=/usr/bin/python3 CFLAGS=-O2
    FCFLAGS="-O2 -ffree-line-length-none -fallow-argument-mismatch" --with-fft-flavor=fftw3)
  if is_8 .; then
    flags+=(--enable-mpi=yes --enable-mpi-io=yes --disable-fallbacks --with-dft-flavor=none --with-trio-flavor=none
      --with-linalg-flavor=custom --with-linalg-libs=-lopenblas --with-fft-libs="-lfftw3 -lfftw3f")
  else
    flags+=(--with-mpi=yes --with-linalg-flavor=openblas LINALG_LIBS=-lopenblas FFTW3_LIBS="-lfftw3 -lfftw3f")
  fi
  # A checkout has no configure yet.
  [[ -e configure ]] || python3 config/scripts/makemake
  # Libraries are Debian's. (The configure of ABINIT's own is broken by Autoconf from 2.70 on, whether they are wanted or not.)
  if is_8 .; then
    printf '#!/bin/sh\nexit 0\n' >fallbacks/configure
    chmod +x fallbacks/configure
  fi
  ./configure "${flags[@]}" "${configure[@]}"
}

# abinit as it is: $STOCK.
build_stock() {
  local place=$STOCK.unfinished top=.
  if [[ -e $STOCK.done ]]; then return; fi
  if [[ ! -d $STOCK ]]; then
    rm -rf "$place"
    cp -a "$source_folder" "$place"
    # What GCC refuses from 12 on: an argument that is not changed, declared as one that is. (For MULTIBINIT.)
    find "$place/src" -name m_polynomial_coeff.F90 -exec sed -i 's/integer,intent(inout) :: icoeff,/integer :: icoeff,/' {} +
    mv "$place" "$STOCK"
  fi
  if [[ ! -e $STOCK/src/98_main/Makefile ]]; then
    cd "$STOCK"
    run_logged "$STOCK.configure.log" "configuring ABINIT (two minutes)" configure_stock
    cd "$ROOT"
  fi
  if is_8 "$STOCK"; then top=src; fi
  run_logged "$STOCK.log" "compiling abinit as it is (some ten minutes)" nice make -C "$STOCK/$top" -j "$JOBS"
  touch "$STOCK.done"
}

# abinit with Weft: a copy of $STOCK, in which only what has the hooks is compiled again.
build_with_weft() {
  local stamp program=src/98_main here=("abinit_builddir=$WITH_WEFT" "abinit_moddir=$WITH_WEFT/src/mods") libraries
  "$ROOT/run" build "$MPI" weft_fortran
  stamp=$WITH_WEFT-$(cat "$HERE"/*.f90 "$HERE"/../inside/*.f90 "$HERE/hooks.py" "$0" "$ROOT/build/$MPI"/lib/libweft*.a |
    sha256sum | cut -c1-16).done
  if [[ -e $stamp ]]; then return; fi
  rm -rf "$WITH_WEFT" "$WITH_WEFT"-*.done
  install_weft "$PLACE/prefix"
  cp -a "$STOCK" "$WITH_WEFT"
  python3 "$HERE/hooks.py" "$WITH_WEFT"
  cd "$WITH_WEFT/src/mods"
  # shellcheck disable=SC2046 # flags
  run_logged "$PLACE/modules.log" "compiling the modules" "mpif90.$MPI" -O2 $(pkg-config --cflags weft-fortran) \
    -c "$HERE"/../inside/weft_fft_plans.f90 "$HERE"/weft_abinit.f90
  cd "$ROOT"
  libraries="$WITH_WEFT/src/mods/weft_abinit.o $WITH_WEFT/src/mods/weft_fft_plans.o $(pkg-config --libs weft-fortran)"
  rm "$WITH_WEFT/$program/abinit"
  run_logged "$WITH_WEFT.log" "compiling the hooks" nice make -C "$WITH_WEFT/src/53_ffts" "${here[@]}"
  run_logged "$WITH_WEFT.log" "linking abinit with Weft" nice make -C "$WITH_WEFT/$program" abinit "${here[@]}" \
    "LIBS=$libraries $(sed -n 's/^LIBS = *//p' "$WITH_WEFT/$program/Makefile")"
  touch "$stamp"
}

read_arguments "$@"
MPI=$(chosen_mpi)
BUILD=$ROOT/build/abinit
mkdir -p "$BUILD"
exec 9>"$BUILD/.lock"
flock 9
need_packages "$MPI" abinit-source
PLACE=$BUILD/$MPI
if [[ -n $source_folder ]]; then
  PLACE=$BUILD/$MPI-$(hash_of "$source_folder")
else
  # In a shell of its own, which an error ends.
  (fetch_source abinit ABINIT) || fetch_release
  source_folder=$BUILD/debian/source
fi
mkdir -p "$PLACE"
STOCK=$PLACE/stock WITH_WEFT=$PLACE/weft
# Said before anything is compiled.
python3 "$HERE/hooks.py" "$source_folder" --check
build_stock
build_with_weft
exec 9>&-

programs=("$STOCK/src/98_main/abinit" "$WITH_WEFT/src/98_main/abinit")
if [[ -n $build_only ]]; then
  printf '%s\n' "${programs[@]}"
  exit
fi
allow_any_ranks
export OMP_NUM_THREADS=1
exec "$ROOT/.venv/$MPI/bin/python" "$HERE/$program" --stock "${programs[0]}" --weft "${programs[1]}" \
  --pseudos "$STOCK/tests/Psps_for_tests" --launcher "mpiexec.$MPI" --scratch "$PLACE/runs" "${options[@]}"
