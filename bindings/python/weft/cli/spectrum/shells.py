"""Power in shells of equal |k|.

The field is x = sum over all wave vectors k of y(k) / N * exp(2 pi i k r), so |y|^2 / N^2 is the part of the mean square
of x that one wave vector carries, and all shells together carry the mean square (Parseval).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK_MODES = 1 << 20
#: Of a few grid points that are very differently far apart.
_MOST_SHELLS = 1 << 22


@dataclass(frozen=True)
class Spectrum:
    """One row a shell; empty shells are left out."""

    shell: NDArray[np.int64]
    k: NDArray[np.float64]
    """Mean |k| of the wave vectors of the shell."""
    modes: NDArray[np.int64]
    """Wave vectors, of the whole spectrum."""
    power: NDArray[np.float64]
    """The shell's part of the mean square of the field."""
    physical: bool
    """Whether k is 2 pi / length; otherwise it counts periods of the box."""
    width: float
    """Of the shells."""
    nyquist: float
    """The largest |k| of which all directions are there."""
    whole: NDArray[np.bool_]
    """Shells of which all wave vectors are there. The others are cut by the faces of the box of wave vectors; of the last,
    only a corner is there."""
    volume: float | None
    """Of the cell; None: not known."""

    @property
    def pictured(self) -> NDArray[np.bool_]:
        """What pictures show: shells with power beyond k = 0, those that the box cuts only where there are no two others."""
        there = (self.k > 0) & (self.mean_power > 0)
        whole = there & self.whole
        return whole if np.count_nonzero(whole) > 1 else there

    @property
    def density(self) -> NDArray[np.float64] | None:
        """P(k), the power spectrum of cosmology: V |y|^2 / N^2 of one wave vector, on average. It does not depend on the
        box or the grid. None without a volume, or where numbers of it are too large."""
        if self.volume is None:
            return None
        with np.errstate(over="ignore"):
            found = self.volume * self.mean_power
        return found if np.isfinite(found).all() else None

    @property
    def mean_power(self) -> NDArray[np.float64]:
        """Power of one wave vector, on average."""
        return self.power / self.modes


@dataclass(frozen=True)
class Metric:
    """|k|^2 = m^T G m for the integer wave numbers m."""

    matrix: NDArray[np.float64]
    width: float
    reciprocal: NDArray[np.float64]
    """Rows b0, b1, b2."""
    physical: bool

    @staticmethod
    def integer() -> Metric:
        """|k| in periods of the box, whatever the lengths of its edges."""
        return Metric(np.eye(3), 1.0, np.eye(3), False)

    @staticmethod
    def of_cell(shape: tuple[int, ...], steps: NDArray[np.float64]) -> Metric:
        """|k| = 2 pi / wavelength in a cell, right-angled or not, spanned by n_i * steps[i]. ArithmeticError if the numbers
        leave the range of floating point, or there would be far more shells than wave vectors."""
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            cell = steps * np.asarray(shape, dtype=np.float64)[:, None]
            reciprocal = 2 * np.pi * np.linalg.inv(cell).T
            matrix = reciprocal @ reciprocal.T
            # As wide as the smallest wave vector along an axis that has any: no shell below it would be filled.
            lengths = [np.sqrt(matrix[axis, axis]) for axis in range(3) if shape[axis] > 1]
            width = float(min(lengths) if lengths else np.sqrt(matrix.diagonal().min()))
            metric = Metric(matrix, width, reciprocal, True)
            if not (width < math.inf and metric.shells(shape) <= max(_MOST_SHELLS, math.prod(shape))):
                raise FloatingPointError
        return metric

    def shells(self, shape: tuple[int, ...]) -> int:
        """More than the number of the last shell."""
        corner = np.array([n // 2 for n in shape], dtype=np.float64)
        largest = np.abs(corner) @ np.abs(self.matrix) @ np.abs(corner)
        return int(float(np.sqrt(largest)) / self.width) + 2

    def nearest(self, numbers: Sequence[int], shape: tuple[int, ...]) -> float:
        """The smallest distance from the centre of the planes with these wave numbers, over axes that have any."""
        inverse = np.linalg.inv(self.reciprocal)
        planes = [n / np.linalg.norm(inverse[:, axis]) for axis, n in enumerate(numbers) if shape[axis] > 1]
        return float(min(planes)) if planes else 0.0

    def nyquist(self, shape: tuple[int, ...]) -> float:
        """The largest |k| of which all directions are there."""
        return self.nearest([n // 2 for n in shape], shape)

    def whole(self, shell: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Of which shells all wave vectors are there: those within the planes of the first that are not."""
        missing = self.nearest([(n + 1) // 2 for n in shape], shape)
        found: NDArray[np.bool_] = (shell == 0) | ((shell + 0.5) * self.width <= missing)
        return found


def shell_power(
    comm: Any,
    spectrum: NDArray[Any],
    wavenumbers: tuple[NDArray[Any], ...],
    shape: tuple[int, ...],
    metric: Metric,
    volume: float | None = None,
) -> Spectrum:
    """Sum a half spectrum, of which each rank has a part, into shells. Collective."""
    k0, k1, k2 = (k.ravel().astype(np.float64) for k in wavenumbers)
    count = metric.shells(shape)
    power, modes, distance = np.zeros(count), np.zeros(count), np.zeros(count)
    # Of the half spectrum each plane stands for its mirror image too, except those that are their own.
    own_image = (k2 == 0) | ((shape[2] % 2 == 0) & (k2 == shape[2] // 2))
    weight = np.where(own_image, 1.0, 2.0)
    scale = 1.0 / float(np.prod(shape, dtype=np.float64)) ** 2
    g = metric.matrix
    step = max(1, _CHUNK_MODES // max(1, k1.size * k2.size))
    for start in range(0, k0.size if spectrum.size else 0, step):
        a = k0[start : start + step, None, None]
        b, c = k1[None, :, None], k2[None, None, :]
        square = g[0, 0] * a * a + g[1, 1] * b * b + g[2, 2] * c * c
        square += 2 * (g[0, 1] * a * b + g[0, 2] * a * c + g[1, 2] * b * c)
        k = np.sqrt(np.maximum(square, 0.0))
        shell = np.rint(k / metric.width).astype(np.int64).ravel()
        weights = np.broadcast_to(weight, k.shape).ravel()
        y = spectrum[start : start + step]
        squares = (y.real.astype(np.float64) ** 2 + y.imag.astype(np.float64) ** 2).ravel()
        power += np.bincount(shell, weights * squares, count)[:count]
        modes += np.bincount(shell, weights, count)[:count]
        distance += np.bincount(shell, weights * k.ravel(), count)[:count]
    sums = np.empty((3, count))
    comm.Allreduce(np.stack([power * scale, modes, distance]), sums)
    power, modes, distance = sums
    there = modes > 0
    return Spectrum(
        shell=(shells := np.flatnonzero(there)),
        k=distance[there] / modes[there],
        modes=np.rint(modes[there]).astype(np.int64),
        power=power[there],
        physical=metric.physical,
        width=metric.width,
        nyquist=metric.nyquist(shape),
        whole=metric.whole(shells, shape),
        volume=volume,
    )
