#!/usr/bin/env bash
# The rivals in the lab: fetches the source package of FFTW (Debian's or Ubuntu's), builds its serial and its MPI library for
# simulated clusters, fetches the packages of SpFFT, makes its library ask our programs for MPI and FFTW, and builds
# weft-rival-fftw and weft-rival-spfft, the programs that run them there. `weft lab run rivals rivals_large rivals_spheres solvers`
# is then complete.
#
#   scripts/lab_rivals.sh [FOLDER]      everything of the rivals' is put there (default build/rivals)
#
# Nothing that is fetched is part of Weft.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common sources; do
  # shellcheck source=/dev/null
  source "$ROOT/scripts/$part.sh"
done
[[ $# -le 1 ]] || die "usage: scripts/lab_rivals.sh [FOLDER]"
rivals=$(realpath -m "${1:-$ROOT/build/rivals}")
folder=$rivals/fftw3 spfft=$rivals/spfft

# The serial library. Its speed does not count, since a simulated machine's computations take what is charged for them.
build_serial() {
  cd "$folder/source"
  ./configure --disable-fortran --disable-doc --disable-shared CC="${CC:-cc}" CFLAGS='-O1 -fPIC'
  make -j "$JOBS"
  install -D .libs/libfftw3.a "$folder/lib/libfftw3.a"
}

# The MPI library, by SMPI's compiler. What it computes by itself, beside messages, goes through our program, which charges it:
# its serial plans and its copies of blocks (tools/lab/rival_plans.cpp).
build_mpi() {
  cd "$folder/source/mpi"
  local file objects=()
  mkdir -p "$folder/objects"
  for file in *.c; do
    case $file in mpi-bench.c | testsched.c | f03-wrap.c) continue ;; esac
    smpicc -O1 -fPIC -DHAVE_CONFIG_H -I.. -I../api -Dfftw_mkplan_d=weft_rival_plan -Dfftw_mkplan_f_d=weft_rival_plan_with_flags \
      -Dfftw_solver_register=weft_rival_register -Dmemcpy=weft_rival_copy -c "$file" -o "$folder/objects/${file%.c}.o"
    objects+=("$folder/objects/${file%.c}.o")
  done
  rm -f "$folder/lib/libfftw3_mpi.a"
  ar rcs "$folder/lib/libfftw3_mpi.a" "${objects[@]}"
}

# SpFFT's library as it is packaged, for Open MPI. It does not define the functions of MPI and FFTW that it calls, so their names
# in it can be others of the same length, which our program has: MPI by SMPI's (tools/lab/rival_spfft_mpi.cpp), and plans that
# are charged (tools/lab/rival_spfft_plans.cpp). Open MPI itself must stay away: its classes for C++ call MPI when they are loaded.
rename_calls() {
  local library=$1
  mkdir -p "$spfft/lib"
  LC_ALL=C sed -e 's/\x00MPI_/\x00lab_/g' -e 's/\x00fftw_/\x00labf_/g' \
    -e 's/\x00libmpi_cxx\.so\.40\x00/\x00libc.so.6\x00\x00\x00\x00\x00\x00\x00\x00/g' \
    -e 's/\x00libmpi\.so\.40\x00/\x00libc.so.6\x00\x00\x00\x00/g' "$library" >"$spfft/lib/libspfft.so.1"
  if readelf -d "$spfft/lib/libspfft.so.1" | grep libmpi || nm -D --undefined-only "$spfft/lib/libspfft.so.1" | grep -E ' (MPI|fftw)_'; then
    echo "these calls of $library have kept their names" >&2
    return 1
  fi
  ln -sf libspfft.so.1 "$spfft/lib/libspfft.so"
}

mkdir -p "$folder" "$spfft"
"$ROOT/run" build smpi weft-bench weft-waves weft-lab-platform
fetch_source fftw3 "$folder"
fetch_packages "$spfft" libspfft1 libspfft-dev
# In shells of their own: bash forgets `set -e` in functions whose status is asked for.
export -f build_serial build_mpi rename_calls
export folder spfft JOBS
[[ -e $folder/lib/libfftw3.a ]] || run_logged "$folder/build.log" "building FFTW" bash -euo pipefail -c build_serial
[[ -e $folder/lib/libfftw3_mpi.a ]] || run_logged "$folder/mpi.log" "building FFTW-MPI for simulations" bash -euo pipefail -c build_mpi
library=$(find "$spfft/unpacked" -name 'libspfft.so.1' | head -n 1)
[[ -n $library ]] || die "no libspfft.so.1 is in the package libspfft1"
# shellcheck disable=SC2016 # for the inner shell
run_logged "$spfft/rename.log" "making SpFFT ask for MPI and FFTW here" bash -euo pipefail -c 'rename_calls "$1"' _ "$library"
run_logged "$rivals/configure.log" "configuring build/smpi" \
  cmake -DWEFT_RIVAL_FFTW="$folder" -DWEFT_RIVAL_SPFFT="$spfft" "$ROOT/build/smpi"
"$ROOT/run" build smpi weft-rival-fftw weft-rival-spfft
say "build/smpi/bin/weft-rival-fftw and weft-rival-spfft are there: weft lab run rivals rivals_large rivals_spheres solvers"
