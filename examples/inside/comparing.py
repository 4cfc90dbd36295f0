"""What the examples share that run another program as it is and with Weft, and compare."""

import argparse
import csv
import json
import re
import shlex
import sys
from pathlib import Path


def add_launcher(parser):
    parser.add_argument(
        "--launcher",
        type=shlex.split,
        default=["mpiexec"],
        metavar="COMMAND",
        help="what starts programs, up to -n; e.g. 'weft lab exec', on an emulated cluster (default: mpiexec)",
    )
    parser.add_argument("--scratch", type=Path, required=True, help=argparse.SUPPRESS)


def add_comparison(parser, program, inputs, ranks):
    parser.add_argument(
        "--inputs",
        type=Path,
        nargs="+",
        default=inputs,
        metavar="FILE",
        help=f"inputs of {program} (default: those of examples)",
    )
    parser.add_argument("-n", "--ranks", default=ranks, help=f"how many MPI ranks, e.g. 2 or 1,2,4 (default: {ranks})")
    parser.add_argument(
        "--repeats", type=int, default=1, help="runs of each program; times are their medians (default: 1)"
    )


def add_files(parser):
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table of times")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the times (PNG, SVG or PDF)")


def check(parser, arguments):
    """What add_comparison has read; ranks become a list."""
    try:
        arguments.ranks = [int(word) for word in arguments.ranks.split(",")]
    except ValueError:
        parser.error(f"--ranks is '{arguments.ranks}'; it must be numbers with commas between them, e.g. 1,2,4")
    if min(arguments.ranks) < 1:
        parser.error(f"--ranks has {min(arguments.ranks)}; there must be at least 1")
    if arguments.repeats < 1:
        parser.error(f"--repeats is {arguments.repeats}; it must be at least 1")
    for path in arguments.inputs:
        if not path.is_file():
            parser.error(f"--inputs: there is no file '{path}'")


def farthest(one, other):
    return max((abs(a - b) for a, b in zip(one, other, strict=True)), default=0.0)


def show(line):
    """How far it is: one line on a terminal, else a line each."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
    elif line:
        print(f"==> {line}", file=sys.stderr, flush=True)


def write_csv(path, about, programs, cases):
    """A row for each clock of each case: what is `about` it, and the seconds of each program."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*about, "clock", *(f"{re.sub('[ -]', '_', name)}_seconds" for name in programs)])
        for case in cases:
            for clock, seconds in case["seconds"].items():
                writer.writerow([*(case[name] for name in about), clock, *seconds])


def draw(path, clocks, programs, cases):
    """Bars: a panel for each clock, a group for each case, and in it a bar for each program; the last one is Weft."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(clocks), figsize=(11, 1.2 + 0.23 * len(programs) * len(cases)), sharey=True, constrained_layout=True
    )
    greys = ["silver", "darkgrey", "grey"][: len(programs) - 1]
    height = 0.8 / len(programs)
    for axis, clock in zip(axes, clocks, strict=True):
        for at, (name, color) in enumerate(zip(programs, [*greys, "tab:green"], strict=True)):
            places = [i - 0.4 + height * (at + 0.5) for i in range(len(cases))]
            values = [case["seconds"].get(clock, [0] * len(programs))[at] for case in cases]
            axis.barh(places, values, height=0.95 * height, color=color, label=name)
        axis.set(title=clock, xlabel="seconds")
    axes[0].set_yticks(range(len(cases)), [f"{case['input']}, {case['ranks']} ranks" for case in cases])
    axes[0].invert_yaxis()
    axes[-1].legend()
    figure.savefig(path, dpi=110)


def compare_all(program, arguments, compare, report, right, about, clocks, names):
    """Each input on each number of ranks; what has been found goes where the arguments say. An error if a case is not right.

    `about` and `clocks` are what the table says of a case and what the picture shows, `names` those of the programs.
    """
    cases = []
    for path in arguments.inputs:
        for ranks in arguments.ranks:
            cases.append(compare(path, ranks, arguments))
            report(cases[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(cases, indent=1) + "\n")
    if arguments.csv:
        write_csv(arguments.csv, about, names, cases)
    if arguments.picture:
        draw(arguments.picture, clocks, names, cases)
    wrong = [f"{case['input']} on {case['ranks']} ranks" for case in cases if not right(case)]
    if wrong:
        raise SystemExit(f"not the same energy after as many iterations: {', '.join(wrong)}")
    print(f"{program} with Weft finds what {program} finds")
