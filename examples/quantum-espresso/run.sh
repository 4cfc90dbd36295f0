#!/usr/bin/env bash
# Builds pw.x of Quantum ESPRESSO as it is and with Weft, runs both on the same inputs, and compares. Or on Quantum ESPRESSO's
# own tests; or GWW with both.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
# shellcheck source=/dev/null
source "$HERE/../inside/programs.sh"

usage() {
  cat <<'END'
usage: examples/quantum-espresso/run.sh [--source DIR] [--build-only] [OPTIONS]
       examples/quantum-espresso/run.sh [--source DIR] --test-suite | --gww [OPTIONS]

  --source DIR       Quantum ESPRESSO's source, e.g. your own; it is copied, not changed. Without it: the source package
                     `espresso` of Debian or Ubuntu, from the archive that apt uses
  --build-only       build, and print where the programs are
  --test-suite       run Quantum ESPRESSO's own tests of pw.x with both
  --gww              run GWW's own example with both

END
  python3 "$HERE/compare.py" --help | sed -n '/^options:/,$p'
  for program in test_suite gww; do
    printf '\nwith --%s, ' "${program/_/-}"
    python3 "$HERE/$program.py" --help | sed -n '/^options:/,$p'
  done
  cat <<'END'

Everything is under build/quantum-espresso. The first call takes some minutes (JOBS=N: parallel compilations).
END
}

# What does the work is left in `program`, its options in `options`.
read_arguments() {
  source_folder='' build_only='' program=compare.py options=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      --source)
        [[ -f ${2:-}/configure && -d $2/FFTXlib && -d $2/PW/src ]] ||
          die "--source: '${2:-}' is not a source folder of Quantum ESPRESSO; it must have configure, FFTXlib and PW/src"
        source_folder=$(realpath "$2")
        shift
        ;;
      --source=*)
        set -- --source "${1#*=}" "${@:2}"
        continue
        ;;
      --build-only) build_only=yes ;;
      --test-suite) program=test_suite.py ;;
      --gww) program=gww.py ;;
      -h | --help)
        usage
        exit
        ;;
      *) options+=("$1") ;;
    esac
    shift
  done
}

# The hooks that are for this source, and the folder of FFTXlib; do they fit? Said before anything is compiled.
choose_hooks() {
  local log=$BUILD/hooks.log
  HOOKS=$HERE/hooks.patch FFTXLIB=FFTXlib
  if [[ -d $source_folder/FFTXlib/src ]]; then HOOKS=$HERE/hooks-7.patch FFTXLIB=FFTXlib/src; fi
  if ! (cd "$source_folder" && patch -p1 --fuzz=0 --dry-run --batch <"$HOOKS") >"$log" 2>&1; then
    cat "$log" >&2
    die "the hooks do not fit this Quantum ESPRESSO ($source_folder): they are for FFTXlib, vloc_psi and sum_band of 6.7 and \
of 7.5. docs/espresso.md says what each does, to put them in by hand"
  fi
  [[ $HOOKS == "$HERE/hooks.patch" ]] || say "the hooks for 7.5 fit this source; nobody has compiled it with them yet"
}

# pw.x as it is: $STOCK.
build_stock() {
  local flags=(MPIF90="mpif90.$MPI" F90=gfortran CC=gcc FFLAGS="-O3 -fallow-argument-mismatch" --with-scalapack=no --disable-openmp)
  if [[ -e $STOCK.done ]]; then return; fi
  if [[ ! -d $STOCK ]]; then
    rm -rf "$STOCK.unfinished"
    cp -a "$source_folder" "$STOCK.unfinished"
    run_logged "$STOCK.configure.log" "configuring Quantum ESPRESSO" env -C "$STOCK.unfinished" ./configure "${flags[@]}" \
      BLAS_LIBS=-lopenblas LAPACK_LIBS=-lopenblas
    mv "$STOCK.unfinished" "$STOCK"
  fi
  make_programs "$STOCK" "compiling pw.x as it is (some minutes)" pw
  touch "$STOCK.done"
}

# pw.x with Weft: a copy of $STOCK, in which only what the hooks touch is compiled again.
build_with_weft() {
  local stamp
  "$ROOT/run" build "$MPI" weft_fortran weft_fftw3_mpi
  stamp=$WITH_WEFT-$(cat "$HERE"/*.f90 "$HERE"/../inside/*.f90 "$HOOKS" "$0" "$ROOT/build/$MPI"/lib/libweft*.a | sha256sum | cut -c1-16).done
  if [[ -e $stamp ]]; then return; fi
  rm -rf "$WITH_WEFT" "$WITH_WEFT"-*.done
  install_weft "$PLACE/prefix"
  cp -a "$STOCK" "$WITH_WEFT"
  (cd "$WITH_WEFT" && patch -p1 --fuzz=0 --batch <"$HOOKS" >/dev/null)
  cp "$HERE"/../inside/weft_*.f90 "$HERE"/weft_*.f90 "$WITH_WEFT/$FFTXLIB"
  cat >>"$WITH_WEFT/make.inc" <<END
IFLAGS += $(pkg-config --cflags weft-fortran)
FFT_LIBS := $(pkg-config --libs weft-fortran) \$(FFT_LIBS)
END
  make_programs "$WITH_WEFT" "compiling pw.x with Weft" pw
  touch "$stamp"
}

# pw4gww.x and gww.x beside pw.x: one after the other, because both begin with the same libraries.
build_gww() {
  local folder target
  for folder in "$STOCK" "$WITH_WEFT"; do
    for target in pw4gwwlib gwwlib; do
      make_programs "$folder" "compiling $target in $folder (some minutes the first time)" "$target"
    done
  done
}

read_arguments "$@"
MPI=$(chosen_mpi)
BUILD=$ROOT/build/quantum-espresso
mkdir -p "$BUILD"
exec 9>"$BUILD/.lock"
flock 9
need_packages "$MPI" espresso-source
PLACE=$BUILD/$MPI
if [[ -z $source_folder ]]; then fetch_source espresso "Quantum ESPRESSO"; else PLACE=$BUILD/$MPI-$(hash_of "$source_folder"); fi
mkdir -p "$PLACE"
STOCK=$PLACE/stock WITH_WEFT=$PLACE/weft
choose_hooks
build_stock
build_with_weft
if [[ $program == gww.py ]]; then build_gww; fi
exec 9>&-

if [[ -n $build_only ]]; then
  printf '%s\n' "$STOCK/bin/pw.x" "$WITH_WEFT/bin/pw.x"
  exit
fi
allow_any_ranks
export OMP_NUM_THREADS=1 ESPRESSO_PSEUDO=${ESPRESSO_PSEUDO:-/usr/share/espresso/pseudo}
unset ESPRESSO_TMPDIR # programs write to the folder that they run in
exec "$ROOT/.venv/$MPI/bin/python" "$HERE/$program" --stock "$STOCK/bin/pw.x" --weft "$WITH_WEFT/bin/pw.x" \
  --launcher "mpiexec.$MPI" --scratch "$PLACE/runs" "${options[@]}"
