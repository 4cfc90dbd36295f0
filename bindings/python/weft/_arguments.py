"""Arguments in Python's words turned into the library's, with errors that name them."""

from __future__ import annotations

import difflib
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._errors import Error

Corner = tuple[int, int, int]
Box = tuple[Corner, Corner]
#: A part of the global grid: a pair of corners (lo, hi), half open, or three slices.
BoxLike = Union[tuple[Sequence[int], Sequence[int]], tuple[slice, slice, slice]]

_PRECISION_OF = {"f": "single", "F": "single", "d": "double", "D": "double"}
_LARGEST = 2**63 - 1


def integer(value: Any, argument: str, least: int | None = None) -> int:
    """A 64-bit integer, not a bool."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise Error(f"{argument} is {value!r}; an integer is needed") from None
    if least is not None and number < least:
        raise Error(f"{argument} is {number}; it must be at least {least}")
    if abs(number) > _LARGEST:
        raise Error(f"{argument} is {number}; it must fit in 64 bits")
    return number


def small(value: Any, argument: str, least: int | None = None) -> int:
    """An integer as MPI has them."""
    number = integer(value, argument, least)
    if abs(number) >= 2**31:
        raise Error(f"{argument} is {number}; it must be less than 2**31, as in MPI")
    return number


def number(value: Any, argument: str) -> float:
    """A real number, not a text."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{argument} is {value!r}; a number is needed") from None


def numbers(value: Any, argument: str, shape: tuple[int, ...], needed: str) -> NDArray[np.float64]:
    """Real numbers in an array of that shape."""
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{argument} is {value!r}; {needed} are needed") from None
    if found.shape != shape:
        raise Error(f"{argument} has shape {found.shape}; {needed} are needed")
    return found


def items(value: Any, argument: str) -> list[Any]:
    """What can be gone through."""
    try:
        return list(value)
    except TypeError:
        raise Error(f"{argument} is {value!r}; a sequence is needed") from None


#: How many there must be, in words.
_COUNTS = {1: "one", 2: "two", 3: "three"}


def triple(value: Any, argument: str, least: int | None = None) -> Corner:
    """Three integers."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or len(value) != 3:
        raise Error(f"{argument} is {value!r}; three integers are needed")
    i, j, k = (integer(item, f"{argument}[{axis}]", least) for axis, item in enumerate(value))
    return i, j, k


def grid(value: Any, argument: str) -> tuple[Corner, bool]:
    """A global shape of three axes, and whether only two were given: n0 x n1 is n0 x 1 x n1."""
    planar = hasattr(value, "__len__") and len(value) == 2 and not isinstance(value, (str, bytes))
    if not planar and hasattr(value, "__len__") and len(value) != 3:
        raise Error(f"{argument} is {value!r}; two or three integers are needed")
    return triple((value[0], 1, value[1]) if planar else value, argument, 1), planar


def of_axes(shape: tuple[int, ...], axes: int) -> tuple[int, ...]:
    """A shape of the library's as that of the axes that the caller has: of one axis, that of the grid of a line."""
    if axes == 1:
        return (shape[0] * shape[2],)
    return (shape[0], shape[2]) if axes == 2 else shape


MOST_AXES = 8


def extents(value: Any, argument: str) -> tuple[tuple[int, ...], int]:
    """A global shape of three to eight axes, and how many were given: of two, n0 x n1 is n0 x 1 x n1; of one, that of the grid
    of a line."""
    count = len(value) if hasattr(value, "__len__") and not isinstance(value, (str, bytes)) else 0
    if count == 1:
        return _core.line_grid(integer(value[0], f"{argument}[0]", 1)), 1
    if not 3 < count <= MOST_AXES:
        if count > MOST_AXES:
            raise Error(f"{argument} is {value!r}; one to {MOST_AXES} integers are needed")
        return grid(value, argument)[0], 2 if count == 2 else 3
    return tuple(integer(item, f"{argument}[{axis}]", 1) for axis, item in enumerate(value)), count


