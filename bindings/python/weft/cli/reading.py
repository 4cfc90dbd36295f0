"""Files of users: whatever goes wrong while one is read is one message that names it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import weft
from weft._inputs import printable

from .output import CommandError


@contextmanager
def reading(path: str | Path, what: str = "") -> Iterator[None]:
    """Around all that a file's content decides: what is thrown there becomes a CommandError. `what` says why, unless the
    system does."""
    try:
        yield
    except (CommandError, weft.Error):  # which say it themselves
        raise
    except OSError as error:
        if error.filename is None and error.errno in (errno.EPIPE, errno.ENOSPC):  # of the output
            raise
        raise CommandError(f"cannot read '{printable(str(path))}': {_why(error, what)}") from None
    except Exception as error:
        raise CommandError(f"cannot read '{printable(str(path))}': {_why(error, what)}") from None


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
