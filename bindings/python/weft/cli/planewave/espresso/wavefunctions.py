"""`wfc*.dat` and `wfc*.hdf5`: the plane-wave coefficients of all bands of one k-point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...output import CommandError
from ...reading import reading
from .fortran import Records, record_bytes
from .hdf5 import Hdf5File
from .schema import Calculation, KPoint

_HEADER = np.dtype([("k", "<i4"), ("xk", "<f8", 3), ("spin", "<i4"), ("gamma", "<i4"), ("scale", "<f8")])
_SIZES = np.dtype([("ngw", "<i4"), ("igwx", "<i4"), ("npol", "<i4"), ("nbnd", "<i4")])
_TOLERANCE = 1e-8


class WaveFunctions(ABC):
    """The bands of one k-point (and spin), of which any rank reads any coefficients."""

    path: Path
    k_point: NDArray[np.float64]
    """Cartesian, in 1 / bohr."""
    gamma: bool
    scale: float
    """What coefficients are to be multiplied by."""
    bands: int
    components: int
    reciprocal: NDArray[np.float64]
    """Rows b1, b2, b3, in 1 / bohr."""
    indices: NDArray[np.int32]
    """Miller indices (n, 3): G = sum_i indices[:, i] b_i."""

    @abstractmethod
    def read(self, band: int, which: NDArray[np.int64], out: NDArray[np.complex128]) -> None:
        """The coefficients `which` of a band."""

    def close(self) -> None:  # noqa: B027  # a memory map goes with its last reference
        """Close the file."""

    def __enter__(self) -> WaveFunctions:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _DatFile(WaveFunctions):
    def __init__(self, path: Path) -> None:
        self.path = path
        self._records = records = Records(path)
        header = records.next("the header", _HEADER)[0]
        sizes = records.next("the sizes", _SIZES)[0]
        self.k_point = np.array(header["xk"])
        self.gamma, self.scale = bool(header["gamma"]), float(header["scale"])
        self.bands, self.components = int(sizes["nbnd"]), int(sizes["npol"])
        self._count = int(sizes["igwx"])
        if min(self.bands, self._count, self.components) < 1:
            raise CommandError(f"'{path}' is damaged: it has {self.bands} bands of {self._count} plane waves")
        self.reciprocal = records.next("the reciprocal lattice", "<f8", 9).reshape(3, 3)
        self.indices = records.next("the Miller indices", "<i4", 3 * self._count).reshape(-1, 3)
        self._first = records.position
        # The length tells at once, and not after the bands before it have been transformed, that one is not there.
        length = record_bytes(16 * self.components * self._count)
        whole = max(0, records.size - self._first) // length
        if whole < self.bands:
            raise CommandError(
                f"'{path}' is damaged: it ends after {records.size} bytes, inside of band {whole + 1} of {self.bands}"
            )
        records.finish(self._first + self.bands * length)

    def read(self, band: int, which: NDArray[np.int64], out: NDArray[np.complex128]) -> None:
        count = self.components * self._count
        position = self._first + band * record_bytes(16 * count)
        np.take(self._records.at(position, f"band {band + 1}", "<c16", count), which, out=out)


class _Hdf5File(WaveFunctions):
    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = file = Hdf5File(path)
        try:
            self.k_point = np.array(file.attribute("xk"), dtype=np.float64)
            self.gamma, self.scale = file.logical("gamma_only"), float(file.attribute("scale_factor"))
            self.bands, self.components = int(file.attribute("nbnd")), int(file.attribute("npol"))
            count = int(file.attribute("igwx"))
            self.indices, self.reciprocal = file.miller_indices(count)
            self._evc = file.dataset("evc", (self.bands, 2 * self.components * count))
        except BaseException:
            file.close()
            raise

    def read(self, band: int, which: NDArray[np.int64], out: NDArray[np.complex128]) -> None:
        # HDF5 is slow at scattered elements: the band is read in one piece.
        np.take(self._evc[band].view(np.complex128), which, out=out)

    def close(self) -> None:
        self._file.close()


def open_wavefunctions(calculation: Calculation, point: KPoint, spin: int) -> WaveFunctions:
    """The wave functions of a k-point and spin (0, or 1 for down), checked against the calculation's description."""
    stem = "wfc" if calculation.spins == 1 else ("wfcup", "wfcdw")[spin]
    dat, hdf5 = (calculation.folder / f"{stem}{point.number}.{suffix}" for suffix in ("dat", "hdf5"))
    path = dat if dat.exists() else hdf5
    if not path.exists():
        raise CommandError(
            f"'{calculation.folder}' has no file {dat.name} or {hdf5.name}; pw.x writes wave functions unless "
            "disk_io is 'nowf', 'minimal' or 'none'"
        )
    with reading(path):
        file: WaveFunctions = _DatFile(path) if path == dat else _Hdf5File(path)
        try:
            _check(file, calculation, len(point.occupations[spin]))
        except BaseException:
            file.close()
            raise
    return file


def _check(file: WaveFunctions, calculation: Calculation, bands: int) -> None:
    def wrong(what: str, found: Any, wanted: Any) -> CommandError:
        return CommandError(f"'{file.path}' has {what} {found}, where the calculation of its folder has {wanted}")

    if file.components != 1:
        raise CommandError(f"'{file.path}' has {file.components} spin components (noncollinear); 1 is supported")
    if file.gamma != calculation.gamma:
        raise wrong("gamma_only", file.gamma, calculation.gamma)
    if file.bands != bands:
        raise wrong("a number of bands of", file.bands, bands)
    if not np.allclose(
        file.reciprocal, calculation.reciprocal, rtol=0, atol=_TOLERANCE * np.abs(calculation.reciprocal).max()
    ):
        raise wrong("the reciprocal lattice", file.reciprocal.tolist(), calculation.reciprocal.tolist())
    require_inside(file.path, file.indices, calculation.grid)


def require_inside(path: Path, indices: NDArray[np.int32], grid: tuple[int, int, int]) -> None:
    """Miller indices must be those of different points of the grid."""
    outside = np.any(2 * np.abs(indices) > np.array(grid), axis=1)
    if outside.any():
        first = indices[int(np.argmax(outside))].tolist()
        raise CommandError(f"'{path}' is damaged: the G-vector {first} lies outside of the grid {list(grid)}")
