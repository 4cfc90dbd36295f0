# shellcheck shell=bash
# A benchmark, a real volume and real wave functions: what Weft is for, from nothing.

DEMO=$ROOT/build/demo

run_demo() {
  local mpi waves
  mpi=$(chosen_mpi)
  need_packages "$mpi"
  # The calculation has to be fetched and run: meanwhile the processor compiles.
  need_wave_functions "$ROOT/examples/silicon/si8-gamma.in" >"$ROOT/build/demo-waves" &
  waves=$!
  prepare "$mpi" demo weft-npb weft_python
  need_template "$mpi"
  wait "$waves" || die "no wave functions of silicon: see above"
  waves=$(cat "$ROOT/build/demo-waves")
  rm -rf "$DEMO"
  mkdir -p "$DEMO"

  say "weft npb --class A -n 2: the NPB FT benchmark"
  in_environment "$mpi" python -m weft npb --class A -n 2 --json "$DEMO/npb.json"
  say "weft spectrum -n 2: the power spectrum of a brain (MNI152 template, in the package nilearn)"
  in_environment "$mpi" python -m weft spectrum "$TEMPLATE" -n 2 --out "$DEMO/brain" --json "$DEMO/spectrum.json"
  say "weft planewave -n 2: the density of silicon from its wave functions (Quantum ESPRESSO, 8 atoms)"
  in_environment "$mpi" python -m weft planewave --wfc "$waves" -n 2 --json "$DEMO/planewave.json"

  "$ROOT/.venv/$mpi/bin/python" - "$DEMO" <<'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
npb, spectrum, silicon = (json.loads((folder / f"{name}.json").read_text()) for name in ("npb", "spectrum", "planewave"))
print()
print("NPB FT class A:  {}, {:.0f} Mop/s, {:.2f} s on {} ranks".format(
    "verified" if npb["verified"] else "NOT VERIFIED", npb["mops"], npb["seconds"], npb["ranks"]))
print("Brain spectrum:  {} points, round trip within {:.0e}, power within {:.0e}".format(
    " x ".join(map(str, spectrum["shape"])), spectrum["round_trip_error"], spectrum["parseval_error"]))
print("Silicon:         {} electrons, {} with Quantum ESPRESSO's density within {:.0e}".format(
    round(silicon["electrons"], 6), "agrees" if silicon["agrees"] else "DOES NOT AGREE", silicon["relative_difference"]))
for name in sorted(folder.glob("*.png")):
    print(f"Picture:         {name}")
for name in sorted([*folder.glob("*.csv"), *folder.glob("*.json")]):
    print(f"Figures:         {name}")
sys.exit(not (npb["verified"] and silicon["agrees"]))
END
}

# nilearn's own dependencies are large, and only a file of it is wanted: it lies beside the environment, in which `pip
# check` would miss them.
TEMPLATE=$ROOT/build/nilearn/nilearn/datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz

need_template() {
  if [[ -f $TEMPLATE ]]; then return; fi
  rm -rf "$ROOT/build/nilearn"
  run_logged "$ROOT/build/pip-nilearn.log" "fetching the brain template" \
    "$ROOT/.venv/$1/bin/python" -m pip install --disable-pip-version-check --no-deps --target "$ROOT/build/nilearn" \
    "nilearn>=0.10"
  [[ -f $TEMPLATE ]] || die "the package nilearn has no ${TEMPLATE#"$ROOT/build/nilearn/"}"
}
