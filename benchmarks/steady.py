#!/usr/bin/env python3
"""Whether plans of one problem are equally fast: each is made anew, in processes of its own, and they are timed in turns.

    ./run exec python benchmarks/steady.py --shapes 64,100,96x144x200 --plans 20

One of them is timed as often again, as if it were as many plans: how its times differ is the machine's doing. What plans differ by
beyond that is luck at planning.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from racing import launching, machine
from racing.programme import product
from racing.settings import (
    Case,
    Size,
    default_configuration,
    list_of,
    parse_configuration,
    parse_kind,
    parse_number,
    parse_precision,
    parse_size,
)
from racing.tables import table

from weft.cli.busy import busy_text, look
from weft.cli.output import CommandError, write_text

#: Seconds for a job to plan, and for a turn.
PATIENCE = 300.0
#: Seconds of a turn, about.
TURN = 0.05


class Plan:
    """A job, and the lines to its ranks: that of rank 0 first."""

    def __init__(
        self, server: socket.socket, number: int, case: Case, options: dict[str, str], stack: ExitStack
    ) -> None:
        words = [server.getsockname(), str(number), json.dumps(asdict(case)), json.dumps(options)]
        command = launching.command("steady_job", case.ranks, case.threads, *words)
        environment = launching.environment(case.ranks, case.threads)
        stack.enter_context(ended(subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)))
        lines: dict[int, TextIO] = {}
        while len(lines) < case.ranks:
            try:
                connection = stack.enter_context(server.accept()[0])
            except TimeoutError:
                raise CommandError(f"plan {number} of {case} was not made in {PATIENCE:.0f} s") from None
            connection.settimeout(PATIENCE)
            line = stack.enter_context(connection.makefile("rw", encoding="utf-8"))
            lines[int(line.readline().split()[1])] = line
        self._lines = [lines[rank] for rank in range(case.ranks)]

    def seconds(self, repeats: int) -> float:
        """Of there and back, the median of some."""
        for line in self._lines:
            print(repeats, file=line, flush=True)
        return float(self._lines[0].readline())


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The lines are closed first, and the job ends by itself."""
    try:
        yield
    finally:
        try:
            process.wait(PATIENCE if sys.exc_info()[0] is None else 1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def measure(case: Case, options: dict[str, str], plans: int, rounds: int) -> dict[str, Any]:
    """Milliseconds of each plan, and of one plan as if it were as many."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="steady-"))
        server.bind(str(Path(folder, "line")))
        server.settimeout(PATIENCE)
        server.listen()
        made = [Plan(server, number, case, options, stack) for number in range(plans)]
        once = statistics.median(made[0].seconds(1) for _ in range(3))
        repeats = max(1, min(20, round(TURN / once)))
        times: list[list[float]] = [[] for _ in made]
        again: list[list[float]] = [[] for _ in made]
        for _ in range(rounds):
            for plan, mine, one in zip(made, times, again):
                mine.append(plan.seconds(repeats))
                one.append(made[0].seconds(repeats))
    both = {"plans": times, "one": again}
    return {name: [1e3 * statistics.median(mine) for mine in series] for name, series in both.items()}


def spread(milliseconds: list[float]) -> float:
    """The slowest over the fastest."""
    return max(milliseconds) / min(milliseconds)


def report(results: list[dict[str, Any]]) -> str:
    rows = []
    for result in results:
        plans, one = result["plans"], result["one"]
        extent = f"{min(plans):.3f} to {max(plans):.3f}"
        row = [
            result["case"],
            extent,
            f"{spread(plans):.3f}",
            f"{spread(one):.3f}",
            f"{spread(plans) / spread(one):.3f}",
        ]
        rows.append([cell if result["quiet"] else f"~{cell}" for cell in row])
    return table(["case", "ms of plans", "slowest / fastest", "the same of one plan", "luck"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--shapes", type=list_of(parse_size), default="64,100", help="N, N0xN1xN2 or B*N, separated by commas (64,100)")
    add("--kind", type=list_of(parse_kind), default="c2c,r2c", help="c2c, r2c or both (c2c,r2c)")
    add("--precision", type=parse_precision, default="double", help="single or double (double)")
    add("--ranks", type=parse_number, default=2, help="of each plan (2)")
    add("--threads", type=parse_number, default=1, help="of each rank (1)")
    add("--plans", type=parse_number, default=20, help="plans of each case (20)")
    add("--rounds", type=parse_number, default=11, help="turns of each plan (11)")
    add("--weft", type=parse_configuration, help="NAME=VALUE,...: options of weft.FFT (transposed=true)")
    add("--json", type=Path, help="write all medians to this file")
    arguments = parser.parse_args()
    sizes: list[Size] = arguments.shapes
    setups = [(arguments.ranks, arguments.threads)]
    results = []
    try:
        for case in product(sizes, arguments.kind, [arguments.precision], setups):
            if case.is_sphere:
                raise CommandError("--kind has a sphere; c2c and r2c are allowed")
            print(f"{case}: {arguments.plans} plans", file=sys.stderr, flush=True)
            options = arguments.weft or default_configuration(case)
            before = look()
            found = measure(case, options, arguments.plans, arguments.rounds)
            quiet = machine.is_quiet(before)
            if not quiet:
                print(f"note: the machine is busy: {busy_text(before)}", file=sys.stderr)
            results.append({"case": str(case), "quiet": quiet, **found})
        if arguments.json:
            write_text(arguments.json, json.dumps(results, indent=1) + "\n")
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(report(results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
