"""HDF5 files that are written to disks that may be full."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._errors import Error
from ._inputs import cannot_read, require_file

#: What HDF5 may want beside the values: tables of what is where.
_TABLES = 1 << 14


class Disk(io.FileIO):
    """What h5py writes to in a file's stead. HDF5 cannot close a file after a write that failed, and crashes when the process
    ends: it is never told, and whoever closes the file looks at `failure`."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        """All of it, also where the system takes less at a time."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while len(left):
                left = left[super().write(left) :]
        except OSError as error:
            self.failure = self.failure or error
        return size

    def readinto(self, buffer: Any) -> int:
        """All that there is."""
        left = memoryview(buffer).cast("B")
        size = len(left)
        while len(left) and (got := super().readinto(left)):
            left = left[got:]
        return size - len(left)

    def truncate(self, size: int | None = None) -> int:
        """A longer file needs room, too."""
        try:
            return super().truncate(size)
        except OSError as error:
            self.failure = self.failure or error
            return 0

    def check(self) -> None:
        """Raise the first failure."""
        if self.failure is not None:
            raise OSError(self.failure.errno, os.strerror(self.failure.errno or 0))


@contextmanager
def writing(path: str | os.PathLike[str], mode: str = "w", **keywords: Any) -> Iterator[Any]:
    """A file of h5py, made anew (w) or changed (r+); OSError at the end if not everything could be written."""
    with Disk(path, "r+" if mode == "r+" else "w+") as disk:
        try:
            with h5py().File(disk, mode, **keywords) as file:
                yield file
        except Exception:
            # What could not be written may be missed when it is read.
            disk.check()
            raise
        disk.check()


@contextmanager
def reading(path: str | os.PathLike[str], **keywords: Any) -> Iterator[Any]:
    """A file of h5py that is read; whatever is wrong with what it holds is an Error that names it."""
    require_file(path)
    try:
        with h5py().File(path, "r", **keywords) as file:
            yield file
    except Error:
        raise
    except Exception as error:
        raise cannot_read(path, str(error) or type(error).__name__) from None


def reserve(path: str | os.PathLike[str], size: int) -> None:
    """Ask for room for so many bytes of values behind what the file has: OSError before anything in it is changed. HDF5 cuts
    off what it does not use."""
    if not hasattr(os, "posix_fallocate"):
        return
    with open(path, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        try:
            os.posix_fallocate(file.fileno(), end, size + _TABLES)
        except OSError:
            file.truncate(end)
            raise


def h5py() -> Any:
    """The module; an error that says how to get it."""
    try:
        import h5py  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise Error(f"HDF5 files need h5py: python -m pip install h5py [{error}]") from None
    return h5py
