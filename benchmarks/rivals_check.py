#!/usr/bin/env python3
"""The lab's rule for rivals judged against truth: Weft beside FFTW-MPI on this machine, simulated and measured.

    ./run exec python benchmarks/rivals_check.py measure DIR     # calibrates and races, minutes; the machine must be quiet
    ./run exec python benchmarks/rivals_check.py judge DIR       # simulates the same (scripts/lab_rivals.sh, once), and compares

`measure` leaves in DIR what `weft calibrate` says of the machine, and a race of Weft's strategies with FFTW-MPI. `judge` simulates
both on that machine, with rates of the grid's own lines and of copies of a rank's part of it, and prints FFTW-MPI's time over
Weft's. The exit code is 1 if a simulated ratio is more than 15 % off the measured one.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

from racing import results
from racing.settings import parse_number

from weft.cli.output import CommandError
from weft.lab.experiment import Lab
from weft.lab.experiments import rivals
from weft.lab.experiments.rivals import Case
from weft.lab.machines import Machine, load, varied
from weft.lab.simulate import ONCE, Simulator

HERE = Path(__file__).resolve().parent
STRATEGIES = ("shared", "alltoallv")
#: FFTW-MPI has the third one for more ranks.
TRANSPOSITIONS = ("alltoall", "pairwise")
ALLOWED = 0.15


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("step", choices=("measure", "judge"))
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--ranks", type=parse_number, default=2, help="of the race (2): no more than there are cores")
    parser.add_argument("--shapes", default="64,128", help="edges of cubes (64,128)")
    parser.add_argument("--rounds", type=parse_number, default=7, help="turns that every contestant has (7)")
    arguments = parser.parse_args()
    try:
        return measure(arguments) if arguments.step == "measure" else judge(arguments)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def measure(arguments: argparse.Namespace) -> int:
    folder, ranks = arguments.folder, str(arguments.ranks)
    folder.mkdir(parents=True, exist_ok=True)
    calibrate = ("-m", "weft", "calibrate", "-n", ranks, "-o", folder / "machine.toml")
    contestants = [word for name in STRATEGIES for word in ("--weft", f"strategy={name},transposed=true")]
    race = (HERE / "race.py", "--quick", "--ranks", ranks, "--shapes", arguments.shapes, "--kind", "c2c,r2c")
    who = ("--rivals", "FFTW-MPI", *contestants)
    rounds = ("--rounds", str(arguments.rounds), "--out", folder, "--name", "race", "--wisdom", folder)
    for command in (calibrate, (*race, *who, *rounds)):
        done = subprocess.run([sys.executable, *map(str, command)], check=False)
        if done.returncode != 0:
            raise CommandError(f"{' '.join(map(str, command))} ended with {done.returncode}")
    return 0


def judge(arguments: argparse.Namespace) -> int:
    machine = load(str(arguments.folder / "machine.toml"))
    race = results.read(arguments.folder / "race.json")
    simulator = Simulator(arguments.folder / "cache")
    lab = Lab(simulator)
    if not simulator.has(rivals.NEEDS_PROGRAM):
        raise CommandError("FFTW-MPI is not there for simulated machines; scripts/lab_rivals.sh builds it")
    print(f"{race['machine']['processor']}: FFTW-MPI's time over Weft's")
    print("| ranks | grid | Weft | simulated | measured | off | Weft, ms: simulated | measured |")
    print("|---|---|---|---|---|---|---|---|")
    worst = 0.0
    for raced in race["cases"]:
        case, ranks = Case(raced["shape"][0], raced["kind"]), raced["ranks"]
        here = at(machine, case, ranks)
        measured = times(raced)
        theirs = min(rivals.fftw(lab, here, ranks, case, TRANSPOSITIONS, data=True).values())
        for strategy in STRATEGIES:
            words = (*case.words, *ONCE, "--strategy", strategy)
            ours = 1e3 * simulator.run(here, ranks, "weft-bench", *words)["seconds"]["median"]
            found, true = theirs / ours, measured["FFTW-MPI"] / measured[strategy]
            off = found / true - 1
            worst = max(worst, abs(off))
            figures = f"{found:.2f} | {true:.2f} | {off:+.0%} | {ours:.2f} | {measured[strategy]:.2f}"
            print(f"| {ranks} | {case} | {strategy} | {figures} |")
    print(f"at worst {worst:.0%} off; allowed are {ALLOWED:.0%}")
    return 1 if worst > ALLOWED else 0


def times(raced: dict[str, Any]) -> dict[str, float]:
    """Milliseconds of a case by strategy, and of FFTW-MPI's best, spectrum transposed; the least of all turns."""
    found: dict[str, float] = {}
    for one in raced["contestants"]:
        if "seconds" not in one:
            raise CommandError(f"{one['family']}, {one['name']} did not run: {one.get('failed')}")
        ms = 1e3 * one["seconds"]["min"]
        if one["family"] == "Weft":
            found[one["options"]["strategy"]] = ms
        elif one["family"] == "FFTW-MPI" and one["name"].startswith("transposed"):
            found["FFTW-MPI"] = min(ms, found.get("FFTW-MPI", math.inf))
    if "FFTW-MPI" not in found:
        raise CommandError("the race had no FFTW-MPI: see what race.py says is missing")
    return found


def at(machine: Machine, case: Case, ranks: int) -> Machine:
    """The machine with its rates for this grid: of lines of n, and of copies of a rank's part of a complex field."""
    tables = machine["calibration"]["tables"]
    lines = [near(tables["lines"][name], case.n) for name in ("rows_double", "columns_double")]
    part = 16 * case.n**3 * (0.5 if case.kind == "r2c" else 1) / ranks
    rates = {
        "flops": sum(lines) / len(lines),
        "memory_bandwidth": ranks * near(tables["copy_all"], part),
        "core_bandwidth": near(tables["copy_one"], part),
    }
    return varied(machine, **rates)


def near(table: list[list[float]], size: float) -> float:
    """The rate of the size that is nearest, as a factor."""
    return float(min(table, key=lambda row: abs(math.log(row[0] / size)))[1])


if __name__ == "__main__":
    sys.exit(main())
