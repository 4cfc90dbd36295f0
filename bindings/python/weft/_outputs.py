"""Files that are written whole or not at all: each writer goes through here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import _core
from ._errors import Error
from ._inputs import printable


class Output:
    """A file that is written beside its path, under the name `beside`, and gets its own by `commit`, so that nobody ever sees
    half of it. What is no file (/dev/null, a pipe) is written to, and never replaced. Errors name the file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        require_name(path)
        self._replaced = self.path.is_file() or not self.path.exists()
        self.beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp") if self._replaced else self.path

    def commit(self) -> None:
        """Replace what has the name."""
        if self._replaced:
            self.beside.replace(self.path)

    def discard(self) -> None:
        """Leave nothing but what there was before."""
        if self._replaced:
            self.beside.unlink(missing_ok=True)


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The name under which to write a file; when the block ends well, the file is called `path`."""
    output = Output(path)
    try:
        yield output.beside
        output.commit()
    except BaseException as error:  # Ctrl-C, too
        output.discard()
        if not isinstance(error, OSError):
            raise
        raise cannot_write(path, error.strerror or error) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file."""
    with written(path) as beside:
        beside.write_text(text, encoding="utf-8")


def require_name(path: str | os.PathLike[str]) -> None:
    """That it is meant as the name of a file: a Path always is, text where it is no word or number that is a value of an option."""
    if isinstance(path, str) and not _core.is_file_name(path):
        why = "that is no name of a file"
        if _core.is_file_name(f"./{path}"):
            why += f"; a file of that name is './{printable(path)}'"
        raise cannot_write(path, why)


def cannot_write(path: str | os.PathLike[str], why: object) -> Error:
    """The error of all writers."""
    return Error(f"cannot write '{printable(os.fsdecode(path))}': {why}")
