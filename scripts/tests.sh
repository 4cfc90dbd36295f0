# shellcheck shell=bash
# Builds and runs all tests.

RESULTS=$ROOT/build/results

# run_tests [PRESET...]: everything, or the tests of some presets only.
run_tests() {
  local presets=("$@") preset mpi status started=$SECONDS failed=()
  if [[ $# -eq 0 ]]; then presets=(openmpi mpich asan smpi); fi
  rm -rf "$RESULTS"
  mkdir -p "$RESULTS"
  for preset in "${presets[@]}"; do
    # In a shell of its own, so that the other presets are still tested when one cannot be built; and not inside `if`,
    # where bash would go on after errors.
    mpi=$(mpi_of_preset "$preset")
    set +e
    (set -e && prepare "$mpi" "$preset")
    status=$?
    set -e
    if [[ $status -ne 0 ]]; then
      failed+=("$preset: not built")
      continue
    fi
    if [[ $preset == smpi ]]; then
      run_lab || failed+=("$preset: pytest")
      continue
    fi
    run_ctest "$preset" || failed+=("$preset: ctest")
    if [[ -d $ROOT/build/$preset/python ]]; then run_pytest "$preset" "$mpi" || failed+=("$preset: pytest"); fi
  done
  report_tests "$((SECONDS - started))" "${failed[@]}"
}

run_ctest() {
  local preset=$1
  say "$preset: ctest"
  ctest --test-dir "$ROOT/build/$preset" --parallel "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit "$RESULTS/$preset-ctest.xml" 2>&1 | tee "$RESULTS/$preset-ctest.log"
}

run_pytest() {
  local preset=$1
  say "$preset: pytest"
  in_environment "$2" env -C "$ROOT" python -m pytest --quiet -p no:cacheprovider \
    --junitxml="$RESULTS/$preset-pytest.xml" 2>&1 | tee "$RESULTS/$preset-pytest.log"
}

# Simulated clusters: programs of the preset smpi, the Python package of Open MPI's.
run_lab() {
  (set -e && prepare openmpi openmpi programs)
  say "smpi: pytest"
  in_environment openmpi env -C "$ROOT" WEFT_LAB_BUILD="$ROOT/build/smpi" python -m pytest --quiet -p no:cacheprovider \
    --junitxml="$RESULTS/smpi-pytest.xml" tests/lab/test_simulated.py 2>&1 | tee "$RESULTS/smpi-pytest.log"
}

# report_tests SECONDS FAILED...: each runner's own closing line, and the sum over all of them on the last line.
report_tests() {
  local seconds=$1 log runner
  shift
  echo
  for log in "$RESULTS"/*.log; do
    [[ -e $log ]] || continue
    runner=$(basename "$log" .log)
    printf '%-16s %s\n' "${runner/-/ }" "$(grep -E 'tests passed|tests failed|(passed|failed|error).* in [0-9.]+' "$log" | tail -n 1)"
  done
  printf 'in %d min %02d s\n' "$((seconds / 60))" "$((seconds % 60))"
  if [[ $# -gt 0 ]]; then printf 'failed: %s\n' "$@"; fi
  /usr/bin/env python3 - "$RESULTS" "$#" <<'END'
import pathlib, sys, xml.etree.ElementTree as xml

passed = failed = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
    for suite in xml.parse(path).getroot().iter("testsuite"):
        number = {name: int(suite.get(name) or 0) for name in ("tests", "failures", "errors", "skipped", "disabled")}
        bad = number["failures"] + number["errors"]
        failed += bad
        passed += number["tests"] - bad - number["skipped"] - number["disabled"]
# A runner that broke before it could count its tests (nothing built, a crash) is a failure all the same.
failed = max(failed, int(sys.argv[2]))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
END
}
