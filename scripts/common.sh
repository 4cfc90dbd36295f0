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
    openmpi | asan | release | smpi) echo openmpi ;;
    mpich) echo mpich ;;
    *) die "preset '$1' is none of openmpi, mpich, asan, smpi, release" ;;
  esac
}

# hash_of TEXT...: a short name for some texts.
hash_of() { printf '%s\n' "$@" | sha256sum | cut -c1-16; }

# run_logged LOG MESSAGE COMMAND...: run quietly; say MESSAGE when it takes longer than some seconds; on failure show
# the end of the log. On a terminal the last line of the log is shown meanwhile.
run_logged() {
  local log=$1 message=$2 started=$SECONDS said='' pid status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.1
    if [[ -z $said && $((SECONDS - started)) -ge 2 ]]; then
      say "$message"
      said=yes
    fi
    if [[ -n $said && -t 2 ]]; then printf '\r\033[K%.*s' "$((${COLUMNS:-100} - 1))" "$(tail -n 1 "$log")" >&2; fi
  done
  if [[ -n $said && -t 2 ]]; then printf '\r\033[K' >&2; fi
  wait "$pid" || status=$?
  if [[ $status -ne 0 ]]; then
    tail -n 60 "$log" >&2
    die "failed: $* (all of its output: $log)"
  fi
}
