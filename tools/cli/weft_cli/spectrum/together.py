"""Ranks that fail together: what goes wrong on one is said by all, and nobody waits for a rank that has given up."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from ..output import CommandError

T = TypeVar("T")


def together(comm: Any, work: Callable[[], T]) -> T:
    """Run `work`, which does not communicate, on every rank; if it fails on any, all raise the same CommandError."""
    result, message = None, None
    try:
        result = work()
    except CommandError as error:
        message = str(error)
    except MemoryError:
        message = f"rank {comm.rank} has not enough memory"
    except OSError as error:
        message = str(error)
    except Exception:
        message = f"rank {comm.rank} failed:\n{traceback.format_exc()}"
    failures = [item for item in comm.allgather(message) if item is not None]
    if failures:
        raise CommandError(failures[0])
    return result  # type: ignore[return-value]  # there was no failure
