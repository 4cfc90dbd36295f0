#!/usr/bin/env bash
# The rivals in the lab: fetches the source package of FFTW (Debian's or Ubuntu's), builds its serial and its MPI library for
# simulated clusters, and weft-rival-fftw, the program that runs them there. `weft lab run rivals` is then complete.
#
#   scripts/lab_rivals.sh [FOLDER]      everything of FFTW's is put there (default build/rivals/fftw3)
#
# Nothing that is fetched is part of Weft.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for part in common sources; do
  # shellcheck source=/dev/null
  source "$ROOT/scripts/$part.sh"
done
[[ $# -le 1 ]] || die "usage: scripts/lab_rivals.sh [FOLDER]"
folder=$(realpath -m "${1:-$ROOT/build/rivals/fftw3}")

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

mkdir -p "$folder"
"$ROOT/run" build smpi
fetch_source fftw3 "$folder"
# In shells of their own: bash forgets `set -e` in functions whose status is asked for.
export -f build_serial build_mpi
export folder JOBS
[[ -e $folder/lib/libfftw3.a ]] || run_logged "$folder/build.log" "building FFTW" bash -euo pipefail -c build_serial
[[ -e $folder/lib/libfftw3_mpi.a ]] || run_logged "$folder/mpi.log" "building FFTW-MPI for simulations" bash -euo pipefail -c build_mpi
run_logged "$folder/configure.log" "configuring build/smpi" cmake -DWEFT_RIVAL_FFTW="$folder" "$ROOT/build/smpi"
"$ROOT/run" build smpi weft-rival-fftw
say "build/smpi/bin/weft-rival-fftw is there: weft lab run rivals"
