# shellcheck shell=bash
# A benchmark and a real volume: what Weft is for, from nothing.

DEMO=$ROOT/build/demo

run_demo() {
  local mpi template
  mpi=$(chosen_mpi)
  prepare "$mpi" "$mpi" programs
  need_template "$mpi"
  template=$(template_path "$mpi")
  rm -rf "$DEMO"
  mkdir -p "$DEMO"

  say "weft npb --class A -n 2: the NPB FT benchmark"
  in_environment "$mpi" python -m weft npb --class A -n 2 --json "$DEMO/npb.json"
  say "weft spectrum -n 2: the power spectrum of a brain (MNI152 template, in the package nilearn)"
  in_environment "$mpi" python -m weft spectrum "$template" -n 2 --out "$DEMO/brain" --json "$DEMO/spectrum.json"

  "$ROOT/.venv/$mpi/bin/python" - "$DEMO" <<'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
npb, spectrum = (json.loads((folder / name).read_text()) for name in ("npb.json", "spectrum.json"))
print()
print("NPB FT class A:  {}, {:.0f} Mop/s, {:.2f} s on {} ranks".format(
    "verified" if npb["verified"] else "NOT VERIFIED", npb["mops"], npb["seconds"], npb["ranks"]))
print("Brain spectrum:  {} points, round trip within {:.0e}, power within {:.0e}".format(
    " x ".join(map(str, spectrum["shape"])), spectrum["round_trip_error"], spectrum["parseval_error"]))
for name in sorted(folder.glob("*.png")):
    print(f"Picture:         {name}")
for name in sorted([*folder.glob("*.csv"), *folder.glob("*.json")]):
    print(f"Figures:         {name}")
sys.exit(not npb["verified"])
END
}

# nilearn's own dependencies are large, and only a file of it is wanted.
need_template() {
  if template_path "$1" >/dev/null 2>&1; then return; fi
  run_logged "$ROOT/build/pip-nilearn.log" "fetching the brain template" \
    "$ROOT/.venv/$1/bin/python" -m pip install --disable-pip-version-check --no-deps "nilearn>=0.10"
}

template_path() {
  "$ROOT/.venv/$1/bin/python" - <<'END'
import importlib.util, pathlib, sys
spec = importlib.util.find_spec("nilearn")
name = "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
path = pathlib.Path(spec.origin).parent / name if spec else None
if path is None or not path.is_file():
    sys.exit(f"the package nilearn is not installed, or has no {name}")
print(path)
END
}
