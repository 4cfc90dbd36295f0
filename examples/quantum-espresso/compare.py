"""Runs pw.x as it is and pw.x with Weft on the same inputs, in turn, and compares results and times. run.sh calls it."""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "inside"))
from comparing import add_comparison, add_files, add_launcher, check, compare_all, farthest, show  # noqa: E402

INPUTS = [
    HERE.parent / "silicon" / "si8-gamma.in",
    HERE.parent / "silicon" / "si8-k.in",
    HERE / "aluminium.in",
    HERE / "nickel.in",
]
CLOCKS = ["fftw", "ffts", "fft", "vloc_psi", "h_psi", "sum_band", "PWSCF"]
PROGRAMS = ["stock", "weft"]
# How far energies may differ, in Ry.
TOLERANCE = 1e-10
# Of a metal pw.x looks for the Fermi energy until the number of electrons is right to this (`eps` in efermig.f90), so its energy is not
# better than this times the Fermi energy.
ELECTRONS = 1e-10
FERMI = ("fermi_energy", "two_fermi_energies")
RYDBERG = 2  # of a hartree, which the XML file has


def add_programs(parser):
    """What run.sh says."""
    for name in PROGRAMS:
        parser.add_argument(f"--{name}", type=Path, required=True, help=argparse.SUPPRESS)
    add_launcher(parser)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [OPTIONS]", allow_abbrev=False)
    add_programs(parser)
    add_comparison(parser, "pw.x", INPUTS, "1,2,4")
    parser.add_argument("--conv-thr", default="1e-12", help="convergence of the energy, in Ry (default: 1e-12)")
    parser.add_argument(
        "--pw-options", default="", metavar="TEXT", help='options of pw.x; with "=", e.g. --pw-options="-ntg 2 -nk 2"'
    )
    add_files(parser)
    arguments = parser.parse_args()
    check(parser, arguments)
    return arguments


def changed(text, conv_thr):
    """An input with forces, stress and this convergence, whose results are in the folder that it runs in."""
    for namelist, lines in (
        ("control", "  tprnfor = .true., tstress = .true., outdir = './'\n"),
        ("electrons", f"  conv_thr = {conv_thr}\n"),
    ):
        # Of a name that is there twice, the later one counts.
        text, found = re.subn(rf"(?ims)(^\s*&{namelist}\b.*?\n)(\s*/)", rf"\1{lines}\2", text, count=1)
        if not found:
            raise SystemExit(f"error: the input has no namelist &{namelist}")
    return text


def seconds(text):
    """Of `1h 2m 3.45s`."""
    return sum(
        float(value) * {"h": 3600, "m": 60, "s": 1}[unit] for value, unit in re.findall(r"([\d.]+)\s*([hms])", text)
    )


def numbers(element):
    return [float(word) for word in element.text.split()] if element is not None else []


def run(program, options, ranks, text, arguments):
    """One run of pw.x: what it found, and how long its parts took."""
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{program}-", dir=arguments.scratch))
    (folder / "pw.in").write_text(text)
    command = [*arguments.launcher, "-n", str(ranks), str(getattr(arguments, program)), "-in", "pw.in", *options]
    with open(folder / "pw.out", "w") as out:
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    said = (folder / "pw.out").read_text(errors="replace")
    files = list(folder.glob("*.save/data-file-schema.xml"))
    if done.returncode != 0 or len(files) != 1:
        print(said[-3000:], file=sys.stderr)
        raise SystemExit(
            f"error: pw.x ({program}) ended with {done.returncode} and left {len(files)} files *.save/data-file-schema.xml, "
            f"where there must be one; all of its output: {folder / 'pw.out'}"
        )
    output = ElementTree.parse(files[0]).getroot().find("output")
    clocks = re.findall(r"^\s+(\S+)\s+:\s+.*?CPU\s+(.*?)\s*WALL", said, re.MULTILINE)
    grid = output.find("basis_set/fft_grid").attrib
    bands = output.find("band_structure")
    metal = bands.find("occupations_kind").text.strip() != "fixed"
    fermi = [level for name in FERMI if metal for level in numbers(bands.find(name))]
    result = {
        "energy": RYDBERG * float(output.find("total_energy/etot").text),
        "iterations": int(output.find("convergence_info/scf_conv/n_scf_steps").text),
        "forces": numbers(output.find("forces")),
        "stress": numbers(output.find("stress")),
        "grid": " x ".join(grid[f"nr{i}"] for i in (1, 2, 3)),
        "tolerance": TOLERANCE + 2 * ELECTRONS * RYDBERG * max(map(abs, fermi), default=0.0),
        "clocks": {name: seconds(wall) for name, wall in clocks if name in CLOCKS},
        "weft": re.findall(r"Weft does the (.*)", said),
    }
    shutil.rmtree(folder)
    if program == "weft" and not result["weft"]:
        raise SystemExit("error: pw.x with Weft says that Weft has done nothing")
    return result


