"""Runs ABINIT as it is, with each of its own FFTs, and ABINIT with Weft on the same inputs, in turn, and compares results and
times. run.sh calls it."""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "inside"))
from comparing import add_comparison, add_files, add_launcher, check, compare_all, farthest, show  # noqa: E402

INPUTS = [HERE / f"{name}.in" for name in ("si8-gamma", "si8-64", "aluminium", "nickel")]
# ABINIT's parallel FFTs (input variable fftalg): 401, its default, is blocking; 402 does the potential in cache; 312 is FFTW's
# lines. They and Weft, which leaves to 312 what it does not do; so that is what its results are compared with.
ALGORITHMS = {"stock 401": 401, "stock 402": 402, "stock 312": 312, "weft": 312}
SAME = "stock 312"
CLOCKS = {
    "fourwf%getghc": "v psi",
    "fourwf%prep_four": "densities",
    "fourwf": "fourwf",
    "fourdp": "fourdp",
}
# How far energies may differ, in hartree.
TOLERANCE = 1e-10
# What the command says, and what it says if the input does not.
OURS = ["paral_kgb", "npfft", "npband", "npkpt", "fftalg", "timopt", "toldfe"]
OTHERWISE = {"optforces": 1, "optstress": 1, "prtwf": 0, "prtden": 0, "prteig": 0}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [OPTIONS]", allow_abbrev=False)
    for name in ("stock", "weft", "pseudos"):
        parser.add_argument(f"--{name}", type=Path, required=True, help=argparse.SUPPRESS)
    add_launcher(parser)
    add_comparison(parser, "abinit", INPUTS, "2")
    parser.add_argument("--toldfe", default="1e-11", help="convergence of the energy, in hartree (default: 1e-11)")
    add_files(parser)
    arguments = parser.parse_args()
    check(parser, arguments)
    return arguments


def found_in(folder, name):
    """A file of a folder, or of one below it: from 9 on pseudopotentials of a kind are together."""
    return [*folder.glob(name), *sorted(folder.glob(f"*/{name}")), folder / name][0]


def pseudopotentials(text, path, folder):
    """The files that the first lines of an input name."""
    names = re.findall(r"(?m)^#.*Pseudopotentials: (.*)$", text)
    if len(names) != 1:
        raise SystemExit(f"error: {path} must have one comment '# Pseudopotentials: ...' with the names of their files")
    files = [found_in(folder, name) for name in names[0].split()]
    for file in files:
        if not file.is_file():
            raise SystemExit(f"error: there is no pseudopotential '{file}'")
    return files


def completed(text, path, ranks, algorithm, arguments):
    """An input with `ranks` ranks for the FFT."""
    words = set(re.findall(r"[a-z_]+", re.sub(r"(?m)[#!].*$", "", text).lower()))
    ours = words & set(OURS)
    if ours:
        raise SystemExit(f"error: {path} says {', '.join(sorted(ours))}, which this command says")
    lines = {
        "paral_kgb": 1,
        "npfft": ranks,
        "npband": 1,
        "npkpt": 1,
        "fftalg": algorithm,
        "timopt": -1,
        "toldfe": arguments.toldfe,
        **{name: value for name, value in OTHERWISE.items() if name not in words},
    }
    return text + "".join(f"{name} {value}\n" for name, value in lines.items())


def numbers(name, out):
    """The values of a variable, as ABINIT echoes them at the end."""
    found = re.findall(rf"(?m)^ +{name}  +((?:[-+]?\d+\.\d+E[-+]\d+\s+)+)", out)
    return [float(word) for word in found[-1].split()] if found else []


def read_output(out, log, ranks):
    steps = re.findall(r"(?m)^ ETOT +\d+ +(\S+)", out)
    clocks = {}
    for name in CLOCKS:
        # Sums of all ranks: cpu, percent, wall, percent, calls. The tables of single ranks come before.
        found = re.findall(rf"(?m)^- {re.escape(name)} +\d+\.\d+ +\d+\.\d+ +(\d+\.\d+) +\d+\.\d+ +\d+ ", out)
        clocks[name] = float(found[-1]) / ranks if found else 0.0
    clocks["whole run"] = float(re.findall(r"Proc\. +0 individual time .*wall= *([\d.]+)", log)[-1])
    return {
        "energy": float(steps[-1]),
        "iterations": len(steps),
        "forces": numbers("fcart", out),
        "stress": numbers("strten", out),
        "grid": " x ".join(re.findall(r"ngfft +(\d+) +(\d+) +(\d+)", out)[-1]),
        "clocks": clocks,
        "weft": re.findall(r"Weft does (.*)", log),
    }


