"""Fortran's unformatted sequential files: records between two markers that hold their length in bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._inputs import require_file

from ...output import CommandError

MARKER = 4


class Records:
    """The records of a file, mapped into memory: only what is looked at is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = require_file(path)
        self._bytes = np.memmap(path, np.uint8, "r") if self.size else np.empty(0, np.uint8)
        self.position = 0

    def next(self, what: str, dtype: Any, count: int = 1) -> NDArray[Any]:
        """The next record, which must be `count` elements of `dtype`."""
        found = self.at(self.position, what, dtype, count)
        self.position += found.nbytes + 2 * MARKER
        return found

    def at(self, position: int, what: str, dtype: Any, count: int) -> NDArray[Any]:
        """The record that begins at a position, which must be `count` elements of `dtype`."""
        dtype = np.dtype(dtype)
        length = count * dtype.itemsize
        data = position + MARKER
        if self.size < data + length + MARKER:
            self._fail(f"it ends after {self.size} bytes, inside of {what} ({length} bytes from byte {data} on)")
        for marker in (position, data + length):
            found = int(self._bytes[marker : marker + MARKER].view("<i4")[0])
            if found != length:
                self._fail(f"the record marker of {what}, at byte {marker}, says {found} bytes, not {length}")
        return self._bytes[data : data + length].view(dtype)

    def finish(self, end: int) -> None:
        """Complain unless the file ends here."""
        if self.size > end:
            self._fail(f"it has {self.size} bytes, {self.size - end} more than its header says")

    def _fail(self, why: str) -> None:
        raise CommandError(
            f"'{self.path}' is damaged, or not little-endian with record markers of {MARKER} bytes: {why}"
        )


def record_bytes(length: int) -> int:
    """What a record of so many bytes takes in a file."""
    return length + 2 * MARKER
