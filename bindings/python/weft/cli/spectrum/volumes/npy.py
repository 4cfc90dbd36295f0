"""NumPy's .npy, memory-mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...output import CommandError
from .base import Part, SlicedVolume


class NpyVolume(SlicedVolume):
    format = "NumPy"
    suffixes = (".npy",)
    magic = b"\x93NUMPY"

    def __init__(self, path: Path, dataset: str | None) -> None:
        super().__init__(path, dataset)
        try:
            self._data: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError) as error:
            # An array without points cannot be mapped, but can be named rightly.
            if "empty file" in str(error):
                self._data = np.load(path, allow_pickle=False)
            else:
                raise CommandError(f"cannot read '{path}': {error}") from None
        self.shape = self._data.shape
        self.dtype = self._data.dtype
        if self._data.ndim == 3 and self._data.flags.f_contiguous and not self._data.flags.c_contiguous:
            self.slow_axis = 2

    def _get(self, part: Part) -> NDArray[Any]:
        return self._data[part]
