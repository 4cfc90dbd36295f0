"""Files of users that are read: each reader begins here."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from ._errors import Error

#: No text that Weft reads comes near; memory would be taken for all of it.
_LONGEST_TEXT = 1 << 28


def require_file(path: str | os.PathLike[str], what: str = "") -> int:
    """That there is a regular file; its size. A pipe or a device may have nothing to say for ever, or never end. Error
    naming it, and what it should be."""
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        raise cannot_read(path, getattr(error, "strerror", None) or str(error), what) from None
    if not stat.S_ISREG(found.st_mode):
        kind = "it is a directory" if stat.S_ISDIR(found.st_mode) else "it is no regular file"
        raise cannot_read(path, kind, what)
    return found.st_size


def read_text(path: Path, what: str = "") -> str:
    """All of a text file."""
    size = require_file(path, what)
    if size > _LONGEST_TEXT:
        raise cannot_read(path, f"it has {size} bytes; at most {_LONGEST_TEXT} are allowed", what)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise cannot_read(path, getattr(error, "strerror", None) or str(error), what) from None


def read_json(path: Path, what: str = "") -> Any:
    """The content of a JSON file."""
    text = read_text(path, what)
    try:
        return json.loads(text)
    except ValueError as error:
        raise cannot_read(path, error, what) from None
    except RecursionError:
        raise cannot_read(path, "it is nested too deeply", what) from None


def cannot_read(path: str | os.PathLike[str], why: object, what: str = "") -> Error:
    """The error of all readers."""
    return Error(f"cannot read {what and f'the {what} '}'{printable(os.fsdecode(path))}': {why}")


def printable(text: str) -> str:
    """A name that a file or the file system gives, which need not be text."""
    return text.encode(errors="replace").decode()
