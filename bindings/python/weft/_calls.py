"""What is behind the transforms in one line (`_functions`): their arguments, and the plans that are kept for them."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arguments, _labels, _mpi
from ._errors import Error
from ._fft import FFT
from ._side import host_array

if TYPE_CHECKING:
    from mpi4py.MPI import Comm, Intracomm

#: Plans that are kept for a communicator; of more the one not used for longest goes.
MOST_PLANS = 16


#: Of what NumPy, SciPy and `weft.FFT` take and these functions do not: what does it instead.
_SOME_AXES = "axes=(...) says which axes of x are transformed"
_NUMBERS = "its type is that of x: x.astype('complex64') is transformed in single precision"
_OWN = "weft.FFT takes it"
_INSTEAD = {
    **dict.fromkeys(("n", "shape"), "s=(...) says to how many points axes are cut or filled up"),
    "axis": _SOME_AXES,
    **dict.fromkeys(("precision", "dtype"), _NUMBERS),
    **dict.fromkeys(("kind", "tune", *_arguments.OF_ARRAYS), _OWN),
    "batch": "weft.FFT(..., batch=...) transforms several fields",
    "normalization": "norm='backward', 'ortho' or 'forward' says where the factor 1/N is",
    "out": "the result is a new array; weft.FFT(...).forward(x, out) writes into one of yours",
    "overwrite_x": "the result is a new array; weft.FFT(..., in_place=True) works in place",
    "plan": "plans are kept by themselves",
}


class _Wish(NamedTuple):
    """What all ranks must agree on."""

    def __str__(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self.options)
        options += "" if self.whole is None else f", {self.whole} planes"
        options += f", {self.kind}" if self.kind in _REAL_LINES else ""
        options += "" if self.axes is None else f", axes={self.axes}"
        return (
            f"{self.name} of {self.precision} precision, axes after the first {self.shape}, norm={self.norm}{options}"
        )

    name: str
    shape: tuple[int, ...]
    """Of the real-space grid but for the axis whose planes ranks have."""
    precision: str
    norm: str
    options: tuple[tuple[str, str], ...]
    whole: int | None
    """Planes of all ranks after they are cut or filled up, if the caller says so."""
    kind: str
    axes: tuple[int, ...] | None
    """That are transformed, in order; None: all."""
    turned: bool = False
    """Axis 0, whose planes ranks have, is the one that is halved: it has become the last."""
    row: int | None = None
    """Its points in space, if the caller says so."""

    @property
    def lines(self) -> str | tuple[str, ...]:
        """What `FFT` calls it."""
        if self.axes is None:
            return self.kind
        lines = ["none"] * (len(self.shape) + 1)
        for axis in self.axes:
            lines[axis] = self.kind if self.kind in _REAL_LINES else "dft"
        if self.kind == "r2c":
            lines[-1] = "r2c"
        return tuple(lines)


class Plans:
    """The plans of a communicator, the one used last at the end."""

    def __init__(self, comm: Intracomm) -> None:
        self.comm = _mpi.communicator(comm.Dup)
        self.kept: OrderedDict[tuple[Any, ...], FFT] = OrderedDict()

    def agree(self, wish: _Wish | None, planes: int, labels: bool, message: str) -> tuple[tuple[int, ...], bool]:
        """The planes of each rank, and whether any has labels; an error on all if one has a message, or another wish than
        rank 0. Collective."""
        mine: tuple[str, Any, int, bool] = message, wish, planes, labels
        answers = self.comm.allgather(mine) if self.comm.size > 1 else [mine]
        for rank, (text, wished, *_) in enumerate(answers):
            if text:
                raise Error(f"{text} (rank {rank})" if self.comm.size > 1 else text)
            if wished != answers[0][1]:
                raise Error(f"rank 0 calls {answers[0][1]}, rank {rank} {wished}; only the planes of x may differ")
        each = tuple(answer[2] for answer in answers)
        if sum(each) == 0:
            raise Error("x has no planes of axis 0 on any rank")
        labelled = any(answer[3] for answer in answers)
        whole = answers[0][1].whole
        if labelled and whole not in (None, sum(each)):
            raise Error(f"x is an array of xarray of {sum(each)} planes; with s of {whole} x.values is taken")
        return each, labelled

    def get(self, kind: str, wish: _Wish, planes: tuple[int, ...], of_spectrum: tuple[int, ...]) -> FFT:
        """Collective. `planes` are those of each rank in space, and of the spectrum."""

        def box(shape: tuple[int, ...], planes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
            first = sum(planes[: self.comm.rank])
            last, zeros = first + planes[self.comm.rank], (0,) * len(shape)
            return ((*zeros, first), (*shape, last)) if wish.turned else ((first, *zeros), (last, *shape))

        def make() -> FFT:
            whole = not wish.turned and kind == "r2c"
            half = (*wish.shape[:-1], wish.shape[-1] // 2 + 1) if whole else wish.shape
            options: dict[str, Any] = dict(wish.options)
            return FFT(
                (*wish.shape, sum(planes)) if wish.turned else (sum(planes), *wish.shape),
                self.comm,
                wish.lines,
                wish.precision,
                normalization=wish.norm,
                input_box=box(wish.shape, planes),
                output_box=box(half, of_spectrum),
                **options,
            )

        return self.keep((kind, wish[1:5], wish.axes, planes, of_spectrum), make)

    def keep(self, key: tuple[Any, ...], make: Callable[[], FFT]) -> FFT:
        """The transform of this key, the same on all ranks; if there is none, one that is made. Collective."""
        found = self.kept.pop(key, None)
        if found is None:
            while len(self.kept) >= MOST_PLANS:
                self.kept.popitem(last=False)[1].close()
            found = make()
        self.kept[key] = found
        return found

    def clear(self) -> None:
        """Collective."""
        while self.kept:
            self.kept.popitem(last=False)[1].close()


_plans: dict[int, Plans] = {}
_keyval: list[int] = []


def plans_of(comm: Intracomm | None) -> Plans:
    """Collective where there are none yet. They go with their communicator, whose number another one may get then."""
    MPI = _mpi.mpi()
    if comm is None:
        comm = MPI.COMM_WORLD
    if not isinstance(comm, MPI.Intracomm) or comm == MPI.COMM_NULL:
        found = "MPI.COMM_NULL" if isinstance(comm, MPI.Comm) and comm == MPI.COMM_NULL else f"a {type(comm).__name__}"
        raise Error(f"comm is {found}; an intracommunicator of mpi4py is needed, e.g. MPI.COMM_WORLD")
    if not _keyval:
        _keyval.append(MPI.Comm.Create_keyval(delete_fn=_forget))
    number: int | None = comm.Get_attr(_keyval[0])
    if number is None:
        number = comm.py2f()
        _plans[number] = Plans(comm)
        comm.Set_attr(_keyval[0], number)
    return _plans[number]


def _forget(_comm: Comm, _key: int, number: int) -> None:
    """A communicator is freed, by all of its ranks."""
    plans = _plans.pop(number, None)
    if plans is not None:
        plans.clear()
        plans.comm.Free()


#: Lines between real numbers, and what makes them orthogonal beside 1/sqrt(N): factors of the first and the last number of an
#: axis before the transform, and after it.
_ROOT = 2**0.5
_NOTHING = (1.0, 1.0)
_REAL_LINES = {
    "dct1": ((_ROOT, _ROOT), (1 / _ROOT, 1 / _ROOT)),
    "dct2": (_NOTHING, (1 / _ROOT, 1.0)),
    "dct3": ((_ROOT, 1.0), _NOTHING),
    "dct4": (_NOTHING, _NOTHING),
    "dst1": (_NOTHING, _NOTHING),
    "dst2": (_NOTHING, (1.0, 1 / _ROOT)),
    "dst3": ((1.0, _ROOT), _NOTHING),
    "dst4": (_NOTHING, _NOTHING),
}


def _with_ends(
    x: NDArray[Any], factors: tuple[float, float], axes: tuple[int, ...] | None, planes: Sequence[int], rank: int
) -> NDArray[Any]:
    """`x`, or a copy of it with its numbers at the ends of these axes times factors. Axis 0 has some of all planes."""
    if factors == _NOTHING:
        return x
    x = x.copy()
    first = sum(planes[:rank])
    for axis in range(x.ndim) if axes is None else axes:
        begin, end = (-first, sum(planes) - first) if axis == 0 else (0, x.shape[axis])
        for at, factor in zip((begin, end - 1), factors):
            if 0 <= at < x.shape[axis]:
                x[(slice(None),) * axis + (at,)] *= factor
    return x


def _cut_or_filled(x: NDArray[Any], axis: int, n: int) -> NDArray[Any]:
    """`x` with so many points along an axis: the first ones, or zeros after them."""
    if n <= x.shape[axis]:
        return np.ascontiguousarray(x[(slice(None),) * axis + (slice(n),)])
    more = [(0, 0)] * x.ndim
    more[axis] = 0, n - x.shape[axis]
    return np.pad(x, more)


def _with_planes(
    x: NDArray[Any], dealt: int, whole: int, planes: Sequence[int], rank: int
) -> tuple[NDArray[Any], tuple[int, ...]]:
    """This rank's part and the planes of each rank, where all have so many: the last planes go, or the last rank has more."""
    firsts = [sum(planes[:other]) for other in range(len(planes))]
    left = [max(0, min(many, whole - first)) for first, many in zip(firsts, planes)]
    left[-1] += max(0, whole - sum(planes))
    return _cut_or_filled(x, dealt, left[rank]), tuple(left)


