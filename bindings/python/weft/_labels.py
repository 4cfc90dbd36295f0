"""Arrays with names and coordinates, xarray's: positions become wave numbers on the way to the spectrum, and come back.

xarray is not imported before somebody who has it gives one of its arrays, or asks for one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._errors import Error

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm
    from xarray import DataArray  # type: ignore[import-not-found,unused-ignore]

#: Before the name of a dimension in space, the name that it has in the spectrum.
PREFIX = "k_"
#: The attribute of wave numbers in which this rank's positions are kept for the way back, bit by bit: xarray compares so.
POSITIONS = "positions"
#: Coordinates may differ so much from evenly spaced ones, in units of their distance.
TOLERANCE = 1e-3
#: In place of an error, to ranks that have no labels: some rank has.
HERE = "some ranks have arrays with labels"

#: Places and values of two points of an axis, the first and the last; empty where a rank has none.
_Two = tuple[float, ...]


class Line(NamedTuple):
    """An axis of the grid."""

    points: int
    """In space."""
    modes: int
    halved: bool
    space: slice
    """This rank's part."""
    spectrum: slice

    def places(self, spectrum: bool) -> NDArray[np.int64]:
        """The indices, or the signed wave numbers, of this rank's part."""
        if spectrum:
            return wave_integers(self.spectrum, self.modes, self.halved)
        return np.arange(self.space.start, self.space.stop)


class End(NamedTuple):
    """One end of a transform, as labels see it."""

    spectrum: bool
    lines: tuple[Line, ...]
    order: tuple[int, ...]
    """The axes of the grid, as arrays have them."""
    batch: int | None
    """The place in arrays of an axis that is none of the grid's."""


class Seen(NamedTuple):
    """What a rank knows of an axis."""

    name: str
    """In space."""
    bare: bool
    """Without coordinates."""
    two: _Two
    kept: _Two
    """The same of the positions that a spectrum's coordinate remembers."""


class Label(NamedTuple):
    """What all ranks know of an axis then."""

    name: str
    bare: bool
    origin: float
    length: float
    """Of the periodic box; 0 if it is unknown, of one point."""
    kept: bool
    """Whether the positions that a spectrum's coordinate remembers are true."""


def is_labelled(x: Any) -> bool:
    """Whether this is an array of xarray; False where nobody has imported that."""
    return isinstance(x, getattr(sys.modules.get("xarray"), "DataArray", ()))


