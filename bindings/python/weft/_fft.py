"""The transform."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _arguments, _core, _labels, _mpi, _tuning
from ._arguments import BoxLike
from ._ends import TwoEnds
from ._errors import Error
from ._html import of_plan
from ._parts import Parts, marked
from ._problem import Problem, options_of, stated
from ._side import Side
from ._tuning import Tuned

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm
    from xarray import DataArray  # type: ignore[import-not-found,unused-ignore]


class _PlanAsData(dict[str, Any]):
    """A plan as data, which is printed in words."""

    def __init__(self, plan: _core.Plan) -> None:
        super().__init__(plan.as_dict())
        self._words, self._name = plan.explain(), repr(plan)

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return self._name


class FFT(TwoEnds[_core.Transform]):
    """A distributed FFT of one to eight dimensions: a plan bound to a communicator, ready to run forward and backward.

    Creation, `forward`, `backward` and `close` are collective over the communicator: every rank calls them, in the same
    order. Arguments other than boxes and arrays must be the same on all ranks.

    Parameters
    ----------
    shape : one to eight integers, or a weft.Problem
        The problem has all arguments up to `points` but the communicator. Global shape of the real-space grid, in C order (the last axis is the fastest). Any sizes from 1 on; fewer planes
        than ranks will do, some ranks then hold nothing. With two, arrays, boxes and slices have two axes, too (in the
        plan they are axes 0 and 2, as they are in a `weft.Layout`). Of more than three axes the first three are divided
        among ranks, and a `weft.Layout` is one of these; the others are whole on every rank. Of one axis, c2c, r2c or c2r, each rank has a
        part that Weft chooses (`input_slice`, `output_slice`).
    comm : mpi4py.MPI.Intracomm, optional
        The communicator, MPI.COMM_WORLD by default. It is duplicated, and may be freed by the caller.
    kind : {'c2c', 'r2c', 'c2r'}, or a line for each axis
        What forward does. r2c: real field to half spectrum, of which the last axis has ``n // 2 + 1`` points. c2r: half
        spectrum to real field, still with the exponent -1 (NumPy's ``hfft``); its backward is the way back.
        Lines, as in ``('dct2', 'dst1', 'r2c')`` or ``'dct2-dst1-r2c'``: none, dft, r2c or c2r (along the last axis), dct1
        to dct4 and dst1 to dst4 (SciPy's types 1 to 4), r2hc, hc2r, dht. One such word is the line of all axes. Fields in
        space are complex where a line is a dft and none is r2c or c2r; cosine, sine and Hartley transforms then take the real
        and the imaginary parts.
    precision : {'double', 'single'}, optional
        Double by default.
    dtype : dtype, optional
        Another way to give the precision: float32, complex64, float64 or complex128.
    batch : int
        Fields transformed by one call. With more than one, arrays have a leading axis of that length, or, if they are
        interleaved, a last one.
    normalization : {'none', 'forward', 'backward', 'ortho'}
        Where the factor 1/N (N: the product of `shape`, see `scale` for other lines) is put. With 'none',
        ``backward(forward(x)) == N * x``.
    interleaved : bool
        The numbers that the fields of a batch have at a point lie side by side.
    input_order, output_order : the axes in any order, optional
        How the axes of this rank's arrays lie in memory, from slowest to fastest: with ``output_order=(1, 0, 2)`` output
        arrays have the shape ``(m1, m0, m2)``. Boxes and slices keep the grid's order. (FFTW's TRANSPOSED_OUT is this
        with ``transposed=True``; in two dimensions the order is ``(1, 0)``.) Axes after the third stay where they are.
    modes : as many integers as `shape`, optional
        Modes that spectra keep along each axis, those of the smallest ``|k|``; all if not given. Spectra then have the shape
        and the order of those of a grid of so many points. The others are left out on the way to the spectrum and taken for
        zero on the way back, without being stored, sent or (most of them) computed: see `three_halves` and `two_thirds`. Of
        an even number the mode ``m // 2`` stands for both signs: it gets their sum, and gives half to each.
    points : as many integers as `shape`, optional
        The first points of each axis that fields in space hold; all if not given. The others are zero on the way to the
        spectrum and left out on the way to space, without being stored, sent or (most of them) computed: by the spectrum of the
        double grid, fields without periodic neighbours are convolved. Of an axis modes or points are left out, not both.
    padded_rows : bool
        Rows of a real field are padded to ``2 * (n // 2 + 1)`` numbers out of place, too, where a rank holds whole rows.
        `empty_input` and `empty_output` make such arrays.
    input_box, output_box : pair of corners ``(lo, hi)`` or three slices, optional
        This rank's part of forward's input and output (output: of the spectrum grid for r2c, input: for c2r). If one
        rank gives it all must; the boxes must not overlap and together cover the grid, and may be empty.
    input_layout, output_layout : weft.Layout, optional
        The same given for all ranks at once.
        In a layout of patches ranks have several boxes, and arrays are rows of their points: see `input_parts`.
    tune : {'estimate', 'measure', 'patient'} or mapping, optional
        Have Weft choose the options that are not given: see `weft.tune`, whose effort this is. A mapping has its other
        arguments, too: ``tune={'effort': 'measure', 'budget': 5}``. What was chosen is in `tuned`.
    **options
        Library options by name (see `weft.options`): ``decomposition='pencil'``, ``grid=(2, 4)``,
        ``strategy='ialltoallv'``, ``in_place=True``, ... With ``input_ghosts=1`` arrays have a point of the neighbours on each
        side (or ``(1, 0, (0, 2))``, for each axis or each end), with ``output_ghosts`` those of the spectrum: what is written
        has them filled, and of what is read they are added where they belong with ``sum_ghosts=True``. Environment variables ``WEFT_<NAME>`` override them.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.
    ImportError
        If mpi4py is missing or uses another MPI library than weft.

    Notes
    -----
    Memory and the duplicated communicator are released by `close`, at the end of a ``with`` block, or when the last
    reference goes, which is at the same point of the program on all ranks as long as objects are not put in cycles.

    With ``in_place=True`` input and output share one array; `empty_input` and `empty_output` make arrays large enough
    for both, and `forward` and `backward` return the other side's view of the same memory. Rows of real fields are then
    padded, so such an array is not contiguous.

    An object must not be used by two threads at a time. The interpreter lock is released while it works.

    Examples
    --------
    >>> with weft.FFT((128, 128, 128)) as fft:
    ...     x = fft.empty_input()
    ...     x[...] = field[fft.input_slice]
    ...     y = fft.forward(x)
    """

    def __init__(
        self,
        shape: Sequence[int] | Problem,
        comm: Intracomm | None = None,
        kind: str | Sequence[str] = "c2c",
        precision: str | None = None,
        *,
        dtype: DTypeLike | None = None,
        batch: int = 1,
        normalization: str = "none",
        interleaved: bool = False,
        input_order: Sequence[int] | None = None,
        output_order: Sequence[int] | None = None,
        padded_rows: bool = False,
        modes: Sequence[int] | None = None,
        points: Sequence[int] | None = None,
        input_box: BoxLike | None = None,
        output_box: BoxLike | None = None,
        input_layout: _core.Layout | None = None,
        output_layout: _core.Layout | None = None,
        tune: str | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        agreement = _mpi.agreement(comm)

        def check() -> tuple[Problem, dict[str, str], _core.Wishes | None]:
            problem = stated(
                shape,
                kind=kind,
                precision=precision,
                dtype=dtype,
                batch=batch,
                normalization=normalization,
                interleaved=interleaved,
                input_order=input_order,
                output_order=output_order,
                padded_rows=padded_rows,
                modes=modes,
                points=points,
            )
            texts = options_of(problem, options)
            _arguments.one_layout(input_box, input_layout, "input_box", "input_layout", problem.axes)
            _arguments.one_layout(output_box, output_layout, "output_box", "output_layout", problem.axes)
            return problem, texts, _tuning.wishes_of(tune, texts)

        problem, texts, wishes = _mpi.agreed(agreement, check)
        # The library compares everything that it gets; only what decides which of its calls are made is compared here.
        _mpi.require_same(
            agreement,
            "weft.FFT",
            **problem.chosen,
            input_box=_mpi.given(input_box),
            output_box=_mpi.given(output_box),
            tune=_mpi.given(tune),
        )
        input_grid, output_grid = problem.grids
        self.tuned: Tuned | None = None
        """What `tune` has chosen, and why."""
        if wishes is not None:
            sides = (input_box, input_layout), (output_box, output_layout)
            self.tuned = _tuning.tuned_problem(agreement, problem, texts, *sides, wishes)
            texts = dict(self.tuned.options)
        transform = _core.Transform(
            agreement,
            problem.core,
            texts,
            _mpi.layout(agreement, input_grid, input_box, input_layout, "input_box", problem.axes),
            _mpi.layout(agreement, output_grid, output_box, output_layout, "output_box", problem.axes),
        )
        plan = transform.plan
        if problem.axes == 1 and plan.option("transposed") == "true":
            raise Error("option transposed is True; the modes of one axis lie in their order (weft.plan tells of both)")
        real = np.dtype(np.float64 if plan.precision == "double" else np.float32)
        complex_ = np.dtype(np.complex128 if plan.precision == "double" else np.complex64)
        self._held = transform, agreement
        self._plan = plan
        self._check = plan.option("check") == "true"
        self._check_every = int(plan.option("check_every"))
        self._in_place = plan.option("in_place") == "true"
        # Arrays that fit are agreed upon by the execution itself: nothing else is asked in each call.
        self._quick = not self._in_place and (self._check_every == 1 or not self._check)
        self._real = real
        self._axes = (0, 2) if problem.axes == 2 else tuple(range(problem.axes))
        self._one_line = problem.axes == 1
        self._lines = problem.lines[-1:] if self._one_line else problem.lines
        self._to_space = problem.to_space
        complex_only = not (plan.real_input or plan.real_output)
        if self._one_line:
            ends = self.shape, self.spectrum_shape
            input_grid, output_grid = reversed(ends) if self._to_space else ends
        axes = (0,) if self._one_line else self._axes
        self._input_parts = Parts(plan.input_layout, plan.input_boxes, agreement.rank, input_grid, axes)
        self._output_parts = Parts(plan.output_layout, plan.output_boxes, agreement.rank, output_grid, axes)

        def side(parts: Parts, number: np.dtype[Any], box: Any, strides: Any, size: int, grid: Any, order: Any) -> Side:
            if parts.several:
                return parts.side(number, plan.batch, size, interleaved=plan.interleaved)
            found = Side(
                box,
                number,
                plan.batch,
                self._strides_of(strides),
                size,
                grid,
                axes=self._axes,
                order=(0,) if self._one_line else order,
                interleaved=plan.interleaved,
                complex_only=complex_only,
            )
            return marked(found, parts)

        self._input = side(
            self._input_parts,
            real if plan.real_input else complex_,
            self._box_of(plan.input_box, self._to_space),
            plan.input_strides,
            plan.input_size,
            input_grid,
            plan.input_order,
        )
        self._output = side(
            self._output_parts,
            real if plan.real_output else complex_,
            self._box_of(plan.output_box, not self._to_space),
            plan.output_strides,
            plan.output_size,
            output_grid,
            plan.output_order,
        )

    def _box_of(self, box: Any, of_spectrum: bool) -> Any:
        """This rank's part of an end; of one line, whose grid is dealt along one of its axes, its places in the line."""
        if not self._one_line:
            return box
        half = self._lines == ("half_dft",)
        along = 2 if half or of_spectrum or self._plan.shape[0] == 1 else 0
        row = 1 if half and of_spectrum else self._plan.shape[2 - along]
        first, last = (corner[along] * row for corner in box)
        return (first,), (last if all(a < b for a, b in zip(*box)) else first,)

    def _strides_of(self, strides: Any) -> Any:
        return ((min(strides[0][0], strides[0][2]),), strides[1]) if self._one_line else strides

    # ---- execution

    @overload
    def forward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def forward(self, x: DataArray, out: NDArray[Any] | None = None) -> DataArray: ...
    def forward(self, x: Any, out: NDArray[Any] | None = None) -> Any:
        """Transform with the exponent -1. Collective.

        Parameters
        ----------
        x : array of `input_shape` and `input_dtype`
            This rank's part of the input, C-contiguous (with `padded_rows` as `empty_input` makes it). It is left
            unchanged, unless the plan is in place. Arrays of other libraries will do, too, in the memory of the host, if they
            have DLPack or ``__array_interface__`` (PyTorch, JAX): no array is copied. So will an ``xarray.DataArray`` (on all
            ranks or on none), whose dimensions and coordinates are checked: see `labelled`.
        out : array of `output_shape` and `output_dtype`, optional
            Where to write, C-contiguous and apart from `x`; allocated if not given. Not for in-place plans.

        Returns
        -------
        array
            `out`; for in-place plans a view of `x`'s memory. For a DataArray one with this memory.

        Raises
        ------
        weft.Error
            If an array on any rank has a wrong type, shape or order: the same error on all ranks, unless the option
            ``check`` is off.
        """
        return self._run(x, out, "x", self._input, self._output, True)

    @overload
    def backward(self, y: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def backward(self, y: DataArray, out: NDArray[Any] | None = None) -> DataArray: ...
    def backward(self, y: Any, out: NDArray[Any] | None = None) -> Any:
        """Transform with the exponent +1. Collective.

        Parameters
        ----------
        y : array of `output_shape` and `output_dtype`
            This rank's part, C-contiguous. It is left unchanged, unless the plan is in place.
        out : array of `input_shape` and `input_dtype`, optional
            Where to write, C-contiguous and apart from `y`; allocated if not given. Not for in-place plans.

        Returns
        -------
        array
            `out`; for in-place plans a view of `y`'s memory.

        Raises
        ------
        weft.Error
            As `forward`.
        """
        return self._run(y, out, "y", self._output, self._input, False)

    def _run(self, x: Any, out: Any, name: str, source: Side, target: Side, forward: bool) -> Any:
        transform = self._alive()[0]
        labels = self._labels_of(x, name, source, forward) if _labels.is_labelled(x) else None
        given = x if labels is None else self._values(x, source)
        try:
            if labels is None and self._quick and source.fits(x):
                result = target.empty() if out is None else out
                if target.fits(result) and result.flags.writeable and not np.may_share_memory(x, result):
                    (transform.forward if forward else transform.backward)(x, result)
                    return result
            call = self._prepared(self._agree(forward), given, out, name, source, target, forward)
            if call.source is None:
                (transform.forward_in_place if forward else transform.backward_in_place)(call.target)
            else:
                (transform.forward if forward else transform.backward)(call.source, call.target)
        except Error as error:
            if labels is None and str(error) == _labels.HERE:
                self._agreed_labels(x, name, source)  # the error that ranks with labels get
            raise
        if labels is None:
            return call.result
        return _labels.labelled(call.result, labels, self._labelled_end(target), (x, self._labelled_end(source)))

    def _agree(self, forward: bool) -> Callable[[str], None] | None:
        """What raises a message on ranks that execute; None where not every execution agrees."""
        # A bad argument of Python's leaves nothing that could be transformed instead: all agree on these each time.
        return partial(self._alive()[0].raise_any, forward) if self._check_every == 1 else None

    # ---- labels

    def _values(self, x: DataArray, source: Side) -> NDArray[Any]:
        return np.ascontiguousarray(x.values) if source.packed and not self._in_place else x.values

    def _labels_of(self, x: DataArray, name: str, source: Side, forward: bool) -> tuple[_labels.Label, ...]:
        """What all ranks' labels say. A rank without learns from this one that there are any, where all agree on arrays."""
        if self._check:
            try:
                (self._agree(forward) or partial(self._alive()[1].raise_any, forward=forward))(_labels.HERE)
            except Error as error:
                if str(error) != _labels.HERE:
                    raise
        return self._agreed_labels(x, name, source)

    def _agreed_labels(self, x: Any, name: str, source: Side) -> tuple[_labels.Label, ...]:
        return _labels.agreed(_mpi.comm_of(self._alive()[1]), x, name, self._labelled_end(source))

    def _end(self, side: Side) -> _labels.End:
        spectrum, space = self._sides()
        if not {self._lines[axis] for axis in self._axes} <= {"dft", "half_dft"}:
            raise Error(f"kind is {self.kind}; wave numbers and labels are those of dft, r2c and c2r along each axis")
        halved = [self._lines[axis] == "half_dft" for axis in self._axes]
        # Of ghosts, and of several boxes, only the other end may ask.
        lines = map(_labels.Line, self.shape, self.modes, halved, self._place(space), self._place(spectrum))
        order = tuple(self._axes.index(axis) for axis in side.order)
        batch = None if self.batch == 1 else len(order) if self._plan.interleaved else 0
        return _labels.End(side is spectrum, tuple(lines), order, batch)

    def _labelled_end(self, side: Side) -> _labels.End:
        if side.ghosted:
            raise Error("this end has ghosts, or several boxes of a rank; labels need one box without ghosts")
        return self._end(side)

    def _place(self, side: Side) -> Sequence[slice]:
        several = len(side.slices) != len(self._axes)
        return [slice(0, 0)] * len(self._axes) if several else side.slices

    def _sides(self) -> tuple[Side, Side]:
        """Spectrum and space."""
        return (self._input, self._output) if self._to_space else (self._output, self._input)

    def labelled(
        self,
        values: NDArray[Any] | None = None,
        dims: Sequence[str] | None = None,
        *,
        spacing: float | Sequence[float] | None = None,
        lengths: float | Sequence[float] | None = None,
        origin: float | Sequence[float] = 0.0,
        spectrum: bool = False,
    ) -> DataArray:
        """This rank's part of a field as an ``xarray.DataArray``, with positions or wave numbers as coordinates.

        `forward` and `backward` take such arrays, or any DataArrays whose coordinates fit, and give others back: dimensions
        ``x, y, z`` become ``k_x, k_y, k_z``, positions become angular wave numbers, and the other way round. Needs xarray.

        Parameters
        ----------
        values : array, optional
            What is to have labels, as `forward` or `backward` takes it; it is not copied. Zeroes by default.
        dims : names, one for each axis of the grid, optional
            Of the field in space, in the grid's order; by default ``x, y, z, x3, ...``. The axis of a batch is ``batch``.
        spacing : one number, or one for each axis, optional
            Distance of grid points.
        lengths : one number, or one for each axis, optional
            Lengths of the periodic box instead. Without both a field in space has no coordinates, and a spectrum has the
            signed integers that `wavenumbers` gives.
        origin : one number, or one for each axis
            Position of the first point of the grid. It is a label only: phases are those of a grid that begins at 0.
        spectrum : bool
            Whether this is a spectrum.

        Returns
        -------
        xarray.DataArray
        """
        count = len(self.shape)
        box_lengths = self._lengths(spacing, lengths)
        names = ("x", "y", "z", *(f"x{axis}" for axis in range(3, count)))[:count] if dims is None else tuple(dims)
        if isinstance(dims, str) or len(set(names)) != count or not all(isinstance(name, str) for name in names):
            raise Error(f"dims is {dims!r}; {count} different names are needed")
        try:
            origins = np.broadcast_to(np.asarray(origin, dtype=np.float64), count)
        except (TypeError, ValueError):
            raise Error(f"origin is {origin!r}; one number or {count} are needed") from None
        side = self._sides()[0 if spectrum else 1]
        if values is None:
            values = self._empty(side)
            values[...] = 0
        array = side.array(values, "values")
        labels = [
            _labels.Label(name, box_lengths is None, float(start), length, True)
            for name, start, length in zip(names, origins, box_lengths or [0.0] * count)
        ]
        return _labels.labelled(array, labels, self._labelled_end(side))

    # ---- what this rank holds

    @property
    def shape(self) -> tuple[int, ...]:
        """Global shape of the real-space grid."""
        return _arguments.of_axes(self._plan.shape, len(self._axes))

    @property
    def spectrum_shape(self) -> tuple[int, ...]:
        """Global shape of the spectrum: for r2c and c2r the last axis has ``modes[-1] // 2 + 1`` points."""
        if self._one_line:
            return (self.shape[0] // 2 + 1,) if self._lines == ("half_dft",) else self.shape
        return _arguments.of_axes(self._plan.spectrum_shape, len(self._axes))

    @property
    def modes(self) -> tuple[int, ...]:
        """Modes that spectra keep along each axis: all of `shape`, or fewer."""
        return _arguments.of_axes(self._plan.modes, len(self._axes))

    @property
    def points(self) -> tuple[int, ...]:
        """The first points of each axis that fields in space hold: all of `shape`, or fewer."""
        return _arguments.of_axes(self._plan.points, len(self._axes))

    @property
    def kind(self) -> str:
        """c2c, r2c, c2r, or the lines of the axes: 'dct2-dst1-r2c'."""
        return self._plan.kind

    @property
    def batch(self) -> int:
        """Fields transformed by one call."""
        return self._plan.batch

    @property
    def scale(self) -> float:
        """What ``backward(forward(x))`` multiplies `x` by: without normalisation N, for cosine and sine lines 2 n along their
        axes (dct1: 2 (n - 1), dst1: 2 (n + 1)); 1 with it."""
        return self._plan.factor if self._plan.normalization == "none" else 1.0

    def wavenumbers(
        self, spacing: float | Sequence[float] | None = None, *, lengths: float | Sequence[float] | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Wave numbers of this rank's part of the spectrum (forward's output, for c2r forward's input).

        Parameters
        ----------
        spacing : one number, or one for each axis, optional
            Distance of grid points; the box then has the lengths ``n * spacing``.
        lengths : one number, or one for each axis, optional
            Lengths of the periodic box instead.

        Returns
        -------
        an array for each axis, of shapes ``(m0, 1, 1)``, ``(1, m1, 1)`` and ``(1, 1, m2)``
            They broadcast against the local spectrum (and its batch axis), in its order of axes. Without arguments:
            signed integers, in the order of ``numpy.fft.fftfreq`` (and ``rfftfreq`` along the halved axis), as int64.
            With a length: angular wave numbers ``2 pi k / L``, in the real type of the transform.
        """
        side = self._sides()[0]
        if len(side.slices) != len(self._axes):
            raise Error("ranks have several boxes of the spectrum; weft.operators see the wave numbers of each point")
        box_lengths = self._lengths(spacing, lengths)
        found = []
        for axis, line in enumerate(self._end(side).lines):
            k = line.places(True)
            if box_lengths is not None:
                k = (k * (2 * np.pi / box_lengths[axis])).astype(self._real)
            along = [-1 if other == self._axes[axis] else 1 for other in side.order]
            found.append(k.reshape(along + [1] * (self.batch > 1 and self._plan.interleaved)))
        return tuple(found)

    def _lengths(self, spacing: Any, lengths: Any) -> list[float] | None:
        """Those of the box, if it or the distance of points is given."""
        if spacing is not None and lengths is not None:
            raise Error("spacing and lengths are both given; one of them is allowed")
        if spacing is not None:
            return [n * h for n, h in zip(self.shape, _arguments.lengths(self.shape, spacing, "spacing"))]
        return None if lengths is None else _arguments.lengths(self.shape, lengths, "lengths")

    # ---- what it does

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as data: stages, layouts, strategy, tiles, messages, bytes and buffers. Printed, it is `explain`'s words."""
        return _PlanAsData(self._plan)

    def explain(self) -> str:
        """The plan in words."""
        return self._plan.explain()

    def write_trace(self) -> None:
        """Write what has been traced so far to the file that the option ``trace`` names, and forget it. Collective.

        `close` does so by itself.

        Raises
        ------
        weft.Error
            If there is no trace, or the file cannot be written.
        """
        self._alive()[0].write_trace()

    def _repr_html_(self) -> str:
        return of_plan(self.explain(), repr(self))

    def __repr__(self) -> str:
        if self._held is None:
            return "<weft.FFT, closed>"
        plan = self._plan
        size = " x ".join(map(str, self.shape))
        if self.modes != self.shape:
            size += f" with {' x '.join(map(str, self.modes))} modes"
        if self.points != self.shape:
            size += f" of {' x '.join(map(str, self.points))} points"
        batch = f", batch {plan.batch}" if plan.batch > 1 else ""
        return f"<weft.FFT {plan.kind} {size}, {plan.precision}{batch}, rank {plan.rank} of {plan.ranks}>"
