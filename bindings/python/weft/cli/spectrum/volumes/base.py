"""The interface of a volume in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft._inputs import printable

from ...output import CommandError
from ...reading import reading

#: Called with the number of planes that have been read.
Progress = Callable[[int], None]
Part = tuple[slice, ...]

_CHUNK_BYTES = 8 << 20


class Volume(ABC):
    """A real 3-D volume in a file, of which every rank reads its own part."""

    format: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    magic: ClassVar[bytes | None] = None

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    name: str
    """What it is called in reports."""
    steps: NDArray[np.float64] | None = None
    """Row i: the vector from one grid point to the next along axis i; None if the file does not tell."""
    unit: str | None = None
    slow_axis: int = 0
    """The axis along which the file is best cut into parts."""

    def __init__(self, path: Path, dataset: str | None) -> None:
        self.path = path
        self.name = printable(path.name)

    @classmethod
    def recognises(cls, path: Path, start: bytes) -> bool:
        """Whether the file's name or first bytes are of this format."""
        if cls.magic is not None and start.startswith(cls.magic):
            return True
        return path.name.lower().endswith(cls.suffixes)

    def check(self) -> None:
        """Error unless this is a real 3-D volume with something in it."""
        if len(self.shape) != 3:
            raise CommandError(f"{self.name} has {len(self.shape)} axes, of {self.shape} points; 3 are needed")
        if min(self.shape) < 1:
            raise CommandError(f"{self.name} is empty or damaged: its shape is {self.shape}")
        if self.dtype.kind == "c":
            raise CommandError(f"{self.name} is complex ({self.dtype}); real values are needed")
        if self.dtype.kind not in "fiub":
            raise CommandError(f"{self.name} has values of type {self.dtype}; real numbers are needed")

    def require_stored(self, needed: int, stored: int) -> None:
        """Error if the file is too short for the values that its header promises: before anything is made for them."""
        if needed > stored:
            raise CommandError(
                f"'{self.path}' is damaged: {self.shape} values need {needed} bytes, and it can have at most {stored}"
            )

    def read(self, part: Part, out: NDArray[Any], progress: Progress) -> None:
        """Read a part of the volume into `out`, telling the progress in planes of `slow_axis`."""
        if out.size:
            with reading(self.path):
                self._read(part, out, progress)

    @abstractmethod
    def _read(self, part: Part, out: NDArray[Any], progress: Progress) -> None:
        """Read a part that is not empty."""

    def close(self) -> None:  # noqa: B027  # most formats keep nothing open
        """Close the file."""

    def __enter__(self) -> Volume:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class SlicedVolume(Volume):
    """A volume whose reader takes slices."""

    @abstractmethod
    def _get(self, part: Part) -> NDArray[Any]:
        """Read a part."""

    def _read(self, part: Part, out: NDArray[Any], progress: Progress) -> None:
        axis = self.slow_axis
        for planes in _chunks(part, axis, self.dtype.itemsize):
            inner = slice(planes.start - part[axis].start, planes.stop - part[axis].start)
            out[_at(axis, inner)] = self._get((*part[:axis], planes, *part[axis + 1 :]))
            progress(planes.stop - planes.start)


def _chunks(part: Part, axis: int, itemsize: int) -> Iterator[slice]:
    """Runs of planes of some megabytes."""
    plane = itemsize * int(np.prod([p.stop - p.start for i, p in enumerate(part) if i != axis], dtype=np.int64))
    step = max(1, _CHUNK_BYTES // max(1, plane))
    for start in range(part[axis].start, part[axis].stop, step):
        yield slice(start, min(start + step, part[axis].stop))


def _at(axis: int, where: slice) -> tuple[slice, ...]:
    return tuple(where if i == axis else slice(None) for i in range(3))
