"""Distributed arrays in HDF5 and NetCDF files that are laid out as mpi4py-fft's are.

The lowest rank of MPI.COMM_WORLD does all that touches files, one rank's part after the other: any h5py and any netCDF4 will do,
also those built without MPI.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _mpi
from .._errors import Error
from .._files import Piece, through_lowest
from .._hdf5 import Disk, h5py, reserve, writing
from .._inputs import require_file
from .._outputs import written
from .xdmf import generate_xdmf

if TYPE_CHECKING:
    from .distarray import DistArray

__all__ = ["FileBase", "HDF5File", "NCFile", "generate_xdmf"]


class FileBase:
    """A file of snapshots of fields. Everything but `backend` is collective over MPI.COMM_WORLD.

    Parameters
    ----------
    filename : str
    domain : sequence, optional
        The grid's place in space: for each axis a pair (origin, length), or an array of coordinates. By default (0, 2 pi).

    Attributes
    ----------
    f
        The open file of h5py or netCDF4 between `open` and `close`, on the lowest rank; None elsewhere.
    """

    def __init__(self, filename: str, domain: Sequence[Any] | None, create: Callable[[], None]) -> None:
        self.filename, self.domain = filename, domain
        self.f: Any = None
        with _private() as comm:
            _on_lowest(comm, create)

    def open(self, mode: str = "r+") -> None:
        """Open the file, on the lowest rank."""
        with _private() as comm:
            _on_lowest(comm, lambda: self._open(mode))

    def close(self) -> None:
        """Close the file."""
        file, self.f = self.f, None
        if file is not None:
            self._close(file)

    def write(self, step: int, fields: Mapping[str, Sequence[Any]], as_scalar: bool = False, **kw: Any) -> None:
        """Write a snapshot.

        Parameters
        ----------
        step : int
            Its number. What the file has of it already is written over.
        fields : mapping
            From names to lists of DistArrays, or of pairs of one and a global slice: ``slice(None)`` or an integer for each
            axis of the grid.
        as_scalar : bool
            Write each component of a tensor as a field of its own: u0, u1 or u00, u01, ...
        **kw
            Taken, and not used, as in mpi4py-fft.
        """
        agreement = _mpi.agreement(None)
        for name, u, places, piece in _mpi.agreed(agreement, lambda: list(_parts(fields, as_scalar))):
            self._write(step, name, u, places, piece)

    def read(self, u: DistArray, name: str, step: int = 0, **kw: Any) -> None:
        """Read this rank's part of a snapshot of a whole field into `u`. Further keywords change nothing."""
        with _private() as comm:
            slices = comm.gather(u.local_slice(), root=0)

            def parts() -> Iterator[NDArray[Any]]:
                self._open("r")
                try:
                    stored, before = self._stored(name, u, step)
                    for place in slices:
                        yield np.asarray(stored[before + place])
                finally:
                    self.close()

            if comm.Get_rank() == 0:
                found, message = parts(), ""
                mine: Any = None
                for rank in range(comm.Get_size()):
                    part: Any = None
                    try:
                        part = next(found) if not message else None
                    except Exception as error:
                        message = f"{self.filename}: {error}"
                    if rank:
                        comm.send((message, part), rank)
                    else:
                        mine = part
            else:
                message, mine = comm.recv(source=0)
            _raise_any(comm, message)
        u[...] = mine

    @staticmethod
    def backend() -> str:
        """hdf5 or netcdf4."""
        raise NotImplementedError

    def _write(self, step: int, name: str, u: DistArray, places: Sequence[Any] | None, piece: Piece | None) -> None:
        given = [slice(None)] * u.dimensions if places is None else list(places)
        label = (
            "" if places is None else "_".join("slice" if isinstance(place, slice) else str(place) for place in given)
        )
        kept = list(range(u.rank)) + [u.rank + axis for axis, place in enumerate(given) if isinstance(place, slice)]

        @contextmanager
        def opened() -> Iterator[Callable[..., None]]:
            self._reserve(u.dtype.itemsize * math.prod(u.global_shape))
            self._open("r+")
            try:
                stored, before = self._target(name, u, step, label, kept)
                yield lambda place, values: stored.__setitem__(before + place, values)
            finally:
                self.close()

        with _private() as comm:
            message = through_lowest(comm, [] if piece is None else [piece], opened)
            _raise_any(comm, message and f"{self.filename}: {message}")

    def _domain(self, dimensions: int) -> Sequence[Any]:
        domain = ((0.0, 2 * np.pi),) * dimensions if self.domain is None else self.domain
        if len(domain) != dimensions:
            raise Error(f"domain has {len(domain)} entries; {dimensions} are needed, one for each axis")
        return domain

    def _open(self, mode: str) -> None:
        raise NotImplementedError

    def _close(self, file: Any) -> None:
        file.close()

    def _reserve(self, size: int) -> None:
        """Ask for room for so many bytes of values, before anything in the file is changed."""

    def _target(
        self, name: str, u: DistArray, step: int, label: str, kept: Sequence[int]
    ) -> tuple[Any, tuple[Any, ...]]:
        """Where a field goes, made if it is not there, and the index before those of its axes. On the lowest rank."""
        raise NotImplementedError

    def _stored(self, name: str, u: DistArray, step: int) -> tuple[Any, tuple[Any, ...]]:
        """Where a whole field is. On the lowest rank."""
        raise NotImplementedError


