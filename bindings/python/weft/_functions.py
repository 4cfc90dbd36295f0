"""Transforms in one line, as ``scipy.fft`` has them, whose plans are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
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
_CUT = "cut x or fill it up before (numpy.pad); weft.FFT(..., modes=...) leaves out modes"
_SOME_AXES = "axes=(...) says which axes of x are transformed"
_NUMBERS = "its type is that of x: x.astype('complex64') is transformed in single precision"
_OWN = "weft.FFT takes it"
_INSTEAD = {
    **dict.fromkeys(("s", "n", "shape"), _CUT),
    "axis": _SOME_AXES,
    **dict.fromkeys(("precision", "dtype"), _NUMBERS),
    **dict.fromkeys(("kind", "tune", *_arguments.OF_ARRAYS), _OWN),
    "batch": "weft.FFT(..., batch=...) transforms several fields",
    "normalization": "norm='backward', 'ortho' or 'forward' says where the factor 1/N is",
    "out": "the result is a new array; weft.FFT(...).forward(x, out) writes into one of yours",
    "overwrite_x": "the result is a new array; weft.FFT(..., in_place=True) works in place",
    "workers": "threads=... says how many threads a rank has",
    "plan": "plans are kept by themselves",
}


class _Wish(NamedTuple):
    """What all ranks must agree on."""

    def __str__(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self.options)
        options += "" if self.whole is None else f", s[0]={self.whole}"
        options += f", {self.kind}" if self.kind in _REAL_LINES else ""
        options += "" if self.axes is None else f", axes={self.axes}"
        return (
            f"{self.name} of {self.precision} precision, axes after the first {self.shape}, norm={self.norm}{options}"
        )

    name: str
    shape: tuple[int, ...]
    """Of the real-space grid but for axis 0."""
    precision: str
    norm: str
    options: tuple[tuple[str, str], ...]
    whole: int | None
    """Planes of all ranks, if the caller says so."""
    kind: str
    axes: tuple[int, ...] | None
    """That are transformed, in order; None: all."""

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


class _Plans:
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
        whole = answers[0][1].whole
        if whole not in (None, sum(each)):
            raise Error(f"s[0] is {whole}, and the ranks have {sum(each)} planes; these are neither cut nor filled up")
        return each, any(answer[3] for answer in answers)

    def get(self, kind: str, wish: _Wish, planes: tuple[int, ...]) -> FFT:
        """Collective. `planes` are those of each rank."""
        key = kind, wish[1:5], wish.axes, planes
        found = self.kept.pop(key, None)
        if found is None:
            while len(self.kept) >= MOST_PLANS:
                self.kept.popitem(last=False)[1].close()
            first = sum(planes[: self.comm.rank])
            last = first + planes[self.comm.rank]

            def box(shape: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
                return (first, *[0] * len(shape)), (last, *shape)

            half = (*wish.shape[:-1], wish.shape[-1] // 2 + 1) if kind == "r2c" else wish.shape
            options: dict[str, Any] = dict(wish.options)
            found = FFT(
                (sum(planes), *wish.shape),
                self.comm,
                wish.lines,
                wish.precision,
                normalization=wish.norm,
                input_box=box(wish.shape),
                output_box=box(half),
                **options,
            )
        self.kept[key] = found
        return found

    def clear(self) -> None:
        """Collective."""
        while self.kept:
            self.kept.popitem(last=False)[1].close()


_plans: dict[int, _Plans] = {}
_keyval: list[int] = []


def _plans_of(comm: Intracomm | None) -> _Plans:
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
        _plans[number] = _Plans(comm)
        comm.Set_attr(_keyval[0], number)
    return _plans[number]


def _forget(_comm: Comm, _key: int, number: int) -> None:
    """A communicator is freed, by all of its ranks."""
    plans = _plans.pop(number, None)
    if plans is not None:
        plans.clear()
        plans.comm.Free()


def fftn(
    x: ArrayLike,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The FFT of a field of two to eight axes, along all or some of them, as ``numpy.fft.fftn`` does it. Collective.

    Parameters
    ----------
    x : array
        This rank's part of the field: some planes of axis 0, those of rank 0 first; other axes are whole. Ranks may have
        different numbers of planes, and none (an array of length 0). So the field is ``numpy.concatenate`` of all ranks'
        parts, and on one process `x` is all of it. Single precision stays so; other types become double. An
        ``xarray.DataArray`` (on all ranks or on none) gives one back, as for `weft.FFT.labelled`.
    axes : integers, optional
        The axes to transform; all if not given. Of `rfftn` and `irfftn` the last one is halved, and is the last of `x`. Arrays
        with labels are transformed along all axes.
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which way has the factor 1/N: 'backward' (the default): the inverse; 'forward': this one; 'ortho': each has its root.
    **options
        Library options by name (see `weft.options`), the same on all ranks; not ``in_place``.

    Returns
    -------
    array
        A new one: this rank's part of the spectrum, the same planes of axis 0; complex64 or complex128.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.

    Notes
    -----
    The plan is kept, and used again for the same shape, planes of each rank, precision, `norm`, options and communicator, by
    `ifftn` as well. A communicator keeps 16 plans; then the one not used for longest goes. `clear_plans` releases all of them,
    and so does ``comm.Free()``.

    In each call the ranks compare their arguments, and the results are new arrays in the layout of the input, which takes two
    exchanges. `weft.FFT` takes arrays of yours, and can leave the spectrum as it comes (``transposed=True``), which takes one.

    Examples
    --------
    >>> weft.fftn(np.ones((4, 4, 4)))[0, 0, 0]             # on one process
    (64+0j)
    """
    return _transformed("fftn", "c2c", True, x, axes, comm, norm, None, options)


