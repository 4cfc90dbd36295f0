"""The charge density of a Quantum ESPRESSO calculation, computed with Weft on every rank and compared with its own.

With the plane-wave coefficients c(G) of the bands b of the k-points k, whose squares sum up to 1,

    psi_kb(r) = sum_G c_kb(G) exp(i G r)
    rho(r) = 1/V sum_kb w_k f_kb |psi_kb(r)|^2
    rho(G) = 1/N sum_r rho(r) exp(-i G r)

where V is the volume of the cell, w_k the weight of a k-point, f_kb the occupation of a band and N the number of grid points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import weft

from ..output import CommandError
from ..progress import Stages
from ..reading import reading
from ..together import together
from .espresso import Calculation, Charge, KPoint, WaveFunctions, open_charge, open_wavefunctions
from .sticks import columns_of, share
from .timing import Clock

#: Coefficients that are read before they are transformed: as many bands as fit, on each rank.
_BATCH_BYTES = 64 << 20


@dataclass(frozen=True)
class Difference:
    """Of a density rho from Quantum ESPRESSO's, on all G-vectors of its list."""

    name: str
    relative: float
    """The 2-norm of the difference over that of Quantum ESPRESSO's density."""
    largest: float
    """The largest difference, over the largest value of Quantum ESPRESSO's density."""
    integral: float
    """Over the cell: rho(G=0) times the volume."""


@dataclass
class Result:
    """What was found; the same on all ranks."""

    differences: list[Difference]
    """Of the density, and with collinear spin of the magnetisation."""
    states: int
    """Bands of all k-points that are not empty, and so were transformed."""
    plane_waves: tuple[int, int]
    """Fewest and most of a k-point."""
    columns: int
    """Most of a k-point."""
    shares: tuple[int, int]
    """Fewest and most plane waves of a rank, at the last k-point."""
    seconds: dict[str, float]
    plan: str


def compare(
    comm: Any, calculation: Calculation, precision: str, batch: int | None, options: dict[str, Any], stages: Stages
) -> Result:
    """Compute the density and compare it. Collective."""
    work = _Density(comm, calculation, precision, batch, options)
    states = sum(int(np.count_nonzero(f)) for point in calculation.k_points for f in point.occupations)
    with stages.stage("transforming bands", states) as advance:
        for point in calculation.k_points:
            for spin in range(calculation.spins):
                work.add(point, spin, advance)
    with stages.stage("comparing"):
        differences = work.differences()
    return Result(
        differences=differences,
        states=states,
        plane_waves=(min(work.plane_waves), max(work.plane_waves)),
        columns=work.columns,
        shares=work.shares,
        seconds=work.clock.longest(comm),
        plan=work.plan,
    )