class HDF5File(FileBase):
    """Fields in an HDF5 file, with h5py.

    Snapshot 0 of a field u of three axes is the data set ``u/3D/0``, a slice of it ``u/2D/slice_4_slice/0``; the grid is in
    ``u/domain`` or, given as coordinates, in ``u/mesh``.

    Parameters
    ----------
    h5name : str
    domain : sequence, optional
        As for `FileBase`.
    mode : {'r', 'w', 'a'}
        Whether the file must exist, is made anew, or is kept if it exists.
    **kw
        For ``h5py.File`` where the file is made.
    """

    def __init__(self, h5name: str, domain: Sequence[Any] | None = None, mode: str = "a", **kw: Any) -> None:
        super().__init__(h5name, domain, lambda: _create_hdf5(h5name, mode, kw))

    @staticmethod
    def backend() -> str:
        """hdf5."""
        return "hdf5"

    def _open(self, mode: str) -> None:
        require_file(self.filename)
        if mode == "r":
            self.f = h5py().File(self.filename, mode)
            return
        self._disk = Disk(self.filename, "r+" if mode in ("r+", "a") else "w+")
        try:
            self.f = h5py().File(self._disk, "r+" if mode in ("r+", "a") else mode)
        except BaseException:
            self._disk.close()
            raise

    def _close(self, file: Any) -> None:
        written = file.mode != "r"
        file.close()
        if written:
            with self._disk:
                self._disk.check()

    def _reserve(self, size: int) -> None:
        reserve(self.filename, size)

    def _target(
        self, name: str, u: DistArray, step: int, label: str, kept: Sequence[int]
    ) -> tuple[Any, tuple[Any, ...]]:
        group = self.f.require_group(name)
        for key, value in (("shape", u.global_shape[u.rank :]), ("rank", u.rank)):
            if key not in group.attrs:
                group.attrs[key] = value
            elif np.any(group.attrs[key] != np.asarray(value)):
                raise Error(f"{name} has the {key} {group.attrs[key]} in the file; {value} cannot be written there")
        if "domain" not in group and "mesh" not in group:
            for axis, extent in enumerate(self._domain(u.dimensions)):
                if isinstance(extent, np.ndarray):
                    group[f"mesh/x{axis}"] = np.squeeze(extent)
                else:
                    group[f"domain/x{axis}"] = np.asarray(extent, dtype=float)
        folder = group.require_group("/".join(filter(None, (f"{len(kept) - u.rank}D", label))))
        shape = tuple(u.global_shape[axis] for axis in kept)
        return folder.require_dataset(str(step), shape, u.dtype), ()

    def _stored(self, name: str, u: DistArray, step: int) -> tuple[Any, tuple[Any, ...]]:
        return self.f[f"{name}/{u.dimensions}D/{step}"], ()


