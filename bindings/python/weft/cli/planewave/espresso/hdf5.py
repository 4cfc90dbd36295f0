"""The HDF5 files that Quantum ESPRESSO writes where it is built with HDF5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._inputs import require_file

from ...output import CommandError


class Hdf5File:
    """An HDF5 file whose datasets and attributes must be there and have the right sizes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            import h5py  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise CommandError("reading HDF5 needs h5py: python -m pip install h5py") from None
        require_file(path)
        self._file = h5py.File(path, "r")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def attribute(self, name: str) -> Any:
        """An attribute of the file itself."""
        if name not in self._file.attrs:
            raise CommandError(f"'{self.path}' is damaged: it has no attribute {name}")
        return self._file.attrs[name]

    def logical(self, name: str) -> bool:
        """Fortran's logical constants, as text."""
        text = self.attribute(name)
        return "TRUE" in (text.decode() if isinstance(text, bytes) else str(text)).upper()

    def dataset(self, name: str, shape: tuple[int, ...]) -> Any:
        """A dataset of a certain shape."""
        found = self._file.get(name)
        if found is None:
            raise CommandError(f"'{self.path}' is damaged: it has no dataset {name}")
        if getattr(found, "shape", None) != shape:
            raise CommandError(
                f"'{self.path}' is damaged: its dataset {name} has the shape {found.shape}, where {shape} is needed"
            )
        return found

    def miller_indices(self, count: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The Miller indices (count, 3), and the rows b1, b2, b3."""
        data = self.dataset("MillerIndices", (count, 3))
        missing = [name for name in ("bg1", "bg2", "bg3") if name not in data.attrs]
        if missing:
            raise CommandError(f"'{self.path}' is damaged: its dataset MillerIndices has no attribute {missing[0]}")
        rows = np.array([data.attrs[name] for name in ("bg1", "bg2", "bg3")], dtype=np.float64)
        return data[...], rows