def wave_integers(part: slice, modes: int, halved: bool) -> NDArray[np.int64]:
    """The signed wave numbers of a part of an axis."""
    k = np.arange(part.start, part.stop, dtype=np.int64)
    if not halved:
        k[k > (modes - 1) // 2] -= modes
    return k


def agreed(comm: Intracomm, x: Any, argument: str, end: End) -> tuple[Label, ...]:
    """What the arrays of all ranks say of each axis of the grid, of which at least one is of xarray. Collective; Error, the
    same on all, where they contradict each other."""
    found, message = None, ""
    if is_labelled(x):
        try:
            found = _seen(x, argument, end)
        except Exception as error:
            message = str(error) or type(error).__name__
    return _joined(comm.allgather((message, found)), argument, end)


def _seen(x: DataArray, argument: str, end: End) -> tuple[Seen, ...]:
    """What this rank's array says of each axis of the grid; Error if it does not fit or contradicts itself."""
    wanted = [len(end.lines[axis].places(end.spectrum)) for axis in end.order]
    dims = list(x.dims)
    if end.batch is not None and x.ndim > len(wanted):
        wanted.insert(end.batch, x.shape[end.batch])
        del dims[end.batch]
    if list(x.shape) != wanted:
        raise Error(f"{argument} has shape {x.shape}; {tuple(wanted)} is needed: this rank's part")
    if any(not isinstance(dim, str) for dim in dims) or len(set(dims)) < len(dims):
        raise Error(f"{argument} has the dimensions {x.dims}; different names are needed")
    wrong = [dim for dim in dims if str(dim).startswith(PREFIX) != end.spectrum]
    if wrong:
        kind = "a spectrum begin" if end.spectrum else "a field in space do not begin"
        raise Error(f"{argument} has the dimension '{wrong[0]}'; the names of {kind} with '{PREFIX}'")
    found: dict[int, Seen] = {}
    for dim, axis in zip(dims, end.order):
        line = end.lines[axis]
        places, name = line.places(end.spectrum), str(dim).removeprefix(PREFIX)
        if dim not in x.coords:
            found[axis] = Seen(name, len(places) > 0, (), ())
            continue
        coordinate = x.coords[dim]
        what = f"the coordinate '{dim}' of {argument}"
        if coordinate.dtype.kind not in "iuf":
            raise Error(f"{what} has dtype {coordinate.dtype}; numbers are needed")
        if end.spectrum and coordinate.dtype.kind != "f":  # those of a field without coordinates
            if not np.array_equal(coordinate.values, places):
                raise Error(f"{what} is {_few(coordinate.values)}; the wave numbers {_few(places)} are needed")
            found[axis] = Seen(name, len(places) > 0, (), ())
            continue
        space, kept = line.places(False), np.asarray(coordinate.attrs.get(POSITIONS, ()))
        remembered = _two(space, kept, what) if end.spectrum and kept.shape == space.shape else ()
        found[axis] = Seen(name, False, _two(places, coordinate.values, what), remembered)
    return tuple(found[axis] for axis in range(len(end.lines)))


def _joined(answers: Sequence[tuple[str, tuple[Seen, ...] | None]], argument: str, end: End) -> tuple[Label, ...]:
    for rank, (message, _) in enumerate(answers):
        if message:
            raise Error(f"{message} (rank {rank})" if len(answers) > 1 else message)
    with_labels = [rank for rank, (_, axes) in enumerate(answers) if axes is not None]
    without = [rank for rank, (_, axes) in enumerate(answers) if axes is None]
    if without:
        raise Error(f"{argument} is an array of xarray on rank {with_labels[0]}, and not on rank {without[0]}")
    ranks = [axes for _, axes in answers if axes is not None]
    return tuple(_joined_axis([axes[axis] for axes in ranks], argument, end, axis) for axis in range(len(end.lines)))


def _joined_axis(ranks: Sequence[Seen], argument: str, end: End, axis: int) -> Label:
    line, name = end.lines[axis], ranks[0].name
    for rank, one in enumerate(ranks):
        if one.name != name:
            raise Error(f"axis {axis} of {argument} is '{name}' on rank 0 and '{one.name}' on rank {rank}")
    what = f"the coordinate '{PREFIX * end.spectrum}{name}' of {argument}"
    bare, pairs = any(one.bare for one in ranks), [(rank, one.two) for rank, one in enumerate(ranks) if one.two]
    if bare and pairs:
        raise Error(
            f"{what} is on rank {pairs[0][0]}, and on other ranks not or of another type; the same is needed on all"
        )
    if bare or not pairs:
        return Label(name, True, 0.0, 0.0, False)
    start, step = _through([two for _, two in pairs])
    if (line.modes if end.spectrum else line.points) > 1:
        if not (np.isfinite(step) and step > 0):
            raise Error(f"{what} goes on by {step:g} from point to point; it must increase")
        if end.spectrum and abs(start) > TOLERANCE * step:
            raise Error(f"{what} is {start:g} at the wave number 0, where 0 is needed")
        for rank, two in pairs:
            for place, value in (two[:2], two[2:]):
                if abs(value - (start + step * place)) > TOLERANCE * step:
                    raise Error(
                        f"{what} is {value:g} at {'the wave number' if end.spectrum else 'point'} {place} (rank {rank}), where "
                        f"{start + step * place:g} is needed; points must be evenly spaced over all ranks"
                    )
    if end.spectrum:
        return _returning(name, what, line, ranks, step)
    return Label(name, False, start, step * line.points, True)


def _returning(name: str, what: str, line: Line, ranks: Sequence[Seen], step: float) -> Label:
    """An axis of a spectrum, whose wave numbers are `step` apart (0: there is but one)."""
    length = 2 * np.pi / step if step else 0.0
    kept = [one.kept for one in ranks if one.kept]
    if kept:
        origin, apart = _through(kept)
        if length == 0 or line.points == 1 or abs(apart * line.points - length) <= TOLERANCE * length:
            return Label(name, False, origin, apart * line.points, True)
    if length == 0 and line.points > 1:
        raise Error(f"{what} has one wave number and no attribute '{POSITIONS}', so the length of the box is unknown")
    return Label(name, False, 0.0, length, False)


def labelled(
    values: NDArray[Any], labels: Sequence[Label], end: End, given: tuple[DataArray, End] | None = None
) -> DataArray:
    """`values` with the coordinates of this end, and what stays of the array that was given at the other end."""
    import xarray

    source, other = given or (None, end)
    batch = None if other.batch is None else "batch" if source is None else source.dims[other.batch]
    coordinates: dict[Any, Any] = {}
    if source is not None:
        stays = {batch} - {None}
        coordinates = {name: one.variable for name, one in source.coords.items() if set(one.dims) <= stays}
    for label, line in zip(labels, end.lines):
        dim, before = _dim(label.name, end.spectrum), _dim(label.name, not end.spectrum)
        old = source.coords[before] if source is not None and before in source.coords else None
        places = line.places(end.spectrum)
        attributes: dict[str, Any] = {}
        if old is not None and "units" in old.attrs:
            units = str(old.attrs["units"])
            attributes["units"] = f"rad/{units}" if end.spectrum else units.removeprefix("rad/")
        if label.bare and not end.spectrum:
            continue
        found: Any = places
        if end.spectrum and not label.bare:
            found = places * (2 * np.pi / label.length if label.length else 0.0)
            attributes[POSITIONS] = _positions(label, line) if old is None else old.values
        elif not end.spectrum:
            found = old.attrs.get(POSITIONS) if old is not None and label.kept else None
            if np.shape(found) != places.shape:
                found = _positions(label, line)
        coordinates[dim] = (dim, found, attributes)
    dims: list[Any] = [_dim(labels[axis].name, end.spectrum) for axis in end.order]
    if end.batch is not None:
        dims.insert(end.batch, batch)
    if source is None:
        return xarray.DataArray(values, coordinates, dims)
    return xarray.DataArray(values, coordinates, dims, source.name, source.attrs)


def _dim(name: str, spectrum: bool) -> str:
    return PREFIX * spectrum + name


def _positions(label: Label, line: Line) -> NDArray[Any]:
    return label.origin + label.length / line.points * line.places(False)


def _two(places: NDArray[np.int64], values: NDArray[Any], what: str) -> _Two:
    """The first and the last point; Error if the others are not evenly between them."""
    if len(places) == 0:
        return ()
    values = values.astype(np.float64)
    first, last = int(places.argmin()), int(places.argmax())
    two = (int(places[first]), float(values[first]), int(places[last]), float(values[last]))
    start, step = _through([two])
    off = np.abs(values - (start + step * places)) > TOLERANCE * abs(step)
    if not np.isfinite(values).all() or off.any():
        raise Error(f"{what} is {_few(values)}; evenly spaced numbers are needed, for {_few(places)}")
    return two


def _through(points: Sequence[_Two]) -> tuple[float, float]:
    """The value at place 0, and the step from place to place, of the straight line through the outermost points."""
    first, last = min(two[:2] for two in points), max(two[2:] for two in points)
    step = (last[1] - first[1]) / (last[0] - first[0]) if last[0] > first[0] else 0.0
    return first[1] - step * first[0], step


def _few(values: NDArray[Any]) -> str:
    shown = [f"{value:g}" for value in values[:4]]
    return f"[{', '.join(shown)}{', ...' if len(values) > 4 else ''}]"
