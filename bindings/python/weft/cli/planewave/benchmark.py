"""The benchmark of ``weft planewave``: seconds of each operation on the plane waves of a sphere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import weft

from .cases import Case
from .sticks import columns_of
from .tables import figures
from .traffic import line_table, message_table, traffic

_PARTS = ("compute", "start", "test", "wait", "check", "total")
_TOLERANCES = {"double": 1e-12, "single": 1e-4}
#: Bands in one call unless --batch says more or less: their arrays in space must be held.
_BATCH = 16


def run(
    comm: Any, case: Case, precision: str, batch: int | None, repeats: int, warmup: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Time a case. Collective; the report is the same on all ranks, but for the plan, which is a rank's own."""
    start = time.perf_counter()
    indices = weft.cutoff_sphere(
        case.grid, case.lattice, case.cutoff, gamma=case.gamma, ranks=comm.size, rank=comm.rank
    )
    at_once = min(batch or _BATCH, case.bands)
    with weft.SphereFFT(
        case.grid, indices, comm, gamma=case.gamma, precision=precision, howmany=at_once, **options
    ) as fft:
        planning = max(comm.allgather(time.perf_counter() - start))
        bench = _Bench(comm, fft, case, indices, precision, at_once)
        operations = {
            name: bench.time(work, repeats, warmup)
            for name, work in (
                ("backward", bench.backward),
                ("forward", bench.forward),
                ("apply", bench.apply),
                ("density", bench.density),
            )
        }
        error = bench.round_trip_error()
        counts = comm.allgather((len(indices), len(np.unique(columns_of(indices, case.grid)))))
        return {
            "case": case.name,
            "remark": case.remark,
            "grid": list(case.grid),
            "lattice_bohr": [list(row) for row in case.lattice],
            "cutoff_hartree": case.cutoff,
            "boxcut": case.boxcut,
            "gamma": case.gamma,
            "precision": precision,
            "bands": case.bands,
            "batch": at_once,
            "ranks": comm.size,
            "options": options,
            "repeats": repeats,
            "plane_waves": sum(waves for waves, _ in counts),
            "plane_waves_of_ranks": {"fewest": min(counts)[0], "most": max(counts)[0]},
            "columns": sum(columns for _, columns in counts),
            "columns_of_box": case.grid[0] * case.grid[1],
            "round_trip_error": error,
            "verified": error <= _TOLERANCES[precision],
            "planning_seconds": planning,
            "operations": operations,
            "traffic": traffic(fft.plan.as_dict()),
            "plan": fft.plan.explain(),
        }


