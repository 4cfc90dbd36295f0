"""HDF5, every rank its own hyperslab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._inputs import printable

from ...output import CommandError
from .base import Part, SlicedVolume

#: Attributes that microscopy and simulation programs give the distance of grid points in, along axes 0, 1, 2.
_SPACING_ATTRIBUTES = (("spacing", None), ("voxel_size", None), ("element_size_um", "um"))


class HDF5Volume(SlicedVolume):
    format = "HDF5"
    suffixes = (".h5", ".hdf5", ".hdf", ".he5")
    magic = b"\x89HDF\r\n\x1a\n"

    def __init__(self, path: Path, dataset: str | None) -> None:
        super().__init__(path, dataset)
        try:
            import h5py  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise CommandError("reading HDF5 needs h5py: python -m pip install h5py") from None
        self._file = h5py.File(path, "r")
        try:
            self._data = self._find(h5py, dataset)
            self.name = printable(f"{path.name}:{self._data.name}")
            self.shape = self._data.shape
            self.dtype = self._data.dtype
            self._read_spacing()
        except BaseException:
            self._file.close()
            raise

    def _find(self, h5py: Any, dataset: str | None) -> Any:
        found: list[Any] = []
        self._file.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        listing = printable(", ".join(f"{item.name} {item.shape}" for item in found)) or "none"
        if dataset is not None:
            item = self._file.get(dataset)
            if not isinstance(item, h5py.Dataset):
                raise CommandError(f"--dataset is '{dataset}'; the datasets of '{self.path}' are {listing}")
        else:
            volumes = [item for item in found if item.shape is not None and len(item.shape) == 3]
            if len(volumes) != 1:
                raise CommandError(
                    f"'{self.path}' has {len(volumes)} datasets of three axes; choose one with --dataset: {listing}"
                )
            item = volumes[0]
        if item.shape is None:
            raise CommandError(f"the dataset {item.name} of '{self.path}' is empty")
        return item

    def _read_spacing(self) -> None:
        for name, unit in _SPACING_ATTRIBUTES:
            if name not in self._data.attrs:
                continue
            try:
                values = np.broadcast_to(np.asarray(self._data.attrs[name], dtype=np.float64), 3)
            except (TypeError, ValueError):
                continue
            if (values > 0).all() and np.isfinite(values).all():
                self.steps = np.diag(values)
                self.unit = unit
                return

    def _get(self, part: Part) -> NDArray[Any]:
        found: NDArray[Any] = self._data[part]
        return found

    def close(self) -> None:
        self._file.close()