def kept_of(shape: tuple[int, ...], value: Any, axes: int, argument: str) -> tuple[int, ...]:
    """The modes, or the points, that are kept of each axis: all where nothing is said."""
    if value is None:
        return shape
    if not hasattr(value, "__len__") or len(value) != axes:
        raise Error(f"{argument} is {value!r}; {_COUNTS.get(axes, axes)} integers are needed")
    if axes == 1 and value[0] != (whole := of_axes(shape, 1)[0]):
        raise Error(f"{argument} is {value!r}; of one axis all {whole} are needed")
    found = extents(value, argument)[0]
    if axes > 3 and found[2:] != shape[2:]:
        raise Error(f"{argument} is {value!r}; of more than three axes all of {shape[2:]} from axis 2 on are needed")
    return found


def memory_order(value: Any, argument: str, axis_count: int) -> Corner:
    """The first three axes from slowest to fastest, others after them. A plane has its axes at both ends."""
    axes = tuple(range(axis_count))
    if value is None:
        value = axes
    try:
        found = tuple(operator.index(axis) for axis in value)
    except TypeError:
        found = ()
    if tuple(sorted(found)) != axes:
        raise Error(f"{argument} is {value!r}; the axes {', '.join(map(str, axes))} in any order are needed")
    if axis_count < 3:
        return (0, 1, 2) if found == axes else (2, 1, 0)
    if found[3:] != axes[3:]:
        raise Error(f"{argument} is {value!r}; axes after the third are needed in their places")
    return found[0], found[1], found[2]


def box(value: Any, argument: str, axes: int = 3) -> Box:
    """A pair of corners of three axes from one, or from slices with both ends given. That of a plane has two; axes after the
    third are left out (`require_whole`)."""
    if isinstance(value, (tuple, list)) and len(value) == axes and all(isinstance(item, slice) for item in value):
        if any(item.step not in (None, 1) for item in value):
            raise Error(f"{argument} is {value!r}; slices with a step are not allowed")
        value = ([item.start for item in value], [item.stop for item in value])
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise Error(
            f"{argument} is {value!r}; a pair of corners (lo, hi) or {_COUNTS.get(axes, axes)} slices are needed"
        )
    if axes > 3:
        if any(not hasattr(corner, "__len__") or len(corner) != axes for corner in value):
            raise Error(f"{argument} is {value!r}; corners of {axes} integers are needed")
        value = [corner[:3] for corner in value]
    if axes == 2:
        if any(not hasattr(corner, "__len__") or len(corner) != 2 for corner in value):
            raise Error(f"{argument} is {value!r}; corners of two integers are needed")
        value = [(corner[0], middle, corner[1]) for corner, middle in zip(value, (0, 1))]
    return triple(value[0], f"{argument} lo"), triple(value[1], f"{argument} hi")


def layout_or_box(value: Any, argument: str, grid: tuple[int, ...], ranks: int, axes: int = 3) -> None:
    """Error unless it is a layout of such a grid on so many ranks, or has the form of a box."""
    if not isinstance(value, _core.Layout):
        box(value, argument, axes)
    elif value.shape != grid:
        raise Error(f"{argument} has shape {value.shape}; the shape {grid} is needed")
    elif value.ranks != ranks:
        raise Error(f"{argument} is for {value.ranks} ranks; the communicator has {ranks}")