def ifftn(
    x: ArrayLike,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `fftn`, as ``numpy.fft.ifftn``. Collective. Arguments, result and errors are those of `fftn`."""
    return _transformed("ifftn", "c2c", False, x, axes, comm, norm, None, options)


def rfftn(
    x: ArrayLike,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The FFT of a real field, as ``numpy.fft.rfftn``: the half of the spectrum. Collective.

    Arguments and errors are those of `fftn`; complex numbers are an error. Of the result the last axis has ``n // 2 + 1``
    points.
    """
    return _transformed("rfftn", "r2c", True, x, axes, comm, norm, None, options)


def irfftn(
    x: ArrayLike,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `rfftn`, as ``numpy.fft.irfftn``: real numbers. Collective.

    Parameters
    ----------
    x : array
        This rank's part of the half spectrum: some planes of axis 0, as for `fftn`.
    s : three integers, or two
        Shape of the whole real field, which tells how long its last axis is: 2m - 2, the default, or 2m - 1, where that of the
        spectrum has m points. Other axes are neither cut nor filled up.
    axes, comm, norm, options
        As for `fftn`.

    Returns
    -------
    array
        A new one: this rank's part of the field; float32 or float64.

    Raises
    ------
    weft.Error
        As `fftn`.
    """
    return _transformed("irfftn", "r2c", False, x, axes, comm, norm, s, options)


def dctn(
    x: ArrayLike,
    type: int = 2,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The cosine transform of a real field along all or some of its two to eight axes, as ``scipy.fft.dctn`` does it.
    Collective.

    Parameters
    ----------
    x : array
        This rank's part of the field, as for `fftn`, of real numbers, without labels.
    type : {2, 1, 3, 4}
        DCT-I to DCT-IV. The first is for axes of at least two points.
    norm : {'backward', 'ortho', 'forward'}, optional
        As for `fftn`; N is the product of 2 n along the axes that are transformed, 2 (n - 1) for type 1, 2 (n + 1) for type 1
        of sines. With 'ortho' the transform is orthogonal: as in SciPy, numbers at the ends of an axis have factors of the
        root of 2 where they need them.
    axes, comm, **options
        As for `fftn`.

    Returns
    -------
    array
        A new one: this rank's part, the same planes of axis 0; float32 or float64.

    Raises
    ------
    weft.Error
        As `fftn`.

    Notes
    -----
    Plans are kept as those of `fftn` are. `weft.FFT` takes a kind for each axis: ``kind=("dct2", "dst1", "r2c")``.

    Examples
    --------
    >>> weft.dctn(np.ones((4, 4)))[0, 0]                   # on one process
    64.0
    """
    return _transformed("dctn", f"dct{type}", True, x, axes, comm, norm, None, options)


def idctn(
    x: ArrayLike,
    type: int = 2,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `dctn` of that type, as ``scipy.fft.idctn``. Collective. Arguments, result and errors are those of
    `dctn`."""
    return _transformed("idctn", f"dct{type}", False, x, axes, comm, norm, None, options)


def dstn(
    x: ArrayLike,
    type: int = 2,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The sine transform of a real field, as ``scipy.fft.dstn`` does it. Collective. Arguments, result and errors are those of
    `dctn`; the first type is for any number of points."""
    return _transformed("dstn", f"dst{type}", True, x, axes, comm, norm, None, options)


def idstn(
    x: ArrayLike,
    type: int = 2,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `dstn` of that type, as ``scipy.fft.idstn``. Collective. Arguments, result and errors are those of
    `dctn`."""
    return _transformed("idstn", f"dst{type}", False, x, axes, comm, norm, None, options)


def clear_plans(comm: Intracomm | None = None) -> None:
    """Release the plans that `fftn` and its like have kept for a communicator, MPI.COMM_WORLD by default. Collective."""
    _plans_of(comm).clear()


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


def _transformed(
    name: str,
    kind: str,
    forward: bool,
    x: Any,
    axes: Any,
    comm: Intracomm | None,
    norm: Any,
    s: Any,
    options: Mapping[str, Any],
) -> NDArray[Any]:
    plans = _plans_of(comm)
    array, wish, message = None, None, ""
    try:
        if kind not in ("c2c", "r2c", *_REAL_LINES):
            raise Error(f"type is {kind[3:]}; allowed are 1, 2, 3, 4")
        if kind in _REAL_LINES and _labels.is_labelled(x):
            raise Error(f"x is an array of xarray; {name} takes x.values")
        array = _array(x, only_real=kind in _REAL_LINES or (kind == "r2c" and forward))
        if axes is not None and _labels.is_labelled(x):
            raise Error(f"x is an array of xarray; with axes {name} takes x.values")
        wish = _wish(name, kind, array, axes, norm, s, options)
    except Exception as error:
        message = str(error) or type(error).__name__
    planes, labelled = plans.agree(wish, 0 if array is None else len(array), _labels.is_labelled(x), message)
    assert array is not None
    assert wish is not None
    fft = plans.get(kind, wish, planes)
    source, target = (_end(fft, planes, plans.comm.rank, spectrum) for spectrum in (not forward, forward))
    labels = _labels.agreed(plans.comm, x, "x", source) if labelled else None
    before, after = _REAL_LINES.get(kind, (_NOTHING, _NOTHING)) if wish.norm == "ortho" else (_NOTHING, _NOTHING)
    if not forward:
        before, after = ((1 / first, 1 / last) for first, last in (after, before))
    array = _with_ends(array, before, wish.axes, planes, plans.comm.rank)
    # Who has no planes has an empty box, of which all axes are empty.
    if forward:
        found = fft.forward(array.reshape(fft.input_shape)).reshape(len(array), *fft.spectrum_shape[1:])
    else:
        found = fft.backward(array.reshape(fft.output_shape)).reshape(len(array), *fft.shape[1:])
    found = _with_ends(found, after, wish.axes, planes, plans.comm.rank)
    if labels is None:
        return found
    return _labels.labelled(found, labels, target, (x, source))  # type: ignore[return-value]  # who gives one expects one


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


def _axes(axes: Any, dimensions: int, half: bool) -> tuple[int, ...] | None:
    """Those that are transformed, from the first to the last; None for all."""
    if axes is None:
        return None
    given = [axes] if isinstance(axes, (int, np.integer)) else _arguments.items(axes, "axes")
    found = [_arguments.integer(axis, "axes") for axis in given]
    if not found or any(not -dimensions <= axis < dimensions for axis in found):
        raise Error(f"axes is {axes!r}; integers from {-dimensions} to {dimensions - 1} are needed, one at least")
    found = [axis % dimensions for axis in found]
    if len(set(found)) < len(found):
        raise Error(f"axes is {axes!r}; each axis is needed once at most")
    if half and found[-1] != dimensions - 1:
        raise Error(f"axes is {axes!r}; the last one is halved, and must be that of x, {dimensions - 1}")
    return None if len(found) == dimensions else tuple(sorted(found))


def _wish(name: str, kind: str, array: NDArray[Any], axes: Any, norm: Any, s: Any, options: Mapping[str, Any]) -> _Wish:
    transformed = _axes(axes, array.ndim, kind == "r2c")
    shape = array.shape[1:]
    if name == "irfftn":
        points = shape[-1]
        if s is None:
            s = None, *shape[:-1], 2 * points - 2
        elif not hasattr(s, "__len__") or len(s) != array.ndim:
            raise Error(f"s is {s!r}; {array.ndim} integers are needed, as many as x has axes")
        else:
            s = tuple(_arguments.integer(n, f"s[{axis}]", 1) for axis, n in enumerate(s))
        if s[1:-1] != shape[:-1] or s[-1] // 2 + 1 != points or s[-1] == 0:
            raise Error(
                f"s[1:] is {s[1:]}, and x has shape {array.shape}; its last axis can belong to a real one of {2 * points - 1}"
                f"{f' or {2 * points - 2}' if points > 1 else ''} points, and others are neither cut nor filled up"
            )
        shape = s[1:]
    if norm not in (None, "backward", "ortho", "forward"):
        raise Error(f"norm is {norm!r}; allowed are 'backward', 'ortho', 'forward'")
    for option in options:
        if option in _INSTEAD:
            raise Error(f"{name} takes no {option}; {_INSTEAD[option]}")
    texts = _arguments.option_texts(options, ("comm", "norm"))
    if texts.pop("in_place", "false") != "false":
        raise Error(f"option in_place is {options['in_place']!r}; {name} makes a new array, weft.FFT can work in place")
    precision = "single" if array.dtype.char in "fF" else "double"
    return _Wish(
        name, shape, precision, norm or "backward", tuple(sorted(texts.items())), s and s[0], kind, transformed
    )
