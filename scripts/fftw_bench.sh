#!/usr/bin/env bash
# FFTW's own test program, on Weft: fetches the source package of FFTW (Debian's or Ubuntu's), builds mpi-bench from it against the
# FFTW that is installed, and has it verify random problems through the drop-in for FFTW-MPI, on 1 to 6 ranks.
#
#   scripts/fftw_bench.sh [-c CASES] [-r RANKS] [-s SEED] [-f FOLDER] [-- OPTION...]
#   scripts/fftw_bench.sh -t PROBLEM [-r RANKS] [-f FOLDER] [-- OPTION...]
#
#   -c CASES    about how many problems on each number of ranks (default 200)
#   -r RANKS    numbers of ranks (default "1 2 3 4 5 6")
#   -s SEED     which problems (default 1); the same seed is the same problems
#   -f FOLDER   where everything is put (default build/fftw-bench)
#   -t PROBLEM  times it, by FFTW and by Weft in turns, e.g. ic128x128x128 (OPTION is mpi-bench's then, e.g. -oestimate)
#   OPTION      more options of FFTW's check.pl, e.g. --paranoid, --patient; default --estimate
#
# Needs Open MPI, because that is what the package libfftw3-mpi-dev is for. Nothing that is fetched is part of Weft.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=/dev/null
source "$ROOT/scripts/common.sh"
# shellcheck source=/dev/null
source "$ROOT/scripts/sources.sh"

cases=200 ranks='1 2 3 4 5 6' seed=1 folder=$ROOT/build/fftw-bench timed=''
while getopts c:r:s:f:t: option; do
  case $option in
    c) cases=$OPTARG ;;
    r) ranks=$OPTARG ;;
    s) seed=$OPTARG ;;
    f) folder=$OPTARG ;;
    t) timed=$OPTARG ;;
    *) die "usage: scripts/fftw_bench.sh [-t PROBLEM] [-c CASES] [-r RANKS] [-s SEED] [-f FOLDER] [-- OPTION...]" ;;
  esac
done
shift $((OPTIND - 1))
options=("$@")
[[ -n $timed || ${#options[@]} -gt 0 ]] || options=(--estimate)

library=$ROOT/build/openmpi/lib/libweft_fftw3_mpi.so
[[ -e $library ]] || "$ROOT/run" build openmpi weft_fftw3_mpi

# mpi-bench, linked with the libraries of the system, so that another library can take their place.
build_bench() {
  local source=$folder/source file
  (
    cd "$source"
    ./configure --enable-mpi --disable-fortran CC=gcc MPICC=mpicc.openmpi CFLAGS=-O2
    make -C libbench2
    for file in mpi/mpi-bench tests/fftw-bench tests/hook; do
      mpicc.openmpi -O2 -DHAVE_CONFIG_H -I. -Iapi -c "$file.c" -o "$file.o"
    done
    mpicc.openmpi mpi/mpi-bench.o tests/fftw-bench.o tests/hook.o libbench2/libbench2.a -lfftw3_mpi -lfftw3 -lm \
      -o "$folder/mpi-bench"
  )
}

# transpositions COUNT: random ones, which check.pl does not make: N0 x N1 items of V numbers, in and out of place, the
# input ([) or the output (]) in transposed order. (With 2 of each at least, mpi-bench can tell which axis is which.)
transpositions() {
  awk -v count="$1" -v seed="$seed" 'BEGIN {
    srand(seed)
    for (i = 0; i < count; ++i) {
      n0 = 2 + int(19 * rand()); n1 = 2 + int(19 * rand()); v = 1 + int(4 * rand())
      place = rand() < 0.5 ? "i" : "o"; order = substr("[] ", 1 + int(3 * rand()), 1); sub(" ", "", order)
      printf "--verify %sk%s1v%d:%d:%dx%d:%d:%dx%d:1:1\n", place, order, n0, n1 * v, v, n1, v, n0 * v, v
    }
  }'
}

mkdir -p "$folder"
fetch_source fftw3 "$folder"
[[ -x $folder/mpi-bench ]] || run_logged "$folder/build.log" "building mpi-bench" build_bench

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}

# Best of three, in turns.
time_both() {
  local n=$1 turn which
  for turn in 1 2 3; do
    for which in FFTW Weft; do
      local preload=()
      [[ $which == FFTW ]] || preload=(env "LD_PRELOAD=$library")
      mpiexec.openmpi -n "$n" "${preload[@]}" "$folder/mpi-bench" "${options[@]}" -s "$timed" | sed "s/^/$turn $which /"
    done
  done | awk -v ranks="$n" -v problem="$timed" '{
    value = $0; sub(/.*time: /, "", value); split(value, parts, /[ ,]/)
    seconds = parts[1] * (parts[2] == "s" ? 1 : parts[2] == "ms" ? 1e-3 : parts[2] == "us" ? 1e-6 : 1e-9)
    if (!($2 in best) || seconds < best[$2]) best[$2] = seconds
  }
  END { printf "%s on %d ranks: FFTW %.4g ms, Weft %.4g ms\n", problem, ranks, 1e3 * best["FFTW"], 1e3 * best["Weft"] }'
}

if [[ -n $timed ]]; then
  for n in $ranks; do time_both "$n"; done
  exit
fi

failed=0
for n in $ranks; do
  log=$folder/ranks-$n.log
  run=(mpiexec.openmpi -n "$n" env "LD_PRELOAD=$library" WEFT_FFTW_VERBOSE=1 "$folder/mpi-bench")
  # Each of check.pl's random tests is about 5 problems. It takes its own seed from the time: the script is given ours.
  perl -we 'my $seed = shift; my $script = shift; srand($seed + 0); do $script; die $@ if $@' "$((seed * 100 + n))" \
    "$folder/source/tests/check.pl" --random --maxsize=5000 -c=$(((cases + 4) / 5)) "${options[@]}" --verbose --mpi "${run[*]}" \
    >"$log" 2>&1 || failed=1
  mapfile -t problems < <(transpositions "$((cases / 10 + 1))" | tr ' ' '\n')
  "${run[@]}" --verbose=1 "${problems[@]}" >>"$log" 2>&1 || failed=1
  if grep -qE 'FAILED|assertion failed|No can_do|no plan' "$log"; then failed=1; fi
  printf '%d ranks: %d problems verified, %d by Weft, %d by FFTW\n' "$n" \
    "$(grep -cE '^\S+ [0-9.e+-]+ [0-9.e+-]+ [0-9.e+-]+$' "$log")" "$(grep -c ': Weft$' "$log")" "$(grep -c ': FFTW, because' "$log")"
  if [[ $failed -ne 0 ]]; then
    grep -E 'FAILED|assertion failed|No can_do|no plan|^weft: ' "$log" | grep -v ': Weft$\|: FFTW, because' | head -n 20 || true
    die "it failed; all of its output: $log"
  fi
done
