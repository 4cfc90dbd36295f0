"""Files of users: whatever goes wrong while one is read is one message that names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import weft

from .output import CommandError


@contextmanager
def reading(path: str | Path, what: str = "") -> Iterator[None]:
    """Around all that a file's content decides: what is thrown there becomes a CommandError. `what` says why, unless the
    system does."""
    try:
        yield
    except (CommandError, weft.Error, BrokenPipeError):  # which say it themselves, or are of the output
        raise
    except Exception as error:
        raise CommandError(f"cannot read '{path}': {_why(error, what)}") from None


def _why(error: Exception, what: str) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, MemoryError):
        return "there is not enough memory for what it says to hold"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    why = f"{type(error).__name__} {error}" if isinstance(error, LookupError) else str(error).strip()
    why = why.partition("\n")[0]  # what follows is advice to programmers
    return ": ".join(part for part in (what, why or type(error).__name__) if part)


def printable(text: str) -> str:
    """A name that a file or the file system gives, which need not be text."""
    return text.encode(errors="replace").decode()
