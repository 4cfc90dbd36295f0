# shellcheck shell=bash
# Messages, and what the other parts share.

JOBS=${JOBS:-$(nproc)}

say() { printf '%s\n' "==> $*" >&2; }

die() {
  printf '%s\n' "error: $*" >&2
  exit 2
}

chosen_mpi() {
  case ${WEFT_MPI:-openmpi} in
    openmpi | mpich) printf '%s\n' "${WEFT_MPI:-openmpi}" ;;
    *) die "WEFT_MPI is '$WEFT_MPI'; it can be openmpi or mpich" ;;
  esac
}

mpi_of_preset() {
  case $1 in
    openmpi | asan | clang | release | smpi) echo openmpi ;;
    arm64) echo mpich ;;
    mpiabi) echo mpich5 ;;
    mpich | mpich5 | openmpi5 | intelmpi) echo "$1" ;;
    *) die "preset '$1' is none of openmpi, mpich, asan, smpi, release, clang, arm64, mpich5, openmpi5, intelmpi, mpiabi" ;;
  esac
}

# The version of Weft, which CMakeLists.txt says.
version_of_weft() { sed -n 's/^  VERSION //p' "$ROOT/CMakeLists.txt"; }

# hash_of TEXT...: a short name for some texts.
hash_of() { printf '%s\n' "$@" | sha256sum | cut -c1-16; }

# run_logged LOG MESSAGE COMMAND...: run quietly; say MESSAGE when it takes longer than some seconds, and then how far it
# is: on a terminal the last line of the log, elsewhere that line from time to time. On failure show the end of the log.
run_logged() {
  local log=$1 message=$2 started=$SECONDS said='' pid status=0 line='' before='' spoke=0
  shift 2
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.1
    if [[ -z $said && $((SECONDS - started)) -ge 2 ]]; then
      say "$message"
      said=yes
      spoke=$SECONDS
    fi
    [[ -n $said ]] || continue
    if [[ -t 2 ]]; then
      line=$(tail -n 1 "$log")
      if [[ $line != "$before" ]]; then printf '\r\033[K%.*s' "$((${COLUMNS:-100} - 1))" "$line" >&2; fi
      before=$line
    elif [[ $((SECONDS - spoke)) -ge 15 ]]; then
      line=$(tail -n 1 "$log")
      if [[ $line != "$before" ]]; then printf '    %3d s  %.100s\n' "$((SECONDS - started))" "$line" >&2; fi
      before=$line
      spoke=$SECONDS
    fi
  done
  if [[ -n $said && -t 2 ]]; then printf '\r\033[K' >&2; fi
  wait "$pid" || status=$?
  if [[ $status -ne 0 ]]; then
    tail -n 60 "$log" >&2
    die "failed: $* (all of its output: $log)"
  fi
}