class NCFile(FileBase):
    """Fields in a NetCDF file, with netCDF4.

    A field u has the variable ``u(time, x, y, z)``, a slice of it ``u_slice_4_slice(time, x, z)``; components of tensors have
    the dimensions i and j. All fields of a file have the same snapshots. Complex fields cannot be written.

    Parameters
    ----------
    ncname, domain, mode
        As for `HDF5File`.
    clobber : bool
        Whether mode w may write over an existing file.
    **kw
        For ``netCDF4.Dataset`` where the file is made.
    """

    def __init__(
        self, ncname: str, domain: Sequence[Any] | None = None, mode: str = "a", clobber: bool = True, **kw: Any
    ) -> None:
        from netCDF4 import Dataset

        def create() -> None:
            chosen = "w" if mode == "a" and not os.path.exists(ncname) else mode
            dataset = Dataset(ncname, mode=chosen, clobber=clobber, **kw)
            if "time" not in dataset.variables:
                dataset.createDimension("time", None)
                dataset.createVariable("time", float, ("time",))
            dataset.close()

        super().__init__(ncname, domain, create)

    @staticmethod
    def backend() -> str:
        """netcdf4."""
        return "netcdf4"

    def _open(self, mode: str) -> None:
        from netCDF4 import Dataset

        self.f = Dataset(self.filename, mode=mode)

    def _target(
        self, name: str, u: DistArray, step: int, label: str, kept: Sequence[int]
    ) -> tuple[Any, tuple[Any, ...]]:
        names = list("ijk"[: u.rank]) + list("xyzrst"[: u.dimensions])
        coordinates = [np.arange(extent) for extent in u.shape[: u.rank]]
        for extent, points in zip(self._domain(u.dimensions), u.global_shape[u.rank :]):
            if isinstance(extent, np.ndarray):
                coordinates.append(np.squeeze(extent))
            else:
                coordinates.append(extent[0] + extent[1] * np.arange(points) / points)
        for dimension, values in zip(names, coordinates):
            if dimension not in self.f.dimensions:
                self.f.createDimension(dimension, len(values))
                self.f.createVariable(dimension, float, (dimension,))[:] = values
        variable = "_".join(filter(None, (name, label)))
        if variable in self.f.dimensions:
            raise Error(f"the name {variable} is that of a coordinate; another one is needed")
        if variable not in self.f.variables:
            self.f.createVariable(variable, u.dtype, ("time", *(names[axis] for axis in kept)))
        times = np.asarray(self.f.variables["time"][:])
        found = np.flatnonzero(times == step)
        index = int(found[0]) if found.size else len(times)
        self.f.variables["time"][index] = step
        return self.f.variables[variable], (index,)

    def _stored(self, name: str, u: DistArray, step: int) -> tuple[Any, tuple[Any, ...]]:
        return self.f.variables[name], (step,)


def _create_hdf5(name: str, mode: str, keywords: Mapping[str, Any]) -> None:
    """Make the file where `mode` says so; else look whether it is one."""
    there = os.path.exists(name)
    if there and mode in ("w-", "x"):
        raise Error(f"mode is {mode!r}, and '{name}' exists")
    if keywords.get("driver") is not None:
        h5py().File(name, mode, **keywords).close()
    elif mode == "w" or (not there and mode in ("a", "w-", "x")):
        if there:
            require_file(name)
        with written(name) as beside, writing(beside, "w", **keywords):
            pass
    else:
        require_file(name)
        h5py().File(name, "r" if mode == "r" else "r+", **keywords).close()


def _parts(
    fields: Mapping[str, Sequence[Any]], as_scalar: bool
) -> Iterator[tuple[str, DistArray, Sequence[Any] | None, Piece | None]]:
    """What is to be written: name, array, global slice, and what this rank has of it."""
    for name, given in fields.items():
        if not isinstance(name, str) or not isinstance(given, (list, tuple)):
            raise Error(f"fields has {name!r}: {type(given).__name__}; a name and a list are needed")
        for item in given:
            field, places = item if isinstance(item, (list, tuple)) else (item, None)
            if places is not None and not isinstance(places, (tuple, list)):
                raise Error(f"the slice is {places!r}; a sequence of slice(None) and integers is needed")
            for component in np.ndindex(field.shape[: field.rank]) if as_scalar else [()]:
                # Subclasses index by what mpi4py-fft gives them: u[k] or u[k, l].
                u = field[component if len(component) > 1 else component[0]] if component else field
                everywhere = [slice(None)] * (u.rank + (u.dimensions if places is None else 0))
                piece = u.part_of([*everywhere, *(places or ())])
                yield name + "".join(map(str, component)), u, places, piece


def named(filename: str | FileBase, mode: str, domain: Sequence[Any] | None) -> FileBase:
    """A file by its name, whose ending tells the format; or the file object itself."""
    if isinstance(filename, FileBase):
        return filename
    if not isinstance(filename, str):
        raise Error(f"filename is {filename!r}; a string, an HDF5File or an NCFile is needed")
    return (HDF5File if filename.endswith(".h5") else NCFile)(filename, domain=domain, mode=mode)


@contextmanager
def _private() -> Iterator[Any]:
    """A communicator of all ranks on which nobody else's messages are."""
    comm = _mpi.communicator(_mpi.mpi().COMM_WORLD.Dup)
    try:
        yield comm
    finally:
        comm.Free()


def _on_lowest(comm: Any, work: Callable[[], None]) -> None:
    message = ""
    if comm.Get_rank() == 0:
        try:
            work()
        except Exception as error:
            message = str(error) or type(error).__name__
    _raise_any(comm, message)


def _raise_any(comm: Any, message: str) -> None:
    """Raise what the lowest rank met on all."""
    message = comm.bcast(message, root=0)
    if message:
        raise Error(message)
