"""Distributed arrays in files: by all ranks at once, or part by part through the lowest rank."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _labels, _mpi
from ._errors import Error
from ._hdf5 import h5py, reading, reserve, writing
from ._inputs import require_file
from ._outputs import Output, cannot_write
from ._side import Side

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

#: Where a part of an array lies in the whole one, and its values.
Piece = tuple[tuple[slice, ...], NDArray[Any]]
#: Rank 0 has no more of another rank's part at a time.
_PIECE_BYTES = 64 << 20


def through_lowest(
    comm: Intracomm, pieces: Sequence[Piece], opened: Callable[[], AbstractContextManager[Callable[..., None]]]
) -> str:
    """Stores the pieces of all ranks, one after the other, with the function that `opened` gives on rank 0. Collective.

    Returns on rank 0 the message of what went wrong, if anything did, and nothing elsewhere.
    """
    if comm.Get_rank():
        comm.send(len(pieces), 0)
        for piece in pieces:
            comm.send(piece, 0)
        return ""
    message = ""

    def attempt(work: Callable[..., Any], *arguments: Any) -> Any:
        # Nothing after the first failure; but the others send whatever has happened here.
        nonlocal message
        try:
            return work(*arguments) if not message else None
        except Exception as error:
            message = getattr(error, "strerror", None) or str(error) or type(error).__name__

    files = ExitStack()
    put = attempt(lambda: files.enter_context(opened()))
    for rank in range(comm.Get_size()):
        for number in range(comm.recv(source=rank) if rank else len(pieces)):
            place, values = comm.recv(source=rank) if rank else pieces[number]
            attempt(put, place, values)
    failed, message = message, ""
    attempt(files.close)
    return failed or message


def write(
    agreement: _core.Agreement,
    path: Any,
    name: str,
    side: Side,
    x: Any,
    mode: str,
    attributes: Mapping[str, Any] | None,
) -> None:
    """A dataset of an HDF5 file from this rank's part of it; see `TwoEnds.write_input`. Collective."""
    comm = _mpi.comm_of(agreement)
    whole, place, axes = side.whole()

    def check() -> tuple[Any, str, NDArray[Any]]:
        if mode not in ("w", "a"):
            raise Error(f"mode is {mode!r}; 'w' or 'a' is needed")
        array = side.array(x.values if _labels.is_labelled(x) else x, "the array")
        return h5py(), _name(path, name), array.transpose(axes)

    module, file_name, values = _mpi.agreed(agreement, check)
    _mpi.require_same(agreement, "write_input or write_output", path=file_name, name=name, mode=mode)
    parallel = bool(module.get_config().mpi) and comm.Get_size() > 1
    output: Output | None = None

    def begin() -> str:
        nonlocal output
        there = os.path.exists(file_name)
        if there:
            require_file(file_name)
        output = Output(file_name)
        try:
            if mode == "a" and there:
                shutil.copyfile(file_name, output.beside)
            with writing(output.beside, "r+" if mode == "a" and there else "w") as file:
                if name in file:
                    del file[name]
                made = file.create_dataset(name, whole, side.dtype)
                made.attrs.update(attributes or {})
            if parallel:  # HDF5 itself writes then
                reserve(output.beside, math.prod(whole) * side.dtype.itemsize)
        except Exception as error:
            raise cannot_write(file_name, getattr(error, "strerror", None) or error) from None
        return str(output.beside)

    @contextmanager
    def opened() -> Iterator[Callable[..., None]]:
        with writing(beside, "r+") as file:
            yield file[name].__setitem__

    def at_once() -> None:
        # Ranks without points take no part in collective writing.
        together = bool(comm.allreduce(values.size > 0, _mpi.mpi().LAND))
        with module.File(beside, "r+", driver="mpio", comm=comm) as file:
            made = file[name]
            with made.collective if together else ExitStack():
                made[place] = values

    def stored() -> None:
        message = ""
        if parallel:
            try:
                at_once()
            except Exception as error:
                message = getattr(error, "strerror", None) or str(error)
        else:
            message = through_lowest(comm, list(_cut(place, values)), opened)
        agreement.raise_any(message and str(cannot_write(file_name, message)))

    try:
        beside = comm.bcast(_on_lowest(agreement, begin), 0)
        stored()
        _on_lowest(agreement, lambda: output and output.commit())
    except BaseException:
        if output is not None:
            output.discard()
        raise


def read(agreement: _core.Agreement, path: Any, name: str, side: Side, out: NDArray[Any]) -> None:
    """This rank's part of a dataset of an HDF5 file; see `TwoEnds.read_input`. Collective."""
    comm = _mpi.comm_of(agreement)
    whole, place, axes = side.whole()

    def check() -> tuple[Any, str, NDArray[Any]]:
        target = side.array(out, "out")
        if not target.flags.writeable:
            raise Error("out is read-only; a writable array is needed")
        file_name = _name(path, name)
        require_file(file_name)
        return h5py(), file_name, target.transpose(axes)

    module, file_name, target = _mpi.agreed(agreement, check)
    _mpi.require_same(agreement, "read_input or read_output", path=file_name, name=name)
    parallel = {"driver": "mpio", "comm": comm} if module.get_config().mpi and comm.Get_size() > 1 else {}

    def load() -> None:
        with reading(file_name, **parallel) as file:
            found = file.get(name)
            if not isinstance(found, module.Dataset):
                raise Error(f"'{file_name}' has no dataset '{name}'; it has {', '.join(file) or 'none'}")
            if found.shape != whole:
                raise Error(f"'{name}' in '{file_name}' has shape {found.shape}; {whole} is needed")
            if not np.can_cast(found.dtype, side.dtype, "same_kind"):
                raise Error(f"'{name}' in '{file_name}' has dtype {found.dtype}; {side.dtype} is needed")
            for part, values in _cut(place, target):
                values[...] = found[part]

    _mpi.agreed(agreement, load)


def _cut(place: tuple[slice, ...], values: NDArray[Any]) -> Iterator[Piece]:
    """Views of some megabytes, along the longest axis; none of nothing."""
    if values.size:
        axis = int(np.argmax(values.shape))
        step = max(1, _PIECE_BYTES * values.shape[axis] // values.nbytes)
        for start in range(0, values.shape[axis], step):
            stop = min(start + step, values.shape[axis])
            here = slice(place[axis].start + start, place[axis].start + stop)
            inside = (slice(None),) * axis + (slice(start, stop),)
            yield (*place[:axis], here, *place[axis + 1 :]), values[inside]


def _on_lowest(agreement: _core.Agreement, work: Callable[[], Any]) -> Any:
    return _mpi.agreed(agreement, work if agreement.rank == 0 else lambda: None)


def _name(path: Any, name: Any) -> str:
    if not isinstance(name, str) or not name.strip("/"):
        raise Error(f"name is {name!r}; the name of a dataset is needed")
    try:
        return os.fsdecode(path)
    except TypeError:
        raise Error(f"path is {path!r}; the path of a file is needed") from None
