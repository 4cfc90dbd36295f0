"""The meeting of mpi4py and the extension: nothing here runs, and MPI is not initialised, before a transform is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from . import _arguments, _core
from ._errors import Error

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


T = TypeVar("T")


@cache
def mpi() -> Any:
    """The module ``mpi4py.MPI``, which initialises MPI; ImportError if it uses another MPI library than weft."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError(
            f"weft needs mpi4py, built for the MPI library that weft was built with ({_first_line(_core.mpi_library())}): "
            f"python -m pip install --no-cache-dir --no-binary=mpi4py mpi4py, with MPICC set to that library's mpicc [{error}]"
        ) from error
    theirs, ours = _clean(MPI.Get_library_version()), _clean(_core.mpi_library())
    if theirs != ours:
        raise ImportError(
            f"mpi4py and weft use different MPI libraries: mpi4py calls {_first_line(theirs)}, weft calls "
            f"{_first_line(ours)}. Rebuild one of them, e.g. MPICC=<mpicc of weft's MPI> python -m pip install "
            "--force-reinstall --no-cache-dir --no-binary=mpi4py mpi4py (mpi4py's wheels choose by MPI4PY_MPIABI)"
        )
    if MPI._handleof(MPI.COMM_WORLD) != _core.comm_world():
        raise ImportError(
            f"mpi4py and weft call {_first_line(ours)} through different interfaces: one of them is made for the standard ABI of "
            "MPI, the other is not. Rebuild one of them: MPICC=mpicc_abi makes an mpi4py for the ABI, MPICC=mpicc the other"
        )
    return MPI


def _clean(text: str) -> str:
    return text.replace("\0", "").strip()


def _first_line(text: str) -> str:
    return _clean(text).splitlines()[0] if _clean(text) else "an unnamed library"


def agreement(comm: Intracomm | None) -> _core.Agreement:
    """A private copy of the communicator (MPI.COMM_WORLD for None). Collective."""
    MPI = mpi()
    if comm is None:
        comm = MPI.COMM_WORLD
    if not isinstance(comm, MPI.Comm):
        raise Error(f"comm is a {type(comm).__name__}; a communicator of mpi4py is needed, e.g. MPI.COMM_WORLD")
    return _core.Agreement(MPI._addressof(comm))


def communicator(make: Callable[[], Intracomm]) -> Intracomm:
    """The communicator that `make` makes with mpi4py; that MPI has none left is a weft.Error."""
    try:
        return make()
    except mpi().Exception as error:
        raise Error(f"MPI failed: {error}; {_core.no_communicators}") from None


def comm_of(agreement: _core.Agreement) -> Intracomm:
    """The copy itself, as mpi4py has it; it lives as long as `agreement`."""
    found: Intracomm = mpi().Intracomm()
    agreement.write(mpi()._addressof(found))
    return found


def agreed(
    agreement: _core.Agreement,
    work: Callable[[], T],
    raise_any: Callable[[str], None] | None = None,
    forward: bool | None = None,
) -> T:
    """The result of `work`; if it fails on any rank, every rank raises the message of the lowest that failed.

    `raise_any` agrees in place of the agreement itself, where what comes next on other ranks is an execution, which agrees
    as well: without a failure nothing is agreed here. Otherwise ranks that go in another direction than others, as
    `forward` says, are an error, too.
    """
    result, message = None, ""
    try:
        result = work()
    except Exception as error:
        message = _printable(str(error)) or type(error).__name__
        if agreement.size > 1:
            message += f" (rank {agreement.rank})"
    if raise_any is None:
        agreement.raise_any(message, forward)
    elif message:
        raise_any(message)
    return result  # type: ignore[return-value]  # raise_any does not return after a failure


def require_same(agreement: _core.Agreement, call: str, **arguments: Any) -> None:
    """Error on all ranks unless all have come here from the same `call` with the same arguments. Collective."""
    agreement.require_same(call, [(name, _printable(str(value))) for name, value in arguments.items()])


def _printable(text: str) -> str:
    """Names of files may have bytes that are no text, which only Python can pass on. Names that differ still differ here,
    unlike as `_inputs.printable` has them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def given(value: Any) -> str:
    """Whether an argument is there, in words."""
    return "not given" if value is None else "given"


def layout(
    agreement: _core.Agreement,
    grid: Sequence[int],
    box: Any,
    given: _core.Layout | None,
    argument: str,
    axes: int = 3,
) -> _core.Layout | None:
    """The layout that a caller gave as a whole, or by this rank's box. Collective."""
    if box is None:
        return given
    agreed(agreement, lambda: _arguments.require_whole(box, argument, grid))
    try:
        return agreement.gather_layout(grid[:3], _arguments.box(box, argument, axes))
    except Error as error:
        raise Error(f"{argument}: {error}") from None