def with_inner(box: Any, grid: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A box of three axes, with those after the third, which are whole."""
    lo, hi = box
    return (*lo, *(0 for _ in grid[3:])), (*hi, *grid[3:])


def flag(value: Any, argument: str) -> bool:
    """True or False, nothing that only passes for it."""
    if not isinstance(value, (bool, np.bool_)):
        raise Error(f"{argument} is {value!r}; True or False is needed")
    return bool(value)


def word(value: Any, argument: str) -> str:
    """A name; which ones are allowed is the library's to say."""
    if not isinstance(value, str):
        raise Error(f"{argument} is {value!r}; a string is needed")
    return value


def require_whole(value: Any, argument: str, shape: Sequence[int]) -> None:
    """A box that `box` has taken, of a grid of more than three axes: those after the third are not divided."""
    for axis in range(3, len(shape)):
        slices = isinstance(value[0], slice)
        lo, hi = (value[axis].start, value[axis].stop) if slices else (value[0][axis], value[1][axis])
        if (lo, hi) != (0, shape[axis]):
            raise Error(
                f"{argument} has {lo}:{hi} along axis {axis}; after the third axis all is needed, 0:{shape[axis]}"
            )


def kind_of(kind: Any, axes: int) -> str:
    """A kind's name, or a line for each axis, in a sequence or as text: the library's text."""
    if isinstance(kind, (list, tuple)) and all(isinstance(line, str) for line in kind):
        text = "c2c" if axes == 1 and kind[0] == "dft" else "-".join(kind)
        if len(kind) != axes:
            raise Error(f"kind is {kind!r}; a line for each axis is needed, {axes} of them")
        return text
    text = word(kind, "kind")
    # Of two dimensions, the middle axis has one point, and no line.
    if axes == 1:
        return "c2c" if text == "dft" else text
    return f"{text}-{text}" if axes == 2 and "-" not in text and text not in ("c2c", "r2c", "c2r") else text


def precision_of(precision: str | None, dtype: DTypeLike | None) -> str:
    """The precision named by either argument; double if by none."""
    if dtype is None:
        return "double" if precision is None else word(precision, "precision")
    try:
        found = _PRECISION_OF.get(np.dtype(dtype).char)
    except TypeError:
        found = None
    if found is None:
        raise Error(f"dtype is {dtype!r}; allowed are float32, float64, complex64, complex128")
    if precision is not None and word(precision, "precision").replace("float", "single") != found:
        raise Error(f"precision is {precision!r} and dtype is {np.dtype(dtype).name}; give one of them")
    return found


def threads_of(given: str | None) -> int:
    """Threads of each rank, as the library will understand it: what --threads says, and the environment. What is no
    number is the library's to complain about."""
    open_mp = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    for word in (os.environ.get("WEFT_THREADS"), given, open_mp):
        if word and word.strip().isdigit() and int(word) > 0:
            return int(word)
    return 1


def option_texts(options: Mapping[str, Any], arguments: Sequence[str] = ()) -> dict[str, str]:
    """The text form of options given as Python values. None means the default. `arguments` are what the call takes
    besides, for suggestions: what is no argument of a function of Python lands among its options."""
    if not options:
        return {}
    known = [item[0] for item in _core.describe_options()]
    for name in options:
        if name not in known:
            hint = nearest(name, [*arguments, *known])
            meant = f"; did you mean '{hint}'? Allowed" if hint else "; allowed"
            raise Error(f"option '{name}' is unknown{meant} are {', '.join(known)}")
    return {name: text(name, value) for name, value in options.items() if value is not None}


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The name that somebody may have meant: one that begins so, else one with few other letters."""
    longer = [one for one in known if len(name) > 2 and one.startswith(name.lower())]
    near = longer or difflib.get_close_matches(name.lower(), known, 1, 0.7)
    return near[0] if near else None


def text(name: str, value: Any) -> str:
    """A value as the library reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "x".join(_text_of(item, name) for item in value)
    if isinstance(value, (str, os.PathLike)):
        words = os.fsdecode(value)
        try:
            words.encode()
        except UnicodeEncodeError:
            raise Error(f"{name} is {words!r}; text in UTF-8 is needed") from None
        return words
    return str(integer(value, name))


def _text_of(item: Any, name: str) -> str:
    """A number, or a pair of them: below and above."""
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return ":".join(str(integer(one, name)) for one in item)
    return str(integer(item, name))


def layout(value: Any, argument: str) -> _core.Layout | None:
    """A Layout or None."""
    if value is not None and not isinstance(value, _core.Layout):
        raise Error(f"{argument} is {value!r}; a weft.Layout is needed")
    return value


def one_layout(given_box: Any, given_layout: Any, box_name: str, layout_name: str, axes: int = 3) -> None:
    """A box or a layout or neither; of one axis neither."""
    for name, end in ((box_name, given_box), (layout_name, given_layout)):
        if axes == 1 and end is not None:
            raise Error(f"{name} is given; a line of one axis is dealt by Weft")
    if given_box is not None and given_layout is not None:
        raise Error(f"{box_name} and {layout_name} are both given; one of them is allowed")
    if given_box is not None:
        box(given_box, box_name, axes)
    layout(given_layout, layout_name)


def lengths(shape: Sequence[int], value: Any, name: str) -> list[float]:
    """A positive number for each axis, from as many, or one for all."""
    try:
        each = np.broadcast_to(np.asarray(value, dtype=np.float64), len(shape))
    except (TypeError, ValueError):
        count = _COUNTS.get(len(shape), len(shape))
        raise Error(f"{name} is {value!r}; one or {count} numbers are needed") from None
    if not (np.isfinite(each).all() and (each > 0).all()):
        raise Error(f"{name} is {value!r}; positive numbers are needed")
    return [float(item) for item in each]


def wave_indices(value: Any, name: str = "indices") -> NDArray[np.int64]:
    """Plane waves: x, y, z of each; there may be none."""
    try:
        found = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise Error(f"{name}: {error}") from None
    if found.size == 0:
        return np.empty((0, 3), np.int64)
    if found.ndim != 2 or found.shape[1] != 3 or not np.issubdtype(found.dtype, np.integer):
        raise Error(f"{name} are {found.dtype} of shape {found.shape}; integers of shape (waves, 3) are needed")
    if found.max() > _LARGEST:
        raise Error(f"{name} are up to {found.max()}; they must fit in 64 bits")
    return np.ascontiguousarray(found, dtype=np.int64)


def sphere(
    grid: Any,
    indices: Any,
    gamma: Any,
    precision: Any,
    dtype: DTypeLike | None,
    howmany: Any,
    normalization: Any,
    padded: Any,
    spinors: Any,
    backward: dict[str, str],
    forward: dict[str, str],
    planes: Any,
) -> tuple[Any, ...]:
    """The arguments of `_core.Sphere`, checked as far as one rank can; options as their texts."""
    for texts in (backward, forward):
        _core.check_words("c2c", "double", word(normalization, "normalization"), texts)
    return (
        sphere_problem(grid, gamma, precision, dtype, howmany, normalization, padded, spinors),
        wave_indices(indices),
        backward,
        forward,
        None if planes is None else integer(planes, "planes"),
    )


def sphere_problem(
    grid: Any,
    gamma: Any,
    precision: Any,
    dtype: DTypeLike | None,
    howmany: Any,
    normalization: Any,
    padded: Any,
    spinors: Any,
) -> _core.SphereProblem:
    if padded is None:
        padded = 0, 0
    elif isinstance(padded, (str, bytes)) or not hasattr(padded, "__len__") or len(padded) != 2:
        raise Error(f"padded is {padded!r}; two integers are needed, the points of a row and the rows of a plane")
    return _core.SphereProblem(
        triple(grid, "grid"),
        flag(gamma, "gamma"),
        precision_of(precision, dtype),
        integer(howmany, "howmany"),
        word(normalization, "normalization"),
        [integer(item, f"padded[{axis}]") for axis, item in enumerate(padded)],
        flag(spinors, "spinors"),
    )


#: Arguments of `weft.FFT` about its arrays.
OF_ARRAYS = (
    *("input_box", "output_box", "input_layout", "output_layout"),
    *("interleaved", "input_order", "output_order", "padded_rows", "modes", "points"),
)
#: Arguments of `weft.FFT` beside the library's options.
OF_TRANSFORMS = ("kind", "precision", "dtype", "batch", "normalization", "tune", *OF_ARRAYS)
#: The same of `weft.SphereFFT`.
OF_SPHERES = (
    *("gamma", "precision", "dtype", "howmany", "normalization", "padded", "spinors", "planes"),
    *("backward", "forward", "tune"),
)
