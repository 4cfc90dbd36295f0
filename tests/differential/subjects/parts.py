"""weft.FFT whose ends have ghosts, or several boxes of a rank: as transforms, on the arrays of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from checking import random_bricks
from numpy.typing import NDArray

import weft
from differential.cases import Case, Chance
from differential.findings import Findings

from . import common, transforms

#: What arrays with parts are not, and what a line has instead of parts.
WITHOUT = ("in_place", "padded_rows", "input_order", "output_order", "groups", "boxes", "shift", "check_every")
#: Lines whose ends meet.
FOURIER = {"dft", "r2c", "r2hc", "hc2r", "dht"}
BEYOND = -77.0


def draw(chance: Chance, ranks: int) -> Case:
    case: Case = {"shape": [1]}
    while len(case["shape"]) == 1:
        case = transforms.draw(chance, ranks)
    axes = len(case["shape"])
    case = {name: value for name, value in case.items() if name not in WITHOUT}
    # Where ranks have several boxes, other settings of that end do not matter.
    case |= chance.some(
        input_patches=(0.5, lambda: chance.random.randint(0, 99)),
        output_patches=(0.4, lambda: chance.random.randint(0, 99)),
        input_ghosts=(0.7, lambda: widths(chance, axes)),
        output_ghosts=(0.5, lambda: widths(chance, axes)),
    )
    if any(name.endswith("ghosts") for name in case):
        case |= chance.some(sum_ghosts=(0.4, True))
    return case


def widths(chance: Chance, axes: int) -> Any:
    if chance.happens(0.3):
        return 1
    return [[chance.random.randint(0, 2), chance.random.randint(0, 2)] for _ in range(min(axes, 3))]


def patches(number: int, grid: Sequence[int], ranks: int) -> weft.Layout:
    grid = (grid[0], 1, grid[1]) if len(grid) == 2 else tuple(grid[:3])
    boxes = random_bricks(grid, 2 * ranks + 1, number)
    owners = np.random.default_rng(number).integers(0, ranks, len(boxes)).tolist()
    return weft.Layout.patches(grid, boxes, owners, ranks)


class End:
    """Arrays of one end, and the grid that they are parts of."""

    def __init__(self, fft: weft.FFT, case: Case, whole: NDArray[Any], of_input: bool) -> None:
        shape = tuple(case["shape"])
        grid = whole.shape[whole.ndim - len(shape) :]
        kind = case["kind"]
        lines = kind if isinstance(kind, list) else ["dft"] * (len(shape) - 1) + [kind if kind != "c2c" else "dft"]
        lines = ["r2c" if line == "c2r" else line for line in lines]
        self.periodic = [line in FOURIER and n == m for line, n, m in zip(lines, shape, grid)]
        self.fft, self.grid = fft, grid
        self.last = bool(case.get("interleaved")) and case.get("batch", 1) > 1
        self.boxes = fft.input_boxes if of_input else fft.output_boxes
        self.inner = fft.input_inner if of_input else fft.output_inner
        self.views = fft.input_parts if of_input else fft.output_parts
        self.shape, self.dtype = (
            (fft.input_shape, fft.input_dtype) if of_input else (fft.output_shape, fft.output_dtype)
        )

    def places(self, box: Any) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """Indices along each axis of what a box sees, and where that is nothing."""
        along, beyond = [], np.zeros((), bool)
        for axis, (lo, hi, n, periodic) in enumerate(zip(*box, self.grid, self.periodic)):
            index = np.arange(lo, hi)
            outside = (index < 0) | (index >= n)
            along.append(index % n)
            turned = (outside & (not periodic)).reshape([-1 if other == axis else 1 for other in range(len(self.grid))])
            beyond = beyond | turned
        return along, np.broadcast_to(beyond, [len(index) for index in along])

    def cut(self, whole: NDArray[Any], box: Any) -> NDArray[Any]:
        """What a box sees of a field, fields where arrays have them."""
        along, beyond = self.places(box)
        found = np.array(whole[(..., *np.ix_(*along))], dtype=self.dtype)
        found[..., beyond] = BEYOND
        return np.moveaxis(found, 0, -1) if self.last else found

    def times(self, comm: Any) -> NDArray[Any]:
        """How often each point of the grid is seen by all ranks."""
        count = np.zeros(self.grid)
        for box in self.boxes:
            along, beyond = self.places(box)
            seen = np.where(beyond, 0.0, 1.0)
            np.add.at(count, np.ix_(*along), seen)
        total: NDArray[Any] = comm.allreduce(count)
        return total


def check(case: Case, comm: Any, findings: Findings) -> None:
    shape = tuple(case["shape"])
    wanted = transforms.Wanted(case)
    case = dict(case)
    seeds = {end: case.pop(f"{end}_patches") for end in ("input", "output") if f"{end}_patches" in case}
    for end in seeds:
        case.pop(end, None)
    arguments = transforms.arguments_of(case, comm)
    for name in ("input_ghosts", "output_ghosts"):
        if isinstance(arguments.get(name), tuple):
            arguments[name] = tuple(map(tuple, arguments[name]))
            axes = min(3, len(shape))
            of_end = wanted.forward_in if name == "input_ghosts" else wanted.forward_out
            grid = of_end.shape[of_end.ndim - len(shape) :][:axes]
            arguments[name] = tuple(
                (min(a, n), min(b, n)) if n > 1 else (0, 0) for (a, b), n in zip(arguments[name], grid)
            )
    for end, seed in seeds.items():
        of_end = wanted.forward_in if end == "input" else wanted.forward_out
        arguments[f"{end}_layout"] = patches(seed, of_end.shape[of_end.ndim - len(shape) :], comm.size)
    limit = common.allowed(case, case.get("precision", "double"), shape)
    rng = np.random.default_rng(1 + case.get("numbers", 0) + comm.rank)
    summed = case.get("sum_ghosts", False) and any(
        name.endswith("ghosts") for name in arguments if name != "sum_ghosts"
    )
    if not summed:
        arguments.pop("sum_ghosts", None)
    elif not any(np.any(arguments.get(f"{end}_ghosts", 0)) for end in ("input", "output")) and not seeds:
        arguments.pop("sum_ghosts")
    with weft.FFT(shape, comm, **arguments) as fft:
        ends = End(fft, case, wanted.forward_in, True), End(fft, case, wanted.forward_out, False)
        for forward in (True, False, True):
            source, target, scale = wanted.forward() if forward else wanted.backward()
            here, there = ends if forward else ends[::-1]
            x, out = np.empty(here.shape, here.dtype), np.full(there.shape, BEYOND, there.dtype)
            times = here.times(comm) if summed else None
            for part, box, inner in zip(here.views(x), here.boxes, here.inner):
                if times is not None:
                    part[...] = here.cut(source / times, box)
                    continue
                part[...] = rng.standard_normal(part.shape)
                cut = (*inner, slice(None)) if here.last else (..., *inner)
                part[cut] = here.cut(source, box)[cut]
            before = x.copy()
            name = "forward" if forward else "backward"
            y = (fft.forward if forward else fft.backward)(x, out)
            findings.true(y is out, f"{name} does not return out")
            findings.same(x, before, f"{name}: its input")
            for part, box in zip(there.views(y), there.boxes):
                findings.close(part, there.cut(target, box).reshape(part.shape), scale, limit, name)
