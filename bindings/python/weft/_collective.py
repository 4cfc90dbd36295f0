"""What everything that is bound to a communicator has in common: its end."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from . import _core
from ._errors import Error

if TYPE_CHECKING:
    from types import TracebackType


@atexit.register
def _program_ends() -> None:
    # What the program still has goes after this. An exception that nobody caught lets the others wait elsewhere; and
    # `python -m mpi4py` ends the job only when all is gone.
    _core.program_ends(getattr(sys, "last_value", None) is not None)


class _Traced(Protocol):
    def drop_trace(self) -> None: ...


Bound = TypeVar("Bound", bound=_Traced)
Self = TypeVar("Self", bound="Collective")  # type: ignore[type-arg]  # of any Bound


class Collective(Generic[Bound]):
    """An object of the library and the communicator that it is used on; None before both are there, and once closed."""

    _held: tuple[Bound, _core.Agreement] | None = None

    def close(self) -> None:
        """Release memory and communicators. Collective; may be called again."""
        self._held = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._held is not None:
            # The others may be elsewhere: no trace can be gathered from them, and no window closed with them.
            self._held[0].drop_trace()
        self.close()

    def _alive(self) -> tuple[Bound, _core.Agreement]:
        if self._held is None:
            raise Error(f"this {type(self).__name__} is closed")
        return self._held
