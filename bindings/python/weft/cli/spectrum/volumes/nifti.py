"""NIfTI (and Analyze) through nibabel, every rank its own slices."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._inputs import require_file

from ...output import CommandError
from .base import Part, SlicedVolume

#: Bytes that one compressed byte can stand for.
_MOST_DEFLATED = 1032


class NiftiVolume(SlicedVolume):
    format = "NIfTI"
    suffixes = (".nii", ".nii.gz", ".hdr", ".img", ".img.gz")
    # Such files have axis 0 the fastest: whole planes of axis 2 are what a rank can read without its neighbours'. A
    # compressed file is a stream, which each rank reads as far as its last plane.
    slow_axis = 2

    def __init__(self, path: Path, dataset: str | None) -> None:
        super().__init__(path, dataset)
        try:
            import nibabel
        except ImportError:
            raise CommandError("reading NIfTI needs nibabel: python -m pip install nibabel") from None
        # One open file for all planes: a compressed one would be read from its start for each otherwise.
        image: Any = nibabel.load(path, keep_file_open=True)
        self._image = image
        self.dtype = np.dtype(self._image.get_data_dtype())
        shape = tuple(int(n) for n in self._image.shape)
        # Volumes are often stored with further axes of one point.
        self._trailing = len(shape) - 3 if len(shape) > 3 and all(n == 1 for n in shape[3:]) else 0
        self.shape = shape[:3] if self._trailing else shape
        self._require_values()
        zooms = np.asarray(self._image.header.get_zooms()[:3], dtype=np.float64)
        if len(zooms) == 3 and (zooms > 0).all() and np.isfinite(zooms).all():
            self.steps = np.diag(zooms)
            self.unit = self._unit()

    def _unit(self) -> str | None:
        try:
            unit = str(self._image.header.get_xyzt_units()[0])
        except (AttributeError, KeyError):
            return None
        return {"micron": "um", "meter": "m", "unknown": None}.get(unit, unit)

    def _require_values(self) -> None:
        values = Path(self._image.file_map["image"].filename or self.path)
        offset = int(self._image.dataobj.offset)
        if offset < 0:
            raise CommandError(f"'{self.path}' is damaged: its values begin at byte {offset}")
        stored = require_file(values) * (_MOST_DEFLATED if values.suffix == ".gz" else 1)
        self.require_stored(offset + self.dtype.itemsize * math.prod(self.shape), stored)

    def _get(self, part: Part) -> NDArray[Any]:
        return np.asarray(self._image.dataobj[(*part, *[0] * self._trailing)])