def compare(path, ranks, arguments):
    """Both programs in turn; the one that goes first changes."""
    text = changed(path.read_text(), arguments.conv_thr)
    runs = {name: [] for name in PROGRAMS}
    for repeat in range(arguments.repeats):
        for name in PROGRAMS[:: 1 if repeat % 2 == 0 else -1]:
            show(f"{path.stem}, {ranks} ranks, {repeat + 1} of {arguments.repeats}: {name}")
            runs[name].append(run(name, arguments.pw_options.split(), ranks, text, arguments))
    show("")
    stock, weft = (runs[name][0] for name in PROGRAMS)
    names = [clock for clock in CLOCKS if clock in stock["clocks"] or clock in weft["clocks"]]
    return {
        "input": path.stem,
        "ranks": ranks,
        "pw_options": arguments.pw_options,
        "grid": stock["grid"],
        "weft": weft["weft"],
        "energy": stock["energy"],
        "iterations": [stock["iterations"], weft["iterations"]],
        "tolerance": stock["tolerance"],
        # Hartree atomic units but for the energy, which is in Ry.
        "differences": {
            "energy": abs(stock["energy"] - weft["energy"]),
            "forces": farthest(stock["forces"], weft["forces"]),
            "stress": farthest(stock["stress"], weft["stress"]),
        },
        "seconds": {
            clock: [statistics.median(each["clocks"].get(clock, 0) for each in runs[name]) for name in PROGRAMS]
            for clock in names
        },
        "runs": runs,
    }


def right(case):
    return case["differences"]["energy"] <= case["tolerance"] and len(set(case["iterations"])) == 1


def report(case):
    differences = case["differences"]
    iterations = "{} iterations".format(" and ".join(dict.fromkeys(map(str, case["iterations"]))))
    head = f"{case['input']} {case['pw_options']}".strip()
    print(f"{head}, {case['ranks']} ranks, {case['grid']}: {case['energy']:.10f} Ry, {iterations}")
    print(
        f"  differences: energy {differences['energy']:.1e} Ry ({case['tolerance']:.1e} are allowed), forces {differences['forces']:.1e}, "
        f"stress {differences['stress']:.1e} (hartree, bohr): {'right' if right(case) else 'WRONG'}"
    )
    print(f"  {'seconds':10} {'stock':>9} {'weft':>9}")
    for clock, (stock, weft) in case["seconds"].items():
        times = f"{stock / weft:8.2f} x" if weft > 0 else ""
        print(f"  {clock:10} {stock:9.2f} {weft:9.2f} {times}".rstrip())
    print(flush=True)


def main():
    about, clocks = ["input", "pw_options", "ranks", "grid"], ["vloc_psi", "sum_band", "PWSCF"]
    compare_all("pw.x", read_arguments(), compare, report, right, about, clocks, PROGRAMS)


if __name__ == "__main__":
    main()