def prepared(label, text, files, arguments):
    """A new folder with an input, and the list of files that abinit reads."""
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{label}-", dir=arguments.scratch))
    (folder / "t.in").write_text(text)
    (folder / "t.files").write_text("\n".join(["t.in", "t.out", "ti", "to", "tt", *map(str, files)]) + "\n")
    return folder


def execute(abinit, folder, ranks, arguments, limit=None):
    """The exit code of abinit in a folder that is prepared; its log is t.log there."""
    command = [*arguments.launcher, "-n", str(ranks), str(abinit)]
    # Inputs of ABINIT's own tests ask for it, from 9 on.
    environment = {**os.environ, "ABI_PSPDIR": str(arguments.pseudos.resolve())}
    with open(folder / "t.log", "w") as log, open(folder / "t.files") as files:
        return subprocess.run(
            command, cwd=folder, env=environment, stdin=files, stdout=log, stderr=subprocess.STDOUT, timeout=limit
        ).returncode


def run(program, path, ranks, arguments):
    text = path.read_text()
    files = pseudopotentials(text, path, arguments.pseudos)
    text = completed(text, path, ranks, ALGORITHMS[program], arguments)
    folder = prepared(program.replace(" ", "-"), text, files, arguments)
    code = execute(arguments.weft if program == "weft" else arguments.stock, folder, ranks, arguments)
    log = (folder / "t.log").read_text(errors="replace")
    if code != 0 or "Calculation completed" not in log:
        print(log[-3000:], file=sys.stderr)
        raise SystemExit(f"error: abinit ({program}) ended with {code}; all of its output: {folder / 't.log'}")
    result = read_output((folder / "t.out").read_text(), log, ranks)
    shutil.rmtree(folder)
    if (program == "weft") != bool(result["weft"]):
        raise SystemExit(f"error: abinit ({program}) says that Weft does {', '.join(result['weft']) or 'nothing'}")
    return result


def compare(path, ranks, arguments):
    """All programs in turn; the order is turned round each time."""
    runs = {name: [] for name in ALGORITHMS}
    for repeat in range(arguments.repeats):
        for name in list(ALGORITHMS)[:: 1 if repeat % 2 == 0 else -1]:
            show(f"{path.stem}, {ranks} ranks, {repeat + 1} of {arguments.repeats}: {name}")
            runs[name].append(run(name, path, ranks, arguments))
    show("")
    stock, weft = runs[SAME][0], runs["weft"][0]
    return {
        "input": path.stem,
        "ranks": ranks,
        "grid": stock["grid"],
        "energy": stock["energy"],
        "iterations": {name: of[0]["iterations"] for name, of in runs.items()},
        "differences": {
            "energy": abs(stock["energy"] - weft["energy"]),
            "forces": farthest(stock["forces"], weft["forces"]),
            "stress": farthest(stock["stress"], weft["stress"]),
        },
        "seconds": {
            said: [statistics.median(one["clocks"][clock] for one in of) for of in runs.values()]
            for clock, said in {**CLOCKS, "whole run": "whole run"}.items()
        },
        "runs": runs,
    }


def right(case):
    return case["differences"]["energy"] <= TOLERANCE and case["iterations"]["weft"] == case["iterations"][SAME]


def report(case):
    differences = case["differences"]
    iterations = " and ".join(dict.fromkeys(str(case["iterations"][name]) for name in (SAME, "weft")))
    print(
        f"{case['input']}, {case['ranks']} ranks, {case['grid']}: {case['energy']:.10f} hartree, {iterations} iterations"
    )
    print(
        f"  differences: energy {differences['energy']:.1e} hartree ({TOLERANCE:.1e} are allowed), "
        f"forces {differences['forces']:.1e}, stress {differences['stress']:.1e}: {'right' if right(case) else 'WRONG'}"
    )
    print(f"  {'seconds':10}", *(f"{name:>10}" for name in ALGORITHMS), "  weft is faster by")
    for clock, seconds in case["seconds"].items():
        times = [f"{stock / seconds[-1]:.2f}" for stock in seconds[:-1]] if seconds[-1] > 0 else []
        print(f"  {clock:10}", *(f"{value:10.2f}" for value in seconds), f"  {' '.join(times)}")
    print(flush=True)


def main():
    about, clocks = ["input", "ranks", "grid"], ["v psi", "fourwf", "whole run"]
    compare_all("abinit", read_arguments(), compare, report, right, about, clocks, list(ALGORITHMS))


if __name__ == "__main__":
    main()
