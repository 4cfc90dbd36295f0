"""weft.SphereFFT: spheres of any plane waves, against NumPy's transforms of the whole box."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import weft
from differential.cases import Case, Chance
from differential.findings import Findings, Guarded, Senseless

from . import common


def draw(chance: Chance, ranks: int) -> Case:
    case: Case = {"shape": chance.shape(3, 3000), "waves": chance.random.randint(0, 99)}
    case |= chance.some(
        gamma=(0.4, True),
        precision=(0.3, "single"),
        howmany=(0.5, lambda: chance.one(2, 3, 5)),
        bands=(0.8, lambda: chance.one(2, 3, 4, 7)),
        apart=(0.25, lambda: chance.one(1, 3)),
        normalization=(0.5, lambda: chance.one("forward", "backward", "ortho")),
        groups=(0.25, lambda: chance.one(*(n for n in range(1, ranks + 1) if ranks % n == 0))),
        share=(0.2, True),
        weights=(0.5, True),
        beyond=(0.25, lambda: chance.one([1, 0], [0, 1], [3, 2])),
        results=(0.25, lambda: chance.random.randint(0, 99)),
    )
    if not case.get("gamma"):
        case |= chance.some(spinors=(0.3, True))
    each = ranks // case.get("groups", 1)
    if case.get("groups", 1) == 1:
        case |= chance.some(planes=(0.3, lambda: chance.random.randint(0, 99)))
    if "planes" not in case:
        grids = [f"{rows}x{each // rows}" for rows in range(1, each + 1) if each % rows == 0]
        case |= chance.some(process_grid=(0.6, lambda: chance.one(*grids)))
    case |= common.draw_options(chance, ranks, "sphere")
    if case.get("groups", 1) > 1 and case.get("strategy") == "rma":
        case.pop("strategy")  # Open MPI 4 has it for all ranks only
    if chance.happens(0.2):
        own = common.draw_options(chance, ranks, "sphere")
        case["forward"] = {name: own[name] for name in ("tile", "window", "tests", "fields") if name in own}
    return case


Owners = dict[tuple[int, int], int]


def sphere(grid: tuple[int, ...], gamma: bool, seed: int, comm: Any, owners: Owners) -> NDArray[Any]:
    """This rank's plane waves: of some columns some points, each column on one rank, with signs as they come.

    Columns that have owners keep them; others get some.
    """
    rng = np.random.default_rng(seed)
    nx, ny, nz = grid
    density = rng.uniform(0.05, 1)
    mine: list[tuple[int, int, int]] = []
    taken: set[tuple[int, ...]] = set()
    some = int(rng.integers(1, comm.size + 1))  # ranks that have any
    for x in range(nx):
        for y in range(ny):
            mirror = (-x % nx, -y % ny)
            known = owners.get((x, y), owners.get(mirror) if gamma else None)
            owner = owners[x, y] = int(rng.integers(some)) if known is None else known
            if rng.random() > density and taken:
                continue
            for z in rng.permutation(nz)[: int(rng.integers(1, nz + 1))]:
                point = (x, y, int(z))
                if gamma and tuple(-p % n for p, n in zip(point, grid)) in taken:
                    continue
                taken.add(point)
                signs = rng.random(3) < 0.5
                wave = tuple(p - n if s and p - n >= -(n // 2) else p for p, n, s in zip(point, grid, signs))
                if owner == comm.rank:
                    mine.append(wave)  # type: ignore[arg-type]
    return np.array([mine[i] for i in rng.permutation(len(mine))], np.int64).reshape(-1, 3)


class Wanted:
    """A sphere by NumPy: bands of the whole box, [z, y, x]."""

    def __init__(
        self,
        grid: tuple[int, ...],
        gamma: bool,
        norm: str,
        mine: NDArray[Any],
        comm: Any,
        results: NDArray[Any] | None = None,
    ) -> None:
        self.shape = grid[::-1]
        self.gamma = gamma
        self.places = tuple(mine[:, axis] % grid[axis] for axis in (2, 1, 0))
        back = mine if results is None else results
        self.results = tuple(back[:, axis] % grid[axis] for axis in (2, 1, 0))
        self.same = results is None
        everywhere = np.concatenate(comm.allgather(mine))
        self.all_places = tuple(everywhere[:, axis] % grid[axis] for axis in (2, 1, 0))
        points = float(np.prod(grid))
        self.forward_factor = {"forward": 1 / points, "ortho": points**-0.5}.get(norm, 1.0)
        self.backward_factor = points * {"backward": 1 / points, "ortho": points**-0.5}.get(norm, 1.0)

    def in_space(self, c: NDArray[Any], comm: Any) -> NDArray[Any]:
        values = np.concatenate(comm.allgather(c), axis=-1)
        box = np.zeros((*c.shape[:-1], *self.shape), complex)
        if self.gamma:
            box[(..., *(-p % n for p, n in zip(self.all_places, self.shape)))] = values.conj()
        box[(..., *self.all_places)] = values
        psi = np.fft.ifftn(box, axes=(-3, -2, -1)) * self.backward_factor
        return psi.real if self.gamma else psi

    def waves(self, psi: NDArray[Any]) -> NDArray[Any]:
        return np.fft.fftn(psi, axes=(-3, -2, -1))[(..., *self.results)] * self.forward_factor

    def coefficients(self, rng: np.random.Generator, bands: int) -> NDArray[Any]:
        """Of this rank; real where a wave is its own mirror image, if fields in space are real."""
        c = common.random_field(rng, (bands, len(self.places[0])), True)
        if self.gamma:
            own = np.all([(2 * p) % n == 0 for p, n in zip(self.places, self.shape)], axis=0)
            c[:, own] = c[:, own].real
        return c


def check(case: Case, comm: Any, findings: Findings) -> None:
    grid, gamma, seed = tuple(case["shape"]), case.get("gamma", False), case.get("waves", 0)
    precision, bands = case.get("precision", "double"), case.get("bands", 1)
    if spinors := case.get("spinors", False):
        bands += bands % 2
    names = ("gamma", "precision", "howmany", "normalization", "forward", "spinors")
    arguments = {name: case[name] for name in names if name in case} | common.options_of(case) | {"effort": "estimate"}
    if comm.size % case.get("groups", 1) or (spinors and gamma):
        raise Senseless
    if beyond := case.get("beyond"):  # of a row, and rows of a plane
        arguments["padded"] = [n + more if more else 0 for n, more in zip(grid, beyond)]
    if "planes" in case:
        cuts = np.sort(np.random.default_rng(case["planes"]).integers(0, grid[2] + 1, comm.size - 1))
        arguments["planes"] = int(np.diff([0, *cuts, grid[2]])[comm.rank])
    owners: Owners = {}
    mine = sphere(grid, gamma, seed, comm, owners)
    results = sphere(grid, gamma, case["results"], comm, owners) if "results" in case else None
    wanted = Wanted(grid, gamma, case.get("normalization", "none"), mine, comm, results)
    with weft.SphereFFT(grid, mine, comm, results=results, **arguments) as fft:
        if case.get("share"):
            others = sphere(grid, gamma, seed + 1, comm, {})
            with weft.SphereFFT(grid, others, share=fft, **arguments) as other:
                also = Wanted(grid, gamma, case.get("normalization", "none"), others, comm)
                Executed(case, other, also, comm, findings, bands + (2 if spinors else 1), precision).all()
                Executed(case, fft, wanted, comm, findings, bands, precision).all()
        Executed(case, fft, wanted, comm, findings, bands, precision).all()


class Executed:
    """Everything that a sphere does, on this rank's bands."""

    def __init__(
        self, case: Case, fft: weft.SphereFFT, wanted: Wanted, comm: Any, findings: Findings, bands: int, precision: str
    ) -> None:
        self.fft, self.wanted, self.findings, self.bands = fft, wanted, findings, bands
        self.limit = 4 * common.allowed(case, precision, fft.grid)
        rng = np.random.default_rng([case.get("numbers", 0), comm.rank])
        real, complex_ = ("f8", "c16") if precision == "double" else ("f4", "c8")
        self.real = real
        self.guard = Guarded()
        self.apart = case.get("apart", 0)
        self.grouped = case.get("groups", 1) > 1
        self.complex = complex_
        self.c = wanted.coefficients(rng, bands)
        self.whole = wanted.in_space(self.c, comm)
        lo, hi = fft.space_box
        self.part = slice(lo[0], hi[0]), slice(lo[1], hi[1])
        self.here = fft.bands_here(bands)
        together = np.random.default_rng([case.get("numbers", 0), 77])
        self.field = common.random_field(together, (bands, *wanted.shape), not wanted.gamma)
        self.fields = (4,) if fft.spinors else ()
        self.v = together.standard_normal((*self.fields, *wanted.shape))
        self.weights = together.random(bands) if case.get("weights") else None
        self.comm = comm

    def points(self, space: NDArray[Any]) -> NDArray[Any]:
        """What arrays in space have of the grid, without what lies beyond."""
        rows = self.part[1].stop - self.part[1].start
        return space[..., :rows, : self.fft.grid[0]] if space.size else space

    def in_memory(self, points: NDArray[Any]) -> NDArray[Any]:
        """The way back; beyond, there is what would be seen if it were used."""
        held = np.full((*points.shape[:-3], *self.fft.space_shape), np.nan, points.dtype)
        if held.size:
            self.points(held)[...] = points
        return held

    def arrays(self, values: NDArray[Any], dtype: str) -> NDArray[Any]:
        """Bands that may lie further apart than they are long."""
        length = int(np.prod(values.shape[1:]))
        rows = self.guard.empty((len(values), length + self.apart), dtype)
        rows[...] = 7
        inner = np.empty(values.shape[1:], dtype).strides
        made = np.lib.stride_tricks.as_strided(rows, values.shape, (rows.strides[0], *inner))
        made[...] = values
        return made

    def mine(self, box: NDArray[Any]) -> NDArray[Any]:
        """This rank's part of boxes in space."""
        return self.in_memory(box[(..., *self.part, slice(None))])

    def close(self, found: NDArray[Any], values: NDArray[Any], largest: float, what: str) -> None:
        largest = max(self.comm.allgather(largest))
        self.findings.close(found, values, largest, self.limit, what)

    def product(self) -> NDArray[Any]:
        """Of the potential and what is in space; of spinors, of a matrix and pairs of bands."""
        if not self.fields:
            return self.v * self.whole
        one, two, v12 = self.whole[::2], self.whole[1::2], self.v[2] + 1j * self.v[3]
        found = np.empty_like(self.whole)
        found[::2] = self.v[0] * one + v12 * two
        found[1::2] = v12.conj() * one + self.v[1] * two
        return found

    def density(self) -> NDArray[Any]:
        weights = np.ones(self.bands) if self.weights is None else self.weights
        if not self.fields:
            return np.einsum("b,bzyx->zyx", weights, np.abs(self.whole) ** 2)
        one, two = self.whole[::2], self.whole[1::2]
        both = one * two.conj()
        parts = np.stack([np.abs(one) ** 2, np.abs(two) ** 2, both.real, both.imag])
        return np.einsum("s,fszyx->fzyx", weights[::2], parts)

    def all(self) -> None:
        fft, wanted, findings = self.fft, self.wanted, self.findings
        c = self.arrays(self.c, self.complex)
        kept = c.copy()
        there = self.mine(self.whole[self.here])
        psi = fft.backward(c)
        self.close(self.points(psi), self.points(there), common.largest(self.whole), "backward")
        out = self.arrays(np.zeros_like(there), psi.dtype.str)
        fft.backward(c, out)
        findings.same(self.points(out), self.points(psi), "backward into an array given")
        if self.bands == 1 and not self.grouped:
            findings.same(self.points(fft.backward(c[0])), self.points(psi[0]), "backward of one band")

        space = self.arrays(self.mine(self.field[self.here]), psi.dtype.str)
        before = space.copy()
        waves = wanted.waves(self.field)
        found = self.arrays(np.zeros_like(waves), self.complex)
        fft.forward(space, out=found)
        self.close(found, waves, common.largest(waves), "forward")
        fft.forward(space, out=found, accumulate=True)
        self.close(found, 2 * waves, common.largest(waves), "forward that adds")
        findings.same(self.points(space), self.points(before), "forward's input")

        v = self.guard.copy(self.mine(self.v).astype(self.real))
        applied = wanted.waves(self.product())
        found = self.arrays(np.zeros_like(waves), self.complex)
        fft.apply(v, c, out=found)
        scale = (
            (3 if self.fields else 1)
            * common.largest(self.v)
            * common.largest(self.whole)
            * np.prod(wanted.shape) ** 0.5
            * wanted.forward_factor
        )
        self.close(found, applied, scale, "apply")
        fft.apply(v, c, out=found, accumulate=True)
        self.close(found, 2 * applied, 2 * scale, "apply that adds")

        rho = self.density()
        mine = self.points(self.mine(rho))
        found = fft.density(c, self.weights)
        self.close(self.points(found), mine, common.largest(rho), "density")
        out = self.guard.copy(np.ones((*self.fields, *fft.space_shape), self.real))
        fft.density(c, self.weights, out=out)
        self.close(self.points(out), mine + 1, common.largest(rho) + 1, "density that adds")
        self.points(out)[...] = 1
        findings.same(out, np.ones_like(out), "density beyond the points")
        findings.same(c, kept, "coefficients")
        if not wanted.gamma and not self.fields:
            turned, found = v * (0.6 - 0.8j), self.arrays(np.zeros_like(waves), self.complex)
            fft.apply(turned.astype(c.dtype), c, out=found)
            self.close(found, (0.6 - 0.8j) * applied, scale, "apply of a complex v")
        if wanted.same:
            fft.apply(v, c, out=c)
            self.close(c, applied, scale, "apply in place")
        self.guard.check(findings)
