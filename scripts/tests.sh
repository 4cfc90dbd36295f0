# shellcheck shell=bash
# Builds and runs tests.

RESULTS=$ROOT/build/results

# Tests of ctest at once: most of a short MPI job is waiting for its launcher (0.4 s, of which 0.03 of the processor), and
# tests of what hangs only wait. Those of Python wait for jobs, too.
TEST_JOBS=${TEST_JOBS:-$((2 * $(nproc)))}

# The parts of the tests, each with the files that it leaves in build/results:
#
#   quick    one MPI library: everything but what is long, and of the contract's matrix a sample
#   rest     of the same library: what is long, and the whole of the matrix
#   docs     the documentation as a site
#   PRESET   everything of a preset
#
# run_tests: quick. run_tests all: quick, rest, docs, and the other presets. run_tests PRESET...: these.
run_tests() {
  local mpi other part parts failed=() started=$SECONDS began
  mpi=$(chosen_mpi)
  other=$([[ $mpi == openmpi ]] && echo mpich || echo openmpi)
  case ${1:-} in
    '') parts=(quick) ;;
    all) parts=(quick rest docs "$other" asan smpi) ;;
    *) parts=("$@") ;;
  esac
  if [[ ${1:-} != all ]]; then for part in "$@"; do mpi_of_preset "$part" >/dev/null; done; fi
  rm -rf "$RESULTS"
  mkdir -p "$RESULTS"
  for part in "${parts[@]}"; do
    began=$SECONDS
    run_part "$part" "$mpi" || true
    printf '%s %s\n' "$part" "$((SECONDS - began))" >>"$RESULTS/parts"
    if [[ -s $RESULTS/failed ]]; then
      mapfile -t failed <"$RESULTS/failed"
      # What fails in minutes need not be waited for.
      if [[ $part == quick && ${#parts[@]} -gt 1 ]]; then
        printf '%s\n' "not run, because the quick tests failed: ${parts[*]:1}" >>"$RESULTS/left_out"
        break
      fi
    fi
  done
  if [[ ${parts[*]} == quick ]]; then
    printf '%s\n' "the whole of the contract's matrix, long tests, $other, sanitizers, simulated clusters, installations, the documentation as a site: ./run test all" \
      >>"$RESULTS/left_out"
  fi
  report_tests "$((SECONDS - started))" "${failed[@]}"
}

fail() { printf '%s\n' "$*" >>"$RESULTS/failed"; }

# In a shell of its own, so that other parts are still tested when one cannot be built; and not inside `if`, where bash
# would go on after errors.
prepared() {
  local status
  set +e
  (set -e && prepare "$@")
  status=$?
  set -e
  [[ $status -eq 0 ]] || fail "$1: not built"
  return "$status"
}

run_part() {
  local part=$1 mpi=$2
  case $part in
    quick)
      prepared "$mpi" test all || return 0
      export WEFT_TEST_SEED=${WEFT_TEST_SEED:-$(date +%Y%j)}
      say "samples are those of WEFT_TEST_SEED=$WEFT_TEST_SEED"
      run_ctest quick "$mpi" -LE 'long|install'
      run_pytest quick "$mpi" -m 'not long'
      unset WEFT_TEST_SEED
      ;;
    rest)
      # Of the jobs with samples, what was not tested whole before.
      GTEST_FILTER='Contract.*:Properties.*' run_ctest rest "$mpi" -L 'long|install|sampled'
      # In a shell of its own: where they cannot be installed, their tests are skipped.
      (need_packages compilers) || true
      run_pytest rest "$mpi" -m long
      ;;
    docs)
      # In a shell of its own, which an error ends.
      (build_docs) || fail "docs: not built"
      ;;
    smpi)
      # Simulated clusters: programs of the preset smpi, the Python package of the other one.
      prepared smpi test all || return 0
      prepared openmpi test weft_programs || return 0
      WEFT_LAB_BUILD=$ROOT/build/smpi run_pytest smpi openmpi tests/lab/test_simulated.py
      ;;
    *)
      prepared "$part" test all || return 0
      run_ctest "$part" "$part"
      # Blocks of the documentation, stubs and what other compilers take are the same with each library, and were tested with one.
      local once=()
      if [[ -e $RESULTS/quick-pytest.xml ]]; then
        once=(--ignore=tests/docs --ignore=tests/bindings/test_stubs.py --ignore=tests/compilers)
      fi
      if [[ -d $ROOT/build/$part/python ]]; then run_pytest "$part" "$part" "${once[@]}"; fi
      ;;
  esac
}

# run_ctest PART PRESET OPTION...
run_ctest() {
  local part=$1 preset=$2
  shift 2
  say "$part: ctest"
  mkdir -p "$RESULTS/$part-gtest"
  GTEST_OUTPUT=xml:$RESULTS/$part-gtest/ ctest --test-dir "$ROOT/build/$preset" --parallel "$TEST_JOBS" --output-on-failure \
    --no-tests=error --output-junit "$RESULTS/$part-ctest.xml" "$@" 2>&1 | tee "$RESULTS/$part-ctest.log" || fail "$part: ctest"
}

# run_pytest PART MPI OPTION...
run_pytest() {
  local part=$1 mpi=$2
  shift 2
  say "$part: pytest"
  # As in cmake/WeftTests.cmake: to give way while waiting, since other tests run beside. In CI a test may take as long as
  # launching.py's limit of a job, and a little.
  in_environment "$mpi" env -C "$ROOT" OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive python -m pytest --quiet -p no:cacheprovider \
    -n "$TEST_JOBS" --dist worksteal ${CI:+--timeout=330} \
    --junitxml="$RESULTS/$part-pytest.xml" "$@" 2>&1 | tee "$RESULTS/$part-pytest.log" || fail "$part: pytest"
}

# report_tests SECONDS FAILED...: what ran, what was left out, the slowest, and the sum over all on the last line.
report_tests() {
  local seconds=$1
  shift
  /usr/bin/env python3 "$ROOT/scripts/report_tests.py" "$RESULTS" "$seconds" "$@"
}
