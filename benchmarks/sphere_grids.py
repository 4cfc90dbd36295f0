"""Spheres of plane waves on grids of processes: planes, ranks that share planes, and task groups.

    mpiexec -n 2 python benchmarks/sphere_grids.py --sizes 64,128     # times planes against a grid, interleaved
    python benchmarks/sphere_grids.py --predict hector-2b             # what the model says of up to 512 ranks
    python benchmarks/sphere_grids.py --simulate hector-2b            # the same by SimGrid, of CNT40 (./run build smpi)

Spheres have radius n/4 in a box of n^3 where they are timed; a time is the slowest rank's, the median of the rounds
counts.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from mpi4py import MPI

import weft
from weft import model
from weft.model.predict import Problem

COMM = MPI.COMM_WORLD
#: Name, points, radius of the sphere, bands: the systems of Bethune (2010) and of Hoefler and Zerah (2011).
SYSTEMS = (
    ("CNT40, 30^3", 30, 14.35, 1),
    ("CNT40, 16 bands", 30, 14.35, 16),
    ("CNT80, 60^3, 8 bands", 60, 28.7, 8),
    ("128^3, 60 bands", 128, 32.0, 60),
)
STRATEGIES = ("alltoallv", "pairwise", "padded", "node-shm", "node-gather")


def timed(n: int, gamma: bool, bands: int, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of each call, of planes and of ranks that share all planes."""
    mine = weft.cutoff_sphere(
        (n, n, n), 2 * math.pi * np.eye(3), n * n / 32, gamma=gamma, ranks=COMM.size, rank=COMM.rank
    )
    c = np.random.default_rng(COMM.rank).standard_normal((bands, len(mine))) + 0j
    found: dict[str, dict[str, list[float]]] = {}
    calls: dict[str, dict[str, Any]] = {}
    for grid in (f"{COMM.size}x1", f"1x{COMM.size}"):
        sphere = weft.SphereFFT((n, n, n), mine, COMM, gamma=gamma, howmany=bands, process_grid=grid)
        psi, v, out = sphere.backward(c), np.ones(sphere.space_shape), np.empty_like(c)
        calls[grid] = {
            "backward": lambda s=sphere, p=psi: s.backward(c, p),
            "forward": lambda s=sphere, p=psi, o=out: s.forward(p, o),
            "apply": lambda s=sphere, w=v, o=out: s.apply(w, c, o),
        }
    for _ in range(rounds):
        for grid, by_name in calls.items():
            for name, call in by_name.items():
                call()  # the caches are its own
                COMM.Barrier()
                start = time.perf_counter()
                call()
                seconds = COMM.allreduce(time.perf_counter() - start, MPI.MAX)
                found.setdefault(grid, {}).setdefault(name, []).append(1e3 * seconds)
    return {grid: {name: median(times) for name, times in of.items()} for grid, of in found.items()}


def predicted(machine: Any, n: int, radius: float, bands: int, ranks: int) -> dict[str, float]:
    """Milliseconds of a round trip: planes, what Weft chooses, and the best task groups of planes."""
    waves = weft.cutoff_sphere((n, n, n), 2 * math.pi * np.eye(3), radius * radius / 2)
    problem = Problem((n, n, n), batch=bands, waves=waves)

    def best(**options: Any) -> float:
        return 1e3 * min(
            model.predict(problem, machine, ranks, {"strategy": strategy, **options}).seconds for strategy in STRATEGIES
        )

    found = {"planes": best(process_grid=f"{ranks}x1"), "default": best()}
    groups = [g for g in range(2, min(bands, 24) + 1) if ranks % g == 0]
    if groups:
        found["groups of planes"] = min(best(groups=g, process_grid=f"{ranks // g}x1") for g in groups)
        found["groups"] = min(best(groups=g) for g in groups)
    return found


def simulated(name: str, n: int, radius: float, bands: int, ranks: int) -> dict[str, float]:
    """The same as `predicted`, by running every message on a simulated machine."""
    from weft.lab.machines import load  # needs SimGrid
    from weft.lab.simulate import Simulator

    simulator, machine = Simulator(), load(name)
    block = 16 * math.ceil(math.pi * radius * radius / ranks) * math.ceil(n / ranks)

    def milliseconds(strategy: str, groups: int = 1, grid: str | None = None) -> float:
        words = ["--shape", n, n, n, "--radius", radius, "--strategy", strategy, "--check", "false", "--bands", bands]
        words += ["--groups", groups, *(["--process-grid", grid] if grid else [])]
        report = simulator.run(machine, ranks, "weft-waves", *words, block_bytes=block)
        return float(1e3 * (report["backward"]["seconds"] + report["forward"]["seconds"]))

    kinds = ("pairwise", "node-shm", "node-gather")
    found = {
        "planes": min(milliseconds(kind, grid=f"{ranks}x1") for kind in kinds),
        "default": min(milliseconds(kind) for kind in kinds),
    }
    groups = [g for g in (2, 4, 8, 12, 16) if g <= bands and ranks % g == 0]
    if groups:
        found["groups of planes"] = min(
            milliseconds(kind, g, f"{ranks // g}x1") for g in groups for kind in ("pairwise", "node-shm")
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="64,128", help="points along each axis")
    parser.add_argument("--bands", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--predict", metavar="MACHINE", help="a machine of the model, instead of timing")
    parser.add_argument("--simulate", metavar="MACHINE", help="a machine of the lab, instead of timing")
    parser.add_argument("--ranks", help="of predictions (48,96,288,512) and simulations (96,288)")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    wanted = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if wanted.predict or wanted.simulate:
        systems = SYSTEMS if wanted.predict else SYSTEMS[:2]
        for name, *system in systems:
            for ranks in map(int, (wanted.ranks or ("48,96,288,512" if wanted.predict else "96,288")).split(",")):
                if wanted.predict:
                    of = predicted(model.load(wanted.predict), *system, ranks)
                else:
                    of = simulated(wanted.simulate, *system, ranks)
                rows.append({"of": name, "ranks": ranks, **of})
                print(name, ranks, *(f"{k} {t:.3g}" for k, t in of.items()), flush=True)
    else:
        for n in map(int, wanted.sizes.split(",")):
            for gamma in (False, True):
                rows.append({"n": n, "gamma": gamma, **timed(n, gamma, wanted.bands, wanted.rounds)})
                if COMM.rank == 0:
                    print(rows[-1])
    if wanted.json and COMM.rank == 0:
        wanted.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
