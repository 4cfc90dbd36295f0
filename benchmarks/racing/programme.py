"""What is raced if nobody says otherwise: heats, and the shorter form of each for `--quick`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.cli.output import CommandError

from .settings import SPHERES, Case, Size, parse_size

BOXES = ("c2c", "r2c")
#: Ranks, and threads of each.
Setup = tuple[int, int]
ALONE, TOGETHER, THREADED = (1, 1), (2, 1), (1, 2)


@dataclass(frozen=True)
class Heat:
    """All its sizes, kinds and setups with each other."""

    sizes: str
    setups: Sequence[Setup]
    quick_sizes: str
    quick_setups: Sequence[Setup]
    kinds: Sequence[str] = BOXES
    precision: str = "double"

    def cases(self, quick: bool) -> list[Case]:
        sizes = [parse_size(text) for text in (self.quick_sizes if quick else self.sizes).split(",")]
        return product(sizes, self.kinds, [self.precision], self.quick_setups if quick else self.setups)


HEATS = {
    "cubes": Heat("64,128,256", (ALONE, TOGETHER), "64,128", (ALONE, TOGETHER)),
    # Lengths with factors 5 and 3, unequal edges, and a prime.
    "awkward": Heat("100,120,96x144x200,91x109x91", (ALONE, TOGETHER), "100,120,96x144x200,91x109x91", (TOGETHER,)),
    "threads": Heat("64,128,256,100,91x109x91", (THREADED,), "64,128", (THREADED,)),
    "single": Heat("64,128,256", (ALONE, TOGETHER), "64,128", (TOGETHER,), precision="single"),
    "batches": Heat("8*64", (ALONE, TOGETHER), "8*64", (TOGETHER,)),
    # Planes, and four and five axes.
    "dimensions": Heat(
        "1024x1024,2048x2048,4096x4096,32x32x32x32,16x16x16x16x16", (TOGETHER,), "1024x1024,32x32x32x32", (TOGETHER,)
    ),
    "spheres": Heat("4*128,4*256", (ALONE, TOGETHER), "4*128", (TOGETHER,), kinds=SPHERES),
}


def product(
    sizes: Iterable[Size], kinds: Iterable[str], precisions: Iterable[str], setups: Iterable[Setup]
) -> list[Case]:
    """Every problem on every setup. Spheres are of double precision, in cubes."""
    kinds, precisions, setups, sizes = list(kinds), list(precisions), list(setups), list(sizes)
    cases = [
        Case(size.shape, kind, ranks, threads, precision, size.batch)
        for ranks, threads in setups
        for precision in precisions
        for kind in kinds
        for size in sizes
        if not (kind in SPHERES and precision == "single")
    ]
    for case in cases:
        if case.is_sphere and (len(set(case.shape)) > 1 or len(case.shape) != 3):
            raise CommandError(f"--shapes has {Size(case.shape)}; a sphere needs a cube")
    return cases


def cases_of(arguments: argparse.Namespace) -> list[Case]:
    """What the command line asks for: heats, or a product of its own as soon as anything of that is given."""
    own = (arguments.shapes, arguments.kind, arguments.precision, arguments.ranks, arguments.threads)
    if all(item is None for item in own):
        found = [case for name in arguments.heats or HEATS for case in HEATS[name].cases(arguments.quick)]
    else:
        if arguments.heats:
            raise CommandError("--heats is given, and so are cases of its own; give one of them")
        sizes = arguments.shapes or [parse_size(n) for n in ("64", "128", *(() if arguments.quick else ("256",)))]
        setups = [(ranks, threads) for ranks in arguments.ranks or (1, 2) for threads in arguments.threads or (1,)]
        found = product(sizes, arguments.kind or BOXES, arguments.precision or ("double",), setups)
    return list(dict.fromkeys(found))


def jobs(cases: Sequence[Case]) -> list[tuple[Setup, list[Case]]]:
    """Cases that one job can run, by setup."""
    setups = dict.fromkeys((case.ranks, case.threads) for case in cases)
    return [(setup, [case for case in cases if (case.ranks, case.threads) == setup]) for setup in setups]