class _Density:
    """The part of the density, in space, that this rank has."""

    def __init__(
        self, comm: Any, calculation: Calculation, precision: str, batch: int | None, options: dict[str, Any]
    ) -> None:
        self.comm, self.calculation = comm, calculation
        self.precision, self.batch, self.options = precision, batch, options
        self.clock = Clock()
        self.rho: list[NDArray[Any]] = []
        self.box: tuple[Any, Any] | None = None
        self.plane_waves: list[int] = []
        self.columns = 0
        self.shares = (0, 0)
        self.plan = ""

    def add(self, point: KPoint, spin: int, advance: Any) -> None:
        """Add the bands of a k-point."""
        comm, calculation = self.comm, self.calculation
        with self.clock("read"):
            file = together(comm, lambda: open_wavefunctions(calculation, point, spin))
        with file:
            mine = share(file.indices, calculation.grid, comm.size, comm.rank)
            self._count(file, mine)
            bands = np.flatnonzero(point.occupations[spin])
            weights = point.weight * point.occupations[spin][bands] * file.scale**2 / calculation.volume
            batch = self._bands_at_once(len(mine), len(bands))
            with self.clock("plan"):
                fft = weft.SphereFFT(
                    calculation.grid,
                    np.ascontiguousarray(file.indices[mine]),
                    comm,
                    gamma=calculation.gamma,
                    precision=self.precision,
                    howmany=batch,
                    **self.options,
                )
            with fft:
                self._prepare(fft)
                c = np.empty((batch, len(mine)), np.complex128)
                for start in range(0, len(bands), batch):
                    some = bands[start : start + batch]
                    with self.clock("read"):
                        together(comm, partial(_read, file, some, mine, c))
                    with self.clock("density"):
                        waves = c[: len(some)].astype(self._complex, copy=False)
                        fft.density(waves, weights[start : start + batch], out=self.rho[spin])
                    advance(len(some))

    @property
    def _complex(self) -> Any:
        return np.complex128 if self.precision == "double" else np.complex64

    def _bands_at_once(self, waves: int, bands: int) -> int:
        if self.batch is not None:
            return max(1, min(self.batch, bands))
        largest = max(self.comm.allgather(waves))
        return max(1, min(bands, _BATCH_BYTES // (16 * max(1, largest))))

    def _count(self, file: WaveFunctions, mine: NDArray[np.int64]) -> None:
        self.plane_waves.append(len(file.indices))
        self.columns = max(self.columns, len(np.unique(columns_of(file.indices, self.calculation.grid))))
        counts = self.comm.allgather(len(mine))
        self.shares = (min(counts), max(counts))

    def _prepare(self, fft: Any) -> None:
        """The density's array, once it is known which part of space is this rank's: the same at every k-point."""
        box = tuple(tuple(int(i) for i in corner) for corner in fft.space_box)
        if self.box is None:
            self.box = (box[0], box[1])
            real = np.float64 if self.precision == "double" else np.float32
            self.rho = [np.zeros(fft.space_shape, real) for _ in range(self.calculation.spins)]
            self.plan = fft.plan.explain()
        elif self.box != box:
            raise CommandError(
                f"rank {self.comm.rank} has the part {box} of space at one k-point and {self.box} at another"
            )

    def differences(self) -> list[Difference]:
        """Compare with Quantum ESPRESSO's density, after a transform of the box without any zeroes."""
        comm, calculation = self.comm, self.calculation
        names, fields = ["density"], self.rho
        if calculation.spins == 2:
            up, down = self.rho
            names, fields = ["density", "magnetisation"], [up + down, up - down]
        with self.clock("read"):
            charge = together(comm, lambda: open_charge(calculation))
        out = []
        box, fields = self._once(fields)
        with weft.FFT(
            calculation.grid[::-1],
            comm,
            kind="r2c",
            precision=self.precision,
            normalization="forward",
            input_box=box,
            effort="estimate",
        ) as fft:
            which, place, conjugate = _wanted(charge.indices, calculation.grid, fft.output_slice)
            for name, field, theirs in zip(names, fields, charge.components):
                with self.clock("transform of rho"):
                    spectrum = fft.forward(field if field.size else fft.empty_input())
                ours = spectrum[place].astype(np.complex128)
                np.conjugate(ours, out=ours, where=conjugate)
                out.append(self._difference(name, ours - theirs[which], ours, which, charge))
        return out

    def _once(self, fields: list[NDArray[Any]]) -> tuple[Any, list[NDArray[Any]]]:
        """Every part of space on one rank only: with the option `groups` each group of ranks has all of space."""
        before = self.comm.allgather(self.box)[: self.comm.rank]
        if fields[0].size and self.box not in before:
            return self.box, fields
        return ((0, 0, 0), (0, 0, 0)), [field[:0, :0, :0] for field in fields]

    def _difference(
        self,
        name: str,
        difference: NDArray[np.complex128],
        ours: NDArray[np.complex128],
        which: NDArray[np.int64],
        charge: Charge,
    ) -> Difference:
        comm, calculation = self.comm, self.calculation
        # The magnetisation may be zero, the density is not.
        scale = np.abs(charge.components[0][which])
        origin = ours[~charge.indices[which].any(axis=1)].real.sum()
        sums = np.array([np.linalg.norm(difference) ** 2, np.linalg.norm(scale) ** 2, origin, len(which)])
        comm.Allreduce(sums.copy(), sums)
        largest = [max(comm.allgather(float(x.max(initial=0)))) for x in (np.abs(difference), scale)]
        if sums[3] != len(charge.indices):
            raise CommandError(f"{sums[3]:.0f} of the {len(charge.indices)} G-vectors of '{charge.path}' were found")
        if not np.isfinite(sums).all():
            raise CommandError(f"the {name} of '{calculation.folder}' has values that are NaN or infinite")
        if not sums[1] > 0:
            raise CommandError(f"'{charge.path}' is damaged: all of its values are zero")
        return Difference(
            name,
            relative=float(np.sqrt(sums[0] / sums[1])),
            largest=largest[0] / largest[1],
            integral=float(sums[2]) * calculation.volume,
        )


def _read(file: WaveFunctions, bands: NDArray[np.int64], mine: NDArray[np.int64], out: NDArray[np.complex128]) -> None:
    with reading(file.path):
        for row, band in enumerate(bands):
            file.read(int(band), mine, out[row])


def _wanted(
    indices: NDArray[np.int32], grid: tuple[int, int, int], part: tuple[slice, ...]
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], ...], NDArray[np.bool_]]:
    """Which G-vectors of the list lie in this rank's part of a half spectrum, where there (z, y, x), and whether as their
    opposite, of which they are the conjugate: the half has 0 <= x <= nx / 2."""
    conjugate = indices[:, 0] < 0
    signed = np.where(conjugate[:, None], -indices, indices).astype(np.int64)
    place = [signed[:, axis] % grid[axis] for axis in (2, 1, 0)]
    inside = np.ones(len(indices), bool)
    for at, s in zip(place, part):
        inside &= (s.start <= at) & (at < s.stop)
    which = np.flatnonzero(inside)
    return which, tuple(at[which] - s.start for at, s in zip(place, part)), conjugate[which]
