"""Runs GWW's own example, methane, with the programs as they are and with Weft, and compares the energies. run.sh --gww calls it."""

import argparse
import json
import re
import shutil
import subprocess
import time
from pathlib import Path

from compare import PROGRAMS, add_programs, farthest, show

# The programs, one after the other; each reads what those before it have written.
STEPS = {"pw.x": "methane_scf.in", "pw4gww.x": "methane_pw4gww.in", "gww.x": "methane_gww.in"}
# How far energies may differ, in eV: about as far as those of the programs as they are do on 1 and on 2 ranks (6e-5, 4e-3, 8e-3).
TOLERANCES = {"HF-pert": 1e-4, "GW-PERT": 1e-2, "GW": 1e-2}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [OPTIONS]", allow_abbrev=False)
    add_programs(parser)
    parser.add_argument("-n", "--ranks", type=int, default=2, help="how many MPI ranks (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    arguments = parser.parse_args()
    if arguments.ranks < 1:
        parser.error(f"--ranks is {arguments.ranks}; it must be at least 1")
    return arguments


def changed(text):
    """An input with pseudopotentials that Debian has, where ESPRESSO_PSEUDO says. Both of carbon's are norm-conserving, LDA."""
    return re.sub(r"(?m)^\s*pseudo_dir.*\n", "", text).replace("C.pz-vbc.UPF", "C.UPF")


def run(name, arguments):
    """All steps: the energies that GWW has found, in eV, and what Weft did in each step."""
    programs = getattr(arguments, name).parent
    inputs = arguments.stock.parents[1] / "GWW" / "examples" / "example01"
    folder = arguments.scratch / f"gww-{arguments.ranks}-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    result = {"seconds": {}, "weft": {}}
    for program, given in STEPS.items():
        show(f"{arguments.ranks} ranks, {name}: {program}")
        (folder / given).write_text(changed((inputs / given).read_text()))
        output = folder / f"{program}.out"
        began = time.monotonic()
        with open(folder / given) as read, open(output, "w") as out:
            command = [*arguments.launcher, "-n", str(arguments.ranks), str(programs / program)]
            done = subprocess.run(command, cwd=folder, stdin=read, stdout=out, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"error: {program} ({name}) ended with {done.returncode}; all of its output: {output}")
        said = output.read_text(errors="replace")
        result["seconds"][program] = time.monotonic() - began
        result["weft"][program] = re.findall(r"Weft does the (.*)", said)
    show("")
    result["levels"] = {
        level: [float(energy) for energy in re.findall(rf"(?m)^State:.* {re.escape(level)} *: *(-?[\d.]+)", said)]
        for level in TOLERANCES
    }
    if not all(result["levels"].values()):
        raise SystemExit(f"error: gww.x ({name}) has printed no energies; all of its output: {output}")
    return result


def main():
    arguments = read_arguments()
    results = {name: run(name, arguments) for name in PROGRAMS}
    stock, weft = (results[name] for name in PROGRAMS)
    for program in STEPS:
        times = [result["seconds"][program] for result in (stock, weft)]
        print(f"{program:9} stock {times[0]:6.1f} s, weft {times[1]:6.1f} s  Weft: {'; '.join(weft['weft'][program])}")
    print(f"\nenergies in eV on {arguments.ranks} ranks")
    for level, energies in stock["levels"].items():
        print(f"{level:8} stock {energies}\n{'':8} weft  {weft['levels'][level]}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    far = {level: farthest(energies, weft["levels"][level]) for level, energies in stock["levels"].items()}
    print("energies differ by (eV):", ", ".join(f"{level} {most:.1e}" for level, most in far.items()))
    # gww.x has no FFTs in space of its own.
    if not (weft["weft"]["pw.x"] and weft["weft"]["pw4gww.x"]):
        raise SystemExit("error: not all programs with Weft say that Weft has done something")
    wrong = [level for level, most in far.items() if most > TOLERANCES[level]]
    if wrong:
        raise SystemExit(f"energies differ by too much: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
