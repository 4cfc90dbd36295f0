"""What plans do: bytes that they read and write, messages, bytes that they send, tiles, memory. Nothing is timed.

    mpiexec -n 4 python benchmarks/work.py            # compares with work.json; what rises is an error
    mpiexec -n 4 python benchmarks/work.py --accept   # what is counted now becomes what is expected

Each is made and run once, there and back. Figures are sums over the four ranks. Nodes, caches and kernels are said, not
found, so that they are the same on every machine and with every MPI.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import weft

COMM = MPI.COMM_WORLD
FILE = Path(__file__).parent / "work.json"
RANKS = 4
#: What Weft would find out about the machine.
SAID = {"backend": "lanes", "effort": "estimate", "cache": 1 << 18, "threads": 1, "node_size": RANKS}
APART = {"node_size": 1}
PAIRS = {"node_size": 2}

Counts = dict[str, int]
Count = Callable[[], Counts]


def counted(made: Any, plan: Mapping[str, Any] | None = None) -> Counts:
    """Of all ranks and executions; tiles and memory as planned."""
    statistics = made.statistics
    mine = {
        "bytes read": statistics.bytes_read,
        "bytes written": statistics.bytes_written,
        "messages": statistics.messages,
        "bytes sent": statistics.bytes_sent,
    }
    if plan is not None:
        stages = [stage for way in ("forward", "backward") for stage in plan[way]["stages"]]
        mine["tiles"] = sum(stage.get("tiles", 0) for stage in stages)
        mine["workspace bytes"] = plan["workspace_bytes"]
    made.close()
    return {name: int(COMM.allreduce(value)) for name, value in mine.items()}


def zeros(empty: Callable[[], Any]) -> Any:
    x = empty()
    x[...] = 0
    return x


def transform(shape: tuple[int, ...], kind: str = "c2c", **options: Any) -> Count:
    def count() -> Counts:
        fft = weft.FFT(shape, COMM, kind, **{**SAID, **options})
        x = zeros(fft.empty_input)
        y = fft.forward(x) if fft.in_place else fft.forward(x, zeros(fft.empty_output))
        fft.backward(y) if fft.in_place else fft.backward(y, x)
        return counted(fft, fft.plan)

    return count


def operator(shape: tuple[int, ...], name: str, **options: Any) -> Count:
    def count() -> Counts:
        made = weft.Operator(shape, name, comm=COMM, kind="r2c", **{**SAID, **options})
        made(zeros(made.empty_input))
        return counted(made)

    return count


def poisson(shape: tuple[int, ...], sides: Any, **options: Any) -> Count:
    def count() -> Counts:
        solve = weft.Poisson(shape, sides=sides, comm=COMM, **{**SAID, **options})
        solve(zeros(solve.empty_input))
        return counted(solve)

    return count


def sphere(n: int, bands: int = 1, gamma: bool = False, **options: Any) -> Count:
    """A sphere of a quarter of the box."""

    def count() -> Counts:
        lattice, ecut = 2 * np.pi * np.eye(3), 0.5 * (n / 4) ** 2
        waves = weft.cutoff_sphere((n, n, n), lattice, ecut, gamma=gamma, ranks=COMM.size, rank=COMM.rank)
        said = {name: value for name, value in SAID.items() if name != "cache"}
        made = weft.SphereFFT((n, n, n), waves, COMM, gamma=gamma, howmany=bands, **{**said, **options})
        made.apply(np.zeros(made.space_shape), np.zeros((bands, len(waves)), complex))
        return counted(made)

    return count


#: By name, which says what each is.
PLANS: dict[str, Count] = {
    "c2c 32^3, transposed": transform((32, 32, 32), transposed=True),
    "c2c 32^3, normal order": transform((32, 32, 32)),
    "c2c 64^3, normal order": transform((64, 64, 64)),
    "c2c 32^3, in place": transform((32, 32, 32), transposed=True, in_place=True),
    "c2c 31x29x23": transform((31, 29, 23)),
    "c2c 64x32x16, one node a rank": transform((64, 32, 16), transposed=True, **APART),
    "c2c 64x64x64, two nodes": transform((64, 64, 64), transposed=True, **PAIRS),
    "c2c 64x64x64, two nodes, normal order": transform((64, 64, 64), **PAIRS),
    "r2c 32^3, transposed": transform((32, 32, 32), "r2c", transposed=True),
    "r2c 64^3, transposed": transform((64, 64, 64), "r2c", transposed=True),
    "r2c 64^3, normal order": transform((64, 64, 64), "r2c"),
    "r2c 30x42x35, pairwise": transform((30, 42, 35), "r2c", strategy="pairwise", transposed=True, **APART),
    "r2c 32^3, ialltoallv": transform((32, 32, 32), "r2c", strategy="ialltoallv", transposed=True, **APART),
    "r2c 32^3, zerocopy": transform((32, 32, 32), "r2c", strategy="zerocopy", transposed=True, **APART),
    "r2c 32^3, node-shm, two nodes": transform((32, 32, 32), "r2c", strategy="node-shm", transposed=True, **PAIRS),
    "c2c 8 x 16^3": transform((16, 16, 16), batch=8, transposed=True),
    "c2c 4 x 32^3, two nodes": transform((32, 32, 32), batch=4, transposed=True, **PAIRS),
    "c2c 32^3, pencils": transform((32, 32, 32), decomposition="pencil", grid="2x2", transposed=True),
    "c2c 32^3, pencils, two nodes": transform((32, 32, 32), decomposition="pencil", grid="2x2", **PAIRS),
    "c2c 36^3, 24^3 modes": transform((36, 36, 36), modes=(24, 24, 24), transposed=True),
    "c2c 32^3, single on the wire": transform((32, 32, 32), wire="single", transposed=True, **APART),
    "c2c 64x48": transform((64, 48), transposed=True),
    "c2c 12x10x8x6": transform((12, 10, 8, 6), transposed=True),
    "c2c one line of 4096": transform((4096,)),
    "dct2-dst1-r2c 24x31x20": transform((24, 31, 20), "dct2-dst1-r2c", transposed=True),
    "inverse Laplacian 32^3": operator((32, 32, 32), "inverse_laplacian"),
    "gradient 32^3, two nodes": operator((32, 32, 32), "gradient", **PAIRS),
    "Poisson 24^3, walls": poisson((24, 24, 24), "odd"),
    "Poisson 24^3, open": poisson((24, 24, 24), "open"),
    "sphere in 32^3, 4 bands": sphere(32, bands=4),
    "sphere in 32^3, real, two nodes": sphere(32, bands=2, gamma=True, **PAIRS),
    "sphere in 16^3, 2x2 ranks": sphere(16, bands=2, process_grid="2x2"),
}


def compare(expected: Mapping[str, Counts], found: Mapping[str, Counts]) -> tuple[list[str], list[str]]:
    """What is worse, and what is better or new."""
    worse, better = [], [f"{plan}: new" for plan in found if plan not in expected]
    worse += [f"{plan}: not counted any more" for plan in expected if plan not in found]
    for plan in expected.keys() & found.keys():
        for name in dict.fromkeys([*expected[plan], *found[plan]]):
            before, now = expected[plan].get(name, 0), found[plan].get(name, 0)
            if now != before:
                share = f" ({now / before:.3f} times)" if before else ""
                (worse if now > before else better).append(f"{plan}: {name} {before} -> {now}{share}")
    return sorted(worse), sorted(better)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accept", action="store_true", help=f"write {FILE.name} anew")
    parser.add_argument("--file", type=Path, default=FILE, help="what is expected (work.json beside this program)")
    arguments = parser.parse_args()
    if COMM.size != RANKS:
        if COMM.rank == 0:
            print(
                f"error: {COMM.size} ranks; {RANKS} are needed: mpiexec -n {RANKS} python {sys.argv[0]}",
                file=sys.stderr,
            )
        return 2
    found = {name: count() for name, count in PLANS.items()}
    code = 0
    if COMM.rank == 0 and arguments.accept:
        arguments.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"{len(found)} plans: {arguments.file}")
    elif COMM.rank == 0:
        worse, better = compare(json.loads(arguments.file.read_text(encoding="utf-8")), found)
        for title, lines in (("more than expected", worse), ("less than expected, or new", better)):
            if lines:
                print(f"{title}:", *lines, sep="\n  ")
        print(f"{len(found)} plans: " + ("more work" if worse else "no more work") + " than expected")
        if worse or better:
            print("--accept makes it what is expected")
        code = 1 if worse else 0
    return int(COMM.bcast(code))


if __name__ == "__main__":
    status = main()
    # An exit code other than 0 would end the job before all ranks have said what they have to say.
    MPI.Finalize()
    sys.exit(status)
