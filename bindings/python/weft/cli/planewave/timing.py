"""Seconds of named parts of the work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Clock:
    """Adds up the time of the parts that are named."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time a part."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def longest(self, comm: Any) -> dict[str, float]:
        """Of all ranks. Collective; all of them have timed the same parts."""
        return {name: max(comm.allgather(value)) for name, value in self.seconds.items()}
