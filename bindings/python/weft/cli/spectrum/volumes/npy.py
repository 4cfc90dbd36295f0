"""NumPy's .npy, memory-mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Part, SlicedVolume


class NpyVolume(SlicedVolume):
    format = "NumPy"
    suffixes = (".npy",)
    magic = b"\x93NUMPY"

    def __init__(self, path: Path, dataset: str | None) -> None:
        super().__init__(path, dataset)
        try:
            # Not np.load, which takes other files, too, by what they begin with: archives, pickles. A shape may be of
            # more points than can be counted.
            with np.errstate(over="raise"):
                self._data: NDArray[Any] = np.lib.format.open_memmap(path, mode="r")
        except ValueError as error:
            # An array without points cannot be mapped, but can be named rightly.
            if "empty file" not in str(error):
                raise
            self._data = np.load(path, allow_pickle=False)
        self.shape = self._data.shape
        self.dtype = self._data.dtype
        if self._data.ndim == 3 and self._data.flags.f_contiguous and not self._data.flags.c_contiguous:
            self.slow_axis = 2

    def _get(self, part: Part) -> NDArray[Any]:
        return self._data[part]