class _Bench:
    """Random bands, and the arrays of all operations."""

    def __init__(self, comm: Any, fft: Any, case: Case, indices: NDArray[Any], precision: str, batch: int) -> None:
        self.comm, self.fft, self.case = comm, fft, case
        real = np.dtype(np.float64 if precision == "double" else np.float32)
        complex_ = np.dtype(np.complex128 if precision == "double" else np.complex64)
        rng = np.random.default_rng(comm.rank)
        shape = (batch, len(indices))
        self.c = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(complex_)
        if case.gamma:
            # c(0) is its own conjugate.
            self.c[:, ~indices.any(axis=1)] = 1
        self.out = np.empty_like(self.c)
        self.psi = np.zeros((batch, *fft.space_shape), real if case.gamma else complex_)
        self.v = rng.standard_normal(fft.space_shape).astype(real)
        self.rho = np.zeros(fft.space_shape, real)
        self.weights = np.ones(batch)

    def backward(self, n: int) -> None:
        """Plane waves to space."""
        self.fft.backward(self.c[:n], out=self._space(n))

    def forward(self, n: int) -> None:
        """Space to plane waves."""
        self.fft.forward(self._space(n), out=self.out[:n])

    def _space(self, n: int) -> NDArray[Any]:
        """Of `n` bands those that this rank has in space: all, but with the option `groups`."""
        here = self.fft.bands_here(n)
        return self.psi[: here.stop - here.start]

    def apply(self, n: int) -> None:
        """A local potential: to space, times v, and back."""
        self.fft.apply(self.v, self.c[:n], out=self.out[:n])

    def density(self, n: int) -> None:
        """The sum of all |psi|^2."""
        self.fft.density(self.c[:n], self.weights[:n], out=self.rho)

    def time(self, work: Callable[[int], None], repeats: int, warmup: int) -> dict[str, Any]:
        """Seconds a band of some repetitions, each of them the slowest rank's."""
        bands, batch = self.case.bands, len(self.c)
        seconds = []
        for repetition in range(warmup + repeats):
            if repetition == warmup:
                self.fft.reset_statistics()
            self.comm.Barrier()
            start = time.perf_counter()
            for first in range(0, bands, batch):
                work(min(batch, bands - first))
            mine = time.perf_counter() - start
            if repetition >= warmup:
                seconds.append(mine / bands)
        slowest = np.max(self.comm.allgather(seconds), axis=0)
        statistics = self.fft.statistics
        parts = [getattr(statistics, name) / (repeats * bands) for name in _PARTS]
        return {
            "seconds_per_band": {
                "min": float(slowest.min()),
                "median": float(np.median(slowest)),
                "max": float(slowest.max()),
            },
            # Where the time went, on average over ranks.
            "parts_seconds_per_band": dict(zip(_PARTS, np.mean(self.comm.allgather(parts), axis=0).tolist())),
        }

    def round_trip_error(self) -> float:
        """The largest difference of c and forward(backward(c)) / N, relative to the largest c."""
        n = 1
        self.backward(n)
        self.forward(n)
        points = float(np.prod(self.case.grid, dtype=np.float64))
        difference = np.abs(self.out[:n] / points - self.c[:n]).max(initial=0)
        largest = np.abs(self.c[:n]).max(initial=0)
        return float(max(self.comm.allgather(float(difference))) / max(self.comm.allgather(float(largest))))


def show(screen: Console, facts: dict[str, Any]) -> None:
    """The report for people."""
    grid = " x ".join(map(str, facts["grid"]))
    ranks = facts["ranks"]
    screen.print(
        f"\n[bold]{facts['case']}[/]  {grid} points, {facts['bands']} {'real ' * facts['gamma']}bands, "
        f"{facts['batch']} at once, {facts['precision']} precision, on {ranks} rank{'' if ranks == 1 else 's'}"
    )
    if facts["remark"]:
        screen.print(f"[dim]{facts['remark']}[/]")
    shares = facts["plane_waves_of_ranks"]
    screen.print(
        f"cutoff {facts['cutoff_hartree']:g} hartree, boxcut {facts['boxcut']:.2f}: {facts['plane_waves']} plane waves "
        f"({shares['fewest']} to {shares['most']} on a rank) in {facts['columns']} of {facts['columns_of_box']} columns\n"
    )
    screen.print(_times(facts))
    screen.print("\nmilliseconds of a band, mean over ranks")
    screen.print(_breakdown(facts))
    screen.print()
    screen.print(line_table(facts["traffic"]))
    if facts["ranks"] > 1:
        screen.print()
        screen.print(message_table(facts["traffic"]))
    colour, word = ("green", "verified") if facts["verified"] else ("bold red", "NOT VERIFIED")
    screen.print(f"\n[{colour}]{word}[/]: forward(backward(c)) / N is c within {facts['round_trip_error']:.1e}")


def _times(facts: dict[str, Any]) -> Table:
    table = figures("median ms a band", "min", "max")
    for name, item in facts["operations"].items():
        seconds = item["seconds_per_band"]
        table.add_row(name, *(f"{1e3 * seconds[which]:.4g}" for which in ("median", "min", "max")))
    return table


def _breakdown(facts: dict[str, Any]) -> Table:
    table = figures("calculation", "start", "test", "waiting", "synchronisation", "total")
    for name, item in facts["operations"].items():
        table.add_row(name, *(f"{1e3 * item['parts_seconds_per_band'][part]:.4g}" for part in _PARTS))
    return table
