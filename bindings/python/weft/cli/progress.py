"""Progress bars on rank 0's standard error, for work that takes long enough to be watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .output import console


class Stages:
    """The stages of a job, one line each. Only a terminal is drawn on, and only by rank 0."""

    def __init__(self, shown: bool) -> None:
        screen = console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=screen,
            transient=True,
            disable=not shown or not screen.is_terminal,
        )

    @contextmanager
    def stage(self, description: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """A stage of known length, or of unknown (None)."""
        task = self._progress.add_task(description, total=total)
        yield lambda count: self._progress.advance(task, count)
        self._progress.update(task, total=total or 1, completed=total or 1)

    def __enter__(self) -> Stages:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
