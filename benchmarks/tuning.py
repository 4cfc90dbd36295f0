"""How good the tuner's choices are: timed against all candidates, each the same number of times.

    mpiexec -n 2 python benchmarks/tuning.py

Of each case (shape, kind, batch) all candidates of the widest choice are timed in turns; then the fastest ten of them, the
default, and what `estimate`, `measure` and `patient` have chosen, in more turns. The fastest of these is the best there is.
None of the tuner's code times anything here.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from mpi4py import MPI

import weft
from weft import _core
from weft.cli.output import write_json, write_text

GOOD = 1.05
CASES = (
    "32x32x32 c2c 1",
    "48x48x48 c2c 1",
    "64x64x64 c2c 1",
    "96x96x96 c2c 1",
    "80x80x80 c2c 1",
    "64x64x64 r2c 1",
    "96x96x96 r2c 1",
    "40x60x80 c2c 1",
    "32x32x32 c2c 8",
    "48x48x48 r2c 4",
)

#: Rounds between planning anew.
TOGETHER = 5


class Runner:
    """A transform, with arrays that it shares with others: some hundred transforms are there at once."""

    arrays: ClassVar[dict[Any, Any]] = {}

    def __init__(self, case: tuple[tuple[int, int, int], str, int], options: dict[str, str]) -> None:
        self.case, self.options = case, options
        self.fft = self.planned()
        self.x = self.shared("x", self.fft.input_shape, self.fft.empty_input)
        self.y = self.shared("y", self.fft.output_shape, self.fft.empty_output)
        self.seconds: list[float] = []
        self.once()

    def planned(self) -> weft.FFT:
        shape, kind, batch = self.case
        return weft.FFT(shape, MPI.COMM_WORLD, kind, batch=batch, **self.options)

    def plan_anew(self) -> None:
        """Where in memory a plan happens to lie is worth some percent."""
        self.fft.close()
        self.fft = self.planned()
        self.once()

    @classmethod
    def shared(cls, side: str, shape: Any, make: Callable[[], Any]) -> Any:
        """The array of that side and shape."""
        if (side, shape) not in cls.arrays:
            cls.arrays[side, shape] = make()
            cls.arrays[side, shape][...] = 0
        return cls.arrays[side, shape]

    def once(self) -> float:
        """Forward and backward; the slowest rank's seconds."""
        comm = MPI.COMM_WORLD
        comm.Barrier()
        begin = time.perf_counter()
        self.fft.forward(self.x, self.y)
        self.fft.backward(self.y, self.x)
        mine = np.array(time.perf_counter() - begin)
        comm.Allreduce(MPI.IN_PLACE, mine, MPI.MAX)
        return float(mine)

    def turn(self, seconds: float) -> None:
        """As many runs as take a while; their mean."""
        cold = self.once()
        repeats = max(1, min(200, round(seconds / max(cold, 1e-9))))
        self.seconds.append(statistics.fmean(self.once() for _ in range(repeats)))

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def turns(runners: list[Runner], rounds: int, seconds: float) -> None:
    """Time them in turns, in another order each time."""
    for number in range(rounds):
        for runner in random.Random(number).sample(runners, len(runners)):
            runner.turn(seconds)


