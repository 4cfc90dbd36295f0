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
#   rare     of the same library: what takes CI too long
#   docs     the documentation as a site
#   PRESET   everything of a preset; PRESET:sample as with quick
#   arm64    of that preset what depends on the processor, with QEMU
#   wheels   wheels and the source distribution, used in empty environments
#   package  Debian packages, used in an empty system
#   container  the steps of the container's definition, in an empty system
#
# run_tests: quick. run_tests all, which CI runs: quick, rest, docs, and of the other presets samples. run_tests everywhere,
# before a release: the other presets whole, with other compilers and MPI libraries samples, packages and the container. run_tests
# PRESET...: these.
run_tests() {
  local mpi other part parts failed=() started=$SECONDS began
  mpi=$(chosen_mpi)
  other=$([[ $mpi == openmpi ]] && echo mpich || echo openmpi)
  case ${1:-} in
    '') parts=(quick) ;;
    all) parts=(quick rest docs "$other:sample" asan:sample smpi) ;;
    everywhere) parts=(quick rest rare docs "$other" asan smpi clang:sample arm64 {mpich5,openmpi5,intelmpi,mpiabi}:sample wheels package container) ;;
    *)
      parts=("$@")
      for part in "$@"; do mpi_of_preset "${part%:sample}" >/dev/null; done
      ;;
  esac
  unset WEFT_TEST_SEED # which makes a sample of whatever sees it
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
  elif [[ ${1:-} == all ]]; then
    printf '%s\n' "the whole of $other and of sanitizers, what is rare, Clang's build, 64-bit Arm, MPICH 5, Open MPI 5, Intel MPI, the standard ABI, wheels, Debian packages, the container: ./run test everywhere" \
      >>"$RESULTS/left_out"
  fi
  report_tests "$((SECONDS - started))" "${failed[@]}"
}

# Of the tests that take samples: each day another one.
SAMPLE=${WEFT_TEST_SEED:-$(date +%Y%j)}
choose_sample() {
  export WEFT_TEST_SEED=$SAMPLE
  say "samples are those of WEFT_TEST_SEED=$WEFT_TEST_SEED"
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

# no_warnings PRESET: the compiler had nothing to say.
no_warnings() { ! grep 'warning:' "$ROOT/build/$1/build.log" || fail "$1: warnings of the compiler"; }

run_part() {
  local part=$1 mpi=$2
  case $part in
    quick)
      prepared "$mpi" test all || return 0
      (
        choose_sample
        run_ctest quick "$mpi" -LE 'long|install'
        run_pytest quick "$mpi" -m 'not long'
      )
      ;;
    rest)
      # Of the jobs with samples, what was not tested whole before.
      GTEST_FILTER='Contract.*:Properties.*' run_ctest rest "$mpi" -L 'long|install|sampled' -LE rare
      # In a shell of its own: where they cannot be installed, their tests are skipped.
      (need_packages compilers) || true
      run_pytest rest "$mpi" -m long
      ;;
    rare) run_ctest rare "$mpi" -L rare ;;
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
    package)
      (make_debian_packages) || fail "package: not made, or not of use"
      # The Python part is among those of Debian 13.
      if without_python && [[ $(. /etc/os-release && echo "$ID") == debian ]]; then
        (make_debian_packages trixie) || fail "package: not made for Debian 13, or not of use"
      fi
      ;;
    container) (try_container) || fail "container: not made, or not of use" ;;
    wheels) (make_wheels) || fail "wheels: not made, or not of use" ;;
    arm64 | arm64:sample)
      prepared arm64 test all || return 0
      no_warnings arm64
      (
        choose_sample
        test_arm64
      )
      ;;
    *)
      local preset=${part%:sample} ctest=() pytest=() skipped
      prepared "$preset" test all || return 0
      case $preset in # what a compiler of a release has to say
        clang | mpich5 | openmpi5 | intelmpi | mpiabi) no_warnings "$preset" ;;
      esac
      (
        if [[ $part == *:sample ]]; then
          choose_sample
          # More ranks tell little that is new: the quick tests have them with one library. mpich5, intelmpi and mpiabi give no way
          # while they wait, so that with many more ranks than processors a test takes minutes.
          case $preset in
            asan) skipped='^mpi\.n[4-9]$' ;;
            mpich5 | intelmpi | mpiabi) skipped='^mpi\.n[5-9]$' ;;
            *) skipped='^mpi\.n[5-8]$' ;;
          esac
          ctest=(-LE 'long|install' -E "$skipped")
          pytest=(-m 'not long and not any_mpi')
        fi
        if [[ $preset == intelmpi ]]; then export I_MPI_ROOT=$ROOT/.venv/intelmpi; fi
        run_ctest "$preset" "$preset" "${ctest[@]}"
        if [[ -d $ROOT/build/$preset/python ]]; then run_pytest "$preset" "$preset" "${pytest[@]}"; fi
      )
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

# What depends on the processor, since QEMU takes ten times as long: kernels with each width of Arm's vectors; and, with one of
# them, the contract and what else goes through all of the library, on 1 and 2 ranks.
test_arm64() {
  local kernels='Vectors*:Sets/*:Copies.*:WireFormats.*:Fields.*:Reference.*:Waiting.*-*LongLinesAndPrimes*'
  local whole='Contract.*:Properties.*:Sphere.*:Lines.*:Wire.*:Ghosts.*:Redistribution.*:CInterface.*'
  GTEST_FILTER=$kernels QEMU_CPU=neoverse-n1 run_ctest arm64-neon arm64 -R '^unit$'
  GTEST_FILTER=$kernels QEMU_CPU=max,sve-max-vq=2 run_ctest arm64-sve256 arm64 -R '^unit$'
  GTEST_FILTER=$kernels QEMU_CPU=max,sve-max-vq=4 run_ctest arm64-sve512 arm64 -R '^unit$'
  # What else UCX takes between processes does not always come to an end under QEMU.
  UCX_TLS=self,posix GTEST_FILTER=$whole QEMU_CPU=max,sve-max-vq=2 run_ctest arm64-ranks arm64 -R '^mpi\.n[12]$'
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