def _evenly(points: int, ranks: int) -> tuple[int, ...]:
    """Planes of each rank, as Weft deals them."""
    return tuple(points // ranks + (rank < points % ranks) for rank in range(ranks))


def transformed(
    name: str,
    kind: str,
    forward: bool,
    x: Any,
    s: Any,
    axes: Any,
    comm: Intracomm | None,
    norm: Any,
    workers: Any,
    options: Mapping[str, Any],
) -> NDArray[Any]:
    plans = plans_of(comm)
    array, wish, halved, dealt, message = None, None, -1, 0, ""
    try:
        if kind not in ("c2c", "r2c", *_REAL_LINES):
            raise Error(f"type is {kind[3:]}; allowed are 1, 2, 3, 4")
        labelled = _labels.is_labelled(x)
        if kind in _REAL_LINES and labelled:
            raise Error(f"x is an array of xarray; {name} takes x.values")
        array = _array(x, only_real=kind in _REAL_LINES or (kind == "r2c" and forward))
        if axes is not None and labelled:
            raise Error(f"x is an array of xarray; with axes {name} takes x.values")
        transformed, lengths, halved = _axes_and_lengths(array, axes, s, name == "irfftn", kind == "r2c")
        array = np.ascontiguousarray(np.moveaxis(array, halved, -1))
        dealt = array.ndim - 1 if halved == 0 else 0
        for axis, n in lengths.items():
            if axis != dealt and n != array.shape[axis]:
                if labelled:
                    raise Error(f"x is an array of xarray of shape {array.shape}; with s={s!r} {name} takes x.values")
                array = _cut_or_filled(array, axis, n)
        shape, row = array.shape[:dealt] + array.shape[dealt + 1 :], None
        if name == "irfftn" and dealt == 0:
            shape = *shape[:-1], _whole_row(array, s)
        elif name == "irfftn" and s is not None and s[-1] != -1:
            row = int(s[-1])
        wish = _wish(name, kind, array, shape, lengths.get(dealt), transformed, norm, workers, options)
        wish = wish._replace(turned=dealt > 0, row=row)
    except Exception as error:
        message = str(error) or type(error).__name__
    mine = 0 if array is None else array.shape[dealt]
    planes, any_labels = plans.agree(wish, mine, _labels.is_labelled(x), message)
    assert array is not None
    assert wish is not None
    rank = plans.comm.rank
    if wish.whole is not None:
        array, planes = _with_planes(array, dealt, wish.whole, planes, rank)
    if wish.turned:
        found = _halved_first(plans, wish, array, planes, forward)
        return np.ascontiguousarray(np.moveaxis(found, -1, 0))
    fft = plans.get(kind, wish, planes, planes)
    source, target = (_end(fft, planes, rank, spectrum) for spectrum in (not forward, forward))
    labels = _labels.agreed(plans.comm, x, "x", source) if any_labels else None
    before, after = _REAL_LINES.get(kind, (_NOTHING, _NOTHING)) if wish.norm == "ortho" else (_NOTHING, _NOTHING)
    if not forward:
        before, after = ((1 / first, 1 / last) for first, last in (after, before))
    array = _with_ends(array, before, wish.axes, planes, rank)
    # Who has no planes has an empty box, of which all axes are empty.
    if forward:
        found = fft.forward(array.reshape(fft.input_shape)).reshape(len(array), *fft.spectrum_shape[1:])
    else:
        found = fft.backward(array.reshape(fft.output_shape)).reshape(len(array), *fft.shape[1:])
    found = _with_ends(found, after, wish.axes, planes, rank)
    if labels is None:
        return np.ascontiguousarray(np.moveaxis(found, -1, halved))
    return _labels.labelled(found, labels, target, (x, source))  # type: ignore[return-value]  # who gives one expects one


def _halved_first(
    plans: Plans, wish: _Wish, array: NDArray[Any], planes: tuple[int, ...], forward: bool
) -> NDArray[Any]:
    """Where the axis that is halved is the one whose planes ranks have: what comes out has other planes, dealt evenly."""
    ranks, rank = plans.comm.size, plans.comm.rank
    points = sum(planes) if forward else wish.row or 2 * sum(planes) - 2
    if points == 0:
        raise Error("x has one plane of axis 0 on all ranks; s must say that axis 0 of the real field has 1 point")
    others = _evenly(points // 2 + 1 if forward else points, ranks)
    fft = plans.get("r2c", wish, *((planes, others) if forward else (others, planes)))
    if forward:
        return fft.forward(array.reshape(fft.input_shape)).reshape(*wish.shape, others[rank])
    return fft.backward(array.reshape(fft.output_shape)).reshape(*wish.shape, others[rank])


def _end(fft: FFT, planes: Sequence[int], rank: int, spectrum: bool) -> _labels.End:
    first = sum(planes[:rank])
    lines = []
    for axis, (n, m) in enumerate(zip(fft.shape, fft.spectrum_shape)):
        parts = [slice(first, first + planes[rank])] * 2 if axis == 0 else [slice(0, n), slice(0, m)]
        lines.append(_labels.Line(n, n, fft.kind == "r2c" and axis == len(fft.shape) - 1, *parts))
    return _labels.End(spectrum, tuple(lines), tuple(range(len(lines))), None)


def _array(x: ArrayLike, only_real: bool) -> NDArray[Any]:
    """`x` in the precision that is computed in, C-contiguous; complex unless it is to be transformed as it is."""
    given = host_array(x, "x") if hasattr(x, "__dlpack__") else np.asarray(x)
    if given.dtype.kind not in ("buif" if only_real else "buifc"):
        wanted = "real numbers are" if only_real else "numbers are"
        raise Error(
            f"x has dtype {given.dtype}; {wanted} needed{' (fftn takes complex ones)' if given.dtype.kind == 'c' else ''}"
        )
    if not 2 <= given.ndim <= _arguments.MOST_AXES:
        raise Error(f"x has shape {given.shape}; two to {_arguments.MOST_AXES} axes are needed")
    if 0 in given.shape[1:]:
        raise Error(f"x has shape {given.shape}; only axis 0 may be empty on a rank")
    single = given.dtype.char in "efF"
    if only_real:
        return np.ascontiguousarray(given, np.float32 if single else np.float64)
    return np.ascontiguousarray(given, np.complex64 if single else np.complex128)


def _axes_and_lengths(
    array: NDArray[Any], axes: Any, s: Any, to_real: bool, half: bool
) -> tuple[tuple[int, ...] | None, dict[int, int], int]:
    """The axes that are transformed, from the first to the last (None: all), and the points that `x` is to have along some, both
    once the axis that is halved has become the last one; and which one that is now."""
    dimensions = array.ndim
    lengths = (
        None if s is None else [_arguments.integer(n, f"s[{at}]") for at, n in enumerate(_arguments.items(s, "s"))]
    )
    if axes is None:
        first = 0 if lengths is None else dimensions - len(lengths)
        if not 0 <= first < dimensions:
            raise Error(f"s is {s!r}; one to {dimensions} integers are needed, as x has {dimensions} axes")
        found = list(range(first, dimensions))
    else:
        given = [axes] if isinstance(axes, (int, np.integer)) else _arguments.items(axes, "axes")
        found = [_arguments.integer(axis, "axes") for axis in given]
        if not found or any(not -dimensions <= axis < dimensions for axis in found):
            raise Error(f"axes is {axes!r}; integers from {-dimensions} to {dimensions - 1} are needed, one at least")
        found = [axis % dimensions for axis in found]
        if len(set(found)) < len(found):
            raise Error(f"axes is {axes!r}; each axis is needed once at most")
        if half and found[-1] == 0 and dimensions > 3:
            raise Error(f"axes is {axes!r}; the last one is halved, which cannot be 0 where x has more than three axes")
        if lengths is not None and len(lengths) != len(found):
            raise Error(f"s is {s!r}; {len(found)} integers are needed, one for each of axes={axes!r}")
    halved = found[-1] if half else dimensions - 1
    found = [dimensions - 1 if axis == halved else axis - (axis > halved) for axis in found]
    points = {}
    for axis, n in zip(found, lengths or []):
        if n < 1 and n != -1:
            raise Error(f"s is {s!r}; numbers from 1 on are needed, or -1, which leaves an axis as it is")
        if n > 0:
            points[axis] = n // 2 + 1 if to_real and axis == dimensions - 1 else n
    return None if len(found) == dimensions else tuple(sorted(found)), points, halved


def _whole_row(array: NDArray[Any], s: Any) -> int:
    """Points of the last axis of the real field of which this is half the spectrum."""
    points = array.shape[-1]
    if s is not None and s[-1] != -1:
        return int(s[-1])
    if points == 1:
        raise Error(
            f"x has shape {array.shape}; s must say that the last axis of the real field has 1 point: s=(..., 1)"
        )
    return 2 * points - 2


def _wish(
    name: str,
    kind: str,
    array: NDArray[Any],
    shape: tuple[int, ...],
    whole: int | None,
    axes: tuple[int, ...] | None,
    norm: Any,
    workers: Any,
    options: Mapping[str, Any],
) -> _Wish:
    if norm not in (None, "backward", "ortho", "forward"):
        raise Error(f"norm is {norm!r}; allowed are 'backward', 'ortho', 'forward'")
    for option in options:
        if option in _INSTEAD:
            raise Error(f"{name} takes no {option}; {_INSTEAD[option]}")
    texts = _arguments.option_texts(options, ("comm", "norm"))
    if texts.pop("in_place", "false") != "false":
        raise Error(f"option in_place is {options['in_place']!r}; {name} makes a new array, weft.FFT can work in place")
    if workers is not None:
        if "threads" in texts:
            raise Error(f"workers is {workers!r} and threads is {options['threads']!r}; one of them is needed")
        texts["threads"] = str(_threads(workers))
    precision = "single" if array.dtype.char in "fF" else "double"
    return _Wish(name, shape, precision, norm or "backward", tuple(sorted(texts.items())), whole, kind, axes)


def _threads(workers: Any) -> int:
    """As SciPy counts them."""
    found, most = _arguments.integer(workers, "workers"), os.cpu_count() or 1
    if not -most <= found or found == 0:
        raise Error(
            f"workers is {found}; it must be at least 1, or from {-most} to -1 (this node has {most} processors)"
        )
    return found if found > 0 else most + 1 + found