def over_best(one: Runner, among: list[Runner]) -> float:
    """Its time over that of the best. The least of a dozen medians is too low, by what chance has taken off it: so the
    best is the fastest in one half of the rounds, and compared with in the other; and the other way round."""

    def median(runner: Runner, half: int) -> float:
        return statistics.median(s for i, s in enumerate(runner.seconds) if i // TOGETHER % 2 == half)

    ratios = []
    for half in (0, 1):
        best = min(among, key=lambda other: median(other, half))
        ratios.append(median(one, 1 - half) / median(best, 1 - half))
    return statistics.fmean(ratios)


def judge(text: str, settings: argparse.Namespace) -> dict[str, Any]:
    """One case."""
    words = text.split()
    n0, n1, n2 = (int(n) for n in words[0].split("x"))
    case = ((n0, n1, n2), words[1], int(words[2]))
    comm = MPI.COMM_WORLD
    chosen: dict[str, weft.Tuned] = {}
    for effort, budget in (("estimate", 0.0), ("measure", settings.measure), ("patient", settings.patient)):
        chosen[effort] = weft.tune(
            case[0], comm, case[1], batch=case[2], effort=effort, budget=budget, file="none", machine=settings.machine
        )
    nodes = comm.Split_type(MPI.COMM_TYPE_SHARED)
    problem = weft.Problem(case[0], case[1], batch=case[2])
    candidates = _core.candidates(problem.core, {}, comm.size, nodes.size, [], True, 0.0)
    runners: dict[tuple[tuple[str, str], ...], Runner] = {}

    def runner(options: Any) -> Runner | None:
        key = tuple(sorted(dict(options).items()))
        if key not in runners:
            try:
                runners[key] = Runner(case, dict(options))
            except weft.Error:  # not every candidate suits every problem
                return None
        return runners[key]

    # What takes twice as long in its first turn is not the best, and frees its memory.
    tried, least = 0, math.inf
    for options in random.Random(0).sample(candidates, len(candidates)):
        one = runner(options)
        if one is None:
            continue
        tried += 1
        one.turn(settings.seconds)
        least = min(least, one.median)
        for key in [key for key, other in runners.items() if other.median > 2 * least]:
            runners.pop(key).fft.close()
    every = list(runners.values())
    turns(every, settings.rounds - 1, settings.seconds)
    last = sorted(every, key=lambda one: one.median)[:10]
    final = {id(one): one for one in last}
    picks = {effort: runner(tuned.options) for effort, tuned in chosen.items()}
    picks["default"] = runner({})
    for one in picks.values():
        assert one is not None
        final[id(one)] = one
    for one in final.values():
        one.seconds.clear()
    for _ in range(max(2, settings.more_rounds // TOGETHER)):
        for one in final.values():
            one.plan_anew()
        turns(list(final.values()), TOGETHER, settings.seconds)
    best = min(final.values(), key=lambda one: one.median)
    names = {id(one): dict(key) for key, one in runners.items()}
    found = {
        "case": text,
        "ranks": comm.size,
        "candidates": tried,
        "best": {"seconds": best.median, "options": names[id(best)]},
        "picks": {
            effort: {
                "seconds": one.median,
                "over_best": over_best(one, list(final.values())),
                "options": names[id(one)],
                "spent": chosen[effort].spent if effort in chosen else 0.0,
            }
            for effort, one in picks.items()
            if one is not None
        },
    }
    for one in runners.values():
        one.fft.close()
    Runner.arrays.clear()
    return found


def table(results: list[dict[str, Any]]) -> str:
    """The results as Markdown."""
    efforts = ("default", "estimate", "measure", "patient")
    out = "| case | ranks | candidates | best, ms | default | estimate | measure | patient | spent, s: measure | patient |\n"
    out += "|---|---|---|---|---|---|---|---|---|---|\n"
    for result in results:
        picks = result["picks"]
        ratios = " | ".join(f"{picks[effort]['over_best']:.2f}" for effort in efforts)
        spent = " | ".join(f"{picks[effort]['spent']:.1f}" for effort in efforts[2:])
        out += f"| {result['case']} | {result['ranks']} | {result['candidates']} | {result['best']['seconds'] * 1e3:.3f} | "
        out += f"{ratios} | {spent} |\n"
    out += "\nColumns by effort: time of the choice over that of the best.\n"
    for effort in efforts[1:]:
        good = sum(result["picks"][effort]["over_best"] <= GOOD for result in results)
        worst = max(result["picks"][effort]["over_best"] for result in results)
        out += (
            f"\n`{effort}`: within {GOOD - 1:.0%} of the best in {good} of {len(results)} cases, at worst {worst:.2f}."
        )
    return out + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="shape kind batch, separated by commas")
    parser.add_argument("--machine", help="machine file for the model (weft calibrate makes one)")
    parser.add_argument("--measure", type=float, default=10, help="budget of measure in seconds")
    parser.add_argument("--patient", type=float, default=60, help="budget of patient in seconds")
    parser.add_argument("--rounds", type=int, default=5, help="turns of all candidates")
    parser.add_argument(
        "--more-rounds", type=int, default=30, help="turns of the fastest and the chosen, planned anew after five"
    )
    parser.add_argument("--seconds", type=float, default=5e-3, help="how long a turn is at least")
    parser.add_argument("--json", help="all figures")
    parser.add_argument("--markdown", help="the table")
    settings = parser.parse_args()
    root = MPI.COMM_WORLD.rank == 0
    results = []
    for text in settings.cases.split(","):
        results.append(judge(text.strip(), settings))
        if root:
            picks = results[-1]["picks"]
            ratios = ", ".join(f"{effort} {pick['over_best']:.2f}" for effort, pick in picks.items())
            print(f"{text}: best {results[-1]['best']['seconds'] * 1e3:.3f} ms; {ratios}", flush=True)
    if root:
        print("\n" + table(results))
        write_json(settings.json, {"results": results, "mpi": _core.mpi_library(), "weft": weft.__version__})
        if settings.markdown:
            write_text(Path(settings.markdown), table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
