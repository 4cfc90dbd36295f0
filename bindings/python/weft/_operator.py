"""Operators: a function between two transforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _arguments, _core, _mpi, _tuning, operators
from ._arguments import Box, BoxLike
from ._ends import TwoEnds
from ._errors import Error
from ._html import of_plan
from ._parts import Parts, marked
from ._side import Side, dense_steps
from ._tuning import Tuned
from .operators import Function

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_End = tuple[BoxLike | None, _core.Layout | None]
FunctionLike = Function | str | int | Callable[["Tile"], None]
_TAU = 2 * np.pi
#: Arguments of `weft.Operator` beside the library's options.
_OF_OPERATORS = (
    *(
        "inputs",
        "outputs",
        "at",
        "kind",
        "precision",
        "dtype",
        "batch",
        "normalization",
        "lengths",
        "modes",
        "points",
        "comm",
    ),
    *("input_box", "output_box", "input_layout", "output_layout", "tune"),
)


@dataclass(frozen=True, eq=False)
class Tile:
    """Points of a box in cache, of all fields of one application: what a function in Python is called with.

    Arrays are views of that memory, and mean something during the call only. Numbers of all outputs must be written. Of more
    than three axes the last axis of arrays has the points of all axes from the third on, the last the fastest.
    """

    inputs: NDArray[Any]
    """``[field, i, j, k]``, read-only."""
    outputs: NDArray[Any]
    """``[field, i, j, k]``."""
    box: Box
    """Global indices of the points, ``(lo, hi)``, half open."""
    slices: tuple[slice, slice, slice]
    """What cuts the points out of this rank's part of the middle layout: of a table of `Operator.middle_shape`, with the axes
    from the third on as one (``table.reshape(*table.shape[:2], -1)``)."""
    places: tuple[NDArray[Any], ...]
    """Wave numbers, or in space coordinates, along each axis: arrays that broadcast against ``inputs[field]``."""
    odd: tuple[NDArray[Any], ...] | None
    """The wave numbers for derivatives of odd order: 0 at the Nyquist frequency of an even extent, which has no sign. None
    in space."""

    @property
    def wavenumbers(self) -> tuple[NDArray[Any], ...]:
        """`places`, at wave numbers."""
        if self.odd is None:
            raise Error("this tile is in space; it has coordinates, no wavenumbers")
        return self.places

    @property
    def coordinates(self) -> tuple[NDArray[Any], ...]:
        """`places`, in space."""
        if self.odd is not None:
            raise Error("this tile is at wave numbers; it has wavenumbers, no coordinates")
        return self.places


class Operator(TwoEnds[_core.Operator]):
    """Fields to the spectrum, through a function of the wave number, and back, without an array that holds the spectrum.

    Or, with a function at points, from the spectrum to space, through the function, and back. The function works on
    points that are in cache, between the last pass of one transform and the first pass of the other: three trips through
    memory instead of five, and half of the exchanges.

    Creation, calls, `set_function` and `close` are collective over the communicator. Arguments other than boxes, arrays
    and functions of one's own must be the same on all ranks.

    Parameters
    ----------
    shape : three to eight integers
        Global shape of the grid in space, C order. More than three are for functions at wave numbers; axes after the third are
        whole on every rank, and layouts speak of the first three.
    function
        One of the library's, as the functions of `weft.operators` make them, or its name where it needs no argument
        (``"inverse_laplacian"``); a callable that gets a `weft.Tile` and writes its `outputs`; or a compiled function, see
        `weft.operators.compiled`. A callable holds the interpreter's lock: threads take turns.
    inputs, outputs : int, optional
        Fields that come in and go out, of functions of one's own; 1 if not given. The library's have their own numbers.
    at : {'wavenumbers', 'points'}, optional
        Where the function is applied: the fields at both ends are then in space, or spectra. Of functions of one's own;
        wave numbers if not given.
    kind : {'c2c', 'r2c'}, or a line for each axis
        Complex or real fields in space. Spectra are complex; of r2c the last axis has ``n // 2 + 1`` points. At wave numbers
        also lines as of `weft.FFT`, for fields between walls: even at both (dct2, dct1), odd at both (dst2, dst1), or even at
        one and odd at the other (types 4 and 3), the points in the middles of cells or on the walls, mixed with dft and r2c.
        Spectra of lines between real numbers only are real.
    precision : {'double', 'single'}, dtype
        As for `weft.FFT`.
    batch : int
        Applications in one call, each with its own fields.
    normalization : {'backward', 'forward', 'ortho', 'none'}
        That of the spectrum which the function, or the user, sees. The function that changes nothing gives the fields back
        as they were: 'none' is the same as 'backward', with 1/N on the way to space.
    lengths : one number, or one for each axis
        Lengths of the box along each axis, from wall to wall or a period: wave numbers are ``2 pi i / length``, of lines
        between walls ``pi i / length`` (dct1, dct2), ``pi (i + 1) / length`` (dst1, dst2) and ``pi (i + 1/2) / length``
        (types 3 and 4).
    modes : as many integers as `shape`, optional
        Modes that spectra keep along each axis, as for `weft.FFT`. With ``at='points'`` a product of fields has then no
        aliases: see `weft.three_halves`.
    points : as many integers as `shape`, optional
        The first points of each axis that fields in space hold, as for `weft.FFT`.
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default. It is duplicated.
    input_box, output_box, input_layout, output_layout
        As for `weft.FFT`.
    tune : {'estimate', 'measure', 'patient'} or mapping, optional
        Have Weft choose the options that are not given: see `weft.tune_operator`. What was chosen is in `tuned`.
    **options
        Library options by name, as for transforms (see `weft.options`). ``transposed`` is for spectra, at both ends;
        ``in_place`` needs as many outputs as inputs.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.

    Notes
    -----
    What a function in Python refers to stays as long as the operator has it. If that is an object that has the operator
    itself, only `close` (or a ``with`` block) ends both.

    Examples
    --------
    >>> solve = weft.Operator((128, 128, 128), "inverse_laplacian", kind="r2c")
    >>> potential = solve(density)                     # density: solve.input_shape
    >>> def damp(tile):
    ...     k0, k1, k2 = tile.wavenumbers
    ...     tile.outputs[0] = np.exp(-0.1 * np.sqrt(k0**2 + k1**2 + k2**2)) * tile.inputs[0]
    >>> damped = weft.Operator((128, 128, 128), damp, kind="r2c")(density)
    """

    def __init__(
        self,
        shape: Sequence[int],
        function: FunctionLike,
        *,
        inputs: int | None = None,
        outputs: int | None = None,
        at: str | None = None,
        kind: str | Sequence[str] = "c2c",
        precision: str | None = None,
        dtype: DTypeLike | None = None,
        batch: int = 1,
        normalization: str = "backward",
        lengths: float | Sequence[float] = _TAU,
        modes: Sequence[int] | None = None,
        points: Sequence[int] | None = None,
        comm: Intracomm | None = None,
        input_box: BoxLike | None = None,
        output_box: BoxLike | None = None,
        input_layout: _core.Layout | None = None,
        output_layout: _core.Layout | None = None,
        tune: str | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        agreement = _mpi.agreement(comm)

        def check() -> tuple[_Checked, _core.Wishes | None]:
            problem = shape, kind, precision, dtype, batch, normalization, lengths, modes, points
            checked = _Checked.of(problem, function, inputs, outputs, at, options)
            axes = len(checked.shape)
            _arguments.one_layout(input_box, input_layout, "input_box", "input_layout", axes)
            _arguments.one_layout(output_box, output_layout, "output_box", "output_layout", axes)
            return checked, _tuning.wishes_of(tune, checked.options)

        checked, wishes = _mpi.agreed(agreement, check)
        ends = (input_box, input_layout), (output_box, output_layout)
        self._layouts = checked.layouts(agreement, "weft.Operator", *ends, tune=_mpi.given(tune))
        self.tuned: Tuned | None = None
        """What `tune` has chosen, and why."""
        if wishes is not None:
            self.tuned = checked.tuned(agreement, self._layouts, wishes)
            checked.options = dict(self.tuned.options)
        grid = checked.ends_shape
        self._problem, self._options = checked.problem, checked.options
        operator = _core.Operator(agreement, checked.problem, checked.outline, checked.options, *self._layouts)
        self._held = operator, agreement
        plan = operator.plan
        self._plan = plan
        self._check = plan.option("check") == "true"
        self._in_place = plan.option("in_place") == "true"
        double = plan.precision == "double"
        self._real = np.dtype(np.float64 if double else np.float32)
        self._complex = np.dtype(np.complex128 if double else np.complex64)
        ends_dtype = self._real if plan.real_ends else self._complex
        self._middle_dtype = self._real if plan.real_middle else self._complex

        axes = tuple(range(len(grid)))

        def side(part: Box, size: int, *fields: int, parts: Parts | None = None) -> Side:
            if parts is not None and parts.several:
                return parts.side(ends_dtype, fields, size)
            box = _arguments.with_inner(part, grid)
            extents = [hi - lo for lo, hi in zip(*box)]
            strides = dense_steps(extents), size // int(np.prod(fields))
            found = Side(box, ends_dtype, fields, strides, size, grid, axes=axes, order=axes)  # type: ignore[arg-type]
            return found if parts is None else marked(found, parts)

        self._input_parts = Parts(plan.input_layout, plan.input_boxes, agreement.rank, grid, axes)
        self._output_parts = Parts(plan.output_layout, plan.output_boxes, agreement.rank, grid, axes)
        self._input = side(plan.input_box, plan.input_size, plan.batch, plan.inputs, parts=self._input_parts)
        self._output = side(plan.output_box, plan.output_size, plan.batch, plan.outputs, parts=self._output_parts)
        # In place arrays may have more room than a field takes.
        points = int(np.prod([hi - lo for lo, hi in zip(*self._input.box)]))
        self._kernel_side = side(plan.input_box, points, parts=self._input_parts)
        self._set(checked.function)

    def __call__(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Apply the operator. Collective.

        Parameters
        ----------
        x : array of `input_shape` and `input_dtype`
            This rank's part of the fields, C-contiguous, with leading axes for `batch` and for `inputs` where they are
            more than 1. It is left unchanged, unless the plan is in place.
        out : array of `output_shape` and `output_dtype`, optional
            Where to write, C-contiguous and apart from `x`; allocated if not given. Not for in-place plans.

        Returns
        -------
        array
            `out`; for in-place plans a view of `x`'s memory.

        Raises
        ------
        weft.Error
            If an array on any rank has a wrong type, shape or order, or if the function fails on any rank: the same error
            on all ranks, unless the option ``check`` is off. On ranks where a function in Python has raised something, that
            is the error's cause.
        """
        operator = self._alive()[0]
        call = self._prepared(operator.raise_any, x, out, "x", self._input, self._output)
        source = call.target if call.source is None else call.source
        try:
            operator.execute(_address(source), _address(call.target))
        except Error as error:
            cause = operator.take_failure()
            if cause is not None and not isinstance(cause, Exception):
                raise cause from error  # somebody wants the program to end
            raise Error(str(error)) from cause
        return call.result

    def set_function(self, function: FunctionLike) -> None:
        """Take another function, of as many fields at the same place: for a new time step. Collective.

        An operator that was made with one of the library's functions at wave numbers takes no function of one's own, because
        its outputs lie where its inputs are.
        """
        agreement = self._alive()[1]
        found = _mpi.agreed(agreement, lambda: operators.function_of(function))
        _mpi.require_same(agreement, "weft.Operator.set_function", function=found.text)
        self._set(found)

    def _set(self, function: Function) -> None:
        operator, agreement = self._alive()
        make = _mpi.agreed(agreement, lambda: function.prepared(self))
        made = make()
        _mpi.agreed(agreement, lambda: operator.set_function(made))
        self._function = function

    def _views(self) -> Callable[..., Tile]:
        """Makes tiles of arrays of all fields and the box."""
        places, odd = self._places(False), self._places(True) if self._plan.at == "wavenumbers" else None
        first = self._plan.middle_box[0]
        begin = first[0], first[1], first[2] * int(np.prod(self.middle_grid[3:], dtype=np.int64))

        def cut(along: list[NDArray[Any]], box: Box) -> Any:
            lo, hi = box
            return tuple(
                values[lo[min(axis, 2)] : hi[min(axis, 2)]].reshape(_column(min(axis, 2), 3))
                for axis, values in enumerate(along)
            )

        def views(inputs: NDArray[Any], outputs: NDArray[Any], *box: Any) -> Tile:
            inputs.flags.writeable = False
            slices = tuple(slice(lo - first, hi - first) for lo, hi, first in zip(*box, begin))
            return Tile(inputs, outputs, box, slices, cut(places, box), None if odd is None else cut(odd, box))  # type: ignore[arg-type]

        return views

    def _places(self, odd: bool) -> list[NDArray[Any]]:
        def along(axis: int) -> NDArray[Any]:
            found = self._plan.places(axis, odd)
            # Odd derivatives of lines between real numbers are of other lines.
            return found if found.size else np.full_like(self._plan.places(axis), np.nan)

        return [along(axis).astype(self._real, copy=False) for axis in range(len(self._plan.shape))]

    # ---- what it is

    @property
    def function(self) -> Function:
        """What it applies."""
        return self._function

    @property
    def plan(self) -> _core.OperatorPlan:
        """What this rank does, as data: ``print(op.plan)`` explains it, ``op.plan.as_dict()`` is the same as data."""
        return self._plan

    @property
    def shape(self) -> tuple[int, ...]:
        """Global shape of the grid in space."""
        return self._plan.shape

    @property
    def spectrum_shape(self) -> tuple[int, ...]:
        """Global shape of the spectrum: for r2c the last axis has ``shape[-1] // 2 + 1`` points."""
        return self._plan.spectrum_shape

    @property
    def kind(self) -> str:
        """c2c or r2c."""
        return self._plan.kind

    @property
    def at(self) -> str:
        """wavenumbers or points."""
        return self._plan.at

    @property
    def inputs(self) -> int:
        """Fields that come in."""
        return self._plan.inputs

    @property
    def outputs(self) -> int:
        """Fields that go out."""
        return self._plan.outputs

    @property
    def batch(self) -> int:
        """Applications in one call."""
        return self._plan.batch

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths of the box."""
        return self._plan.lengths

    # ---- where the function is applied

    @property
    def middle_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """This rank's part of the points that the function is applied at, as corners ``(lo, hi)``, half open."""
        return _arguments.with_inner(self._plan.middle_box, self.middle_grid)

    @property
    def middle_grid(self) -> tuple[int, ...]:
        """Shape of the whole that `middle_box` is a part of."""
        inner = self._plan.spectrum_shape if self._plan.at == "wavenumbers" else self._plan.shape
        return (*self._plan.middle_layout.shape, *inner[3:])

    @property
    def middle_slice(self) -> tuple[slice, ...]:
        """The slices that cut this part out of the global grid."""
        return tuple(slice(lo, hi) for lo, hi in zip(*self.middle_box))

    @property
    def middle_shape(self) -> tuple[int, ...]:
        """Shape of this part, and of a table for `weft.operators.multiply`."""
        return tuple(max(0, s.stop - s.start) for s in self.middle_slice)

    @property
    def middle_dtype(self) -> np.dtype[Any]:
        """Type of the numbers that the function sees."""
        return self._middle_dtype

    def wavenumbers(self, odd: bool = False) -> tuple[NDArray[Any], ...]:
        """Wave numbers of this rank's part of the middle layout, as `lengths` of `weft.Operator` says.

        Parameters
        ----------
        odd : bool
            Those for derivatives of odd order: 0 at the Nyquist frequency of an even extent, nan along lines between real
            numbers.

        Returns
        -------
        an array for each axis, of shapes ``(m0, 1, 1)``, ``(1, m1, 1)`` and ``(1, 1, m2)``, and so on
            In the real type of the operator; they broadcast to `middle_shape`.

        Raises
        ------
        weft.Error
            If the function is applied at points.
        """
        if self.at == "points":
            raise Error("wavenumbers are those that the function sees; this operator's function is applied at points")
        return self._middle(odd)

    def coordinates(self) -> tuple[NDArray[Any], ...]:
        """Coordinates of the points that the function is applied at, ``length i / n``; arrays as of `wavenumbers`.

        Raises
        ------
        weft.Error
            If the function is applied at wave numbers.
        """
        if self.at != "points":
            raise Error(
                "coordinates are those that the function sees; this operator's function is applied at wavenumbers"
            )
        return self._middle(False)

    def _middle(self, odd: bool) -> tuple[NDArray[Any], ...]:
        axes = len(self._plan.shape)
        found = []
        for axis, (values, part) in enumerate(zip(self._places(odd), self.middle_slice)):
            if axes > 3 and axis > 1:
                # An entry for each point of all axes from the third on.
                inner = values.reshape(self.middle_grid[2:])
                values = np.moveaxis(inner, axis - 2, -1).reshape(-1, inner.shape[axis - 2])[0]
            found.append(values[part].reshape(_column(axis, axes)))
        return tuple(found)

    def explain(self) -> str:
        """The plan in words."""
        return self._plan.explain()

    def _repr_html_(self) -> str:
        return of_plan(self.explain(), repr(self))

    def __repr__(self) -> str:
        if self._held is None:
            return "<weft.Operator, closed>"
        plan = self._plan
        size = " x ".join(map(str, plan.shape))
        many = f", batch {plan.batch}" if plan.batch > 1 else ""
        fields = f"{plan.inputs} to {plan.outputs}"
        return (
            f"<weft.Operator {self._function.text} {plan.kind} {size}, {fields} at {plan.at}, {plan.precision}{many}, "
            f"rank {plan.rank} of {plan.ranks}>"
        )


@dataclass
class _Checked:
    """Arguments, checked as far as one rank can without planning."""

    shape: tuple[int, ...]
    modes: tuple[int, ...]
    points: tuple[int, ...]
    kind: str
    precision: str
    problem: _core.Problem
    function: Function
    outline: _core.PointFunction
    options: dict[str, str]

    @property
    def ends_shape(self) -> tuple[int, ...]:
        """The whole grid that arrays at both ends are parts of."""
        if self.outline.at != "points":
            return self.points
        return (*self.modes[:-1], self.modes[-1] // 2 + 1) if self.kind == "r2c" else self.modes

    def layouts(
        self, agreement: _core.Agreement, call: str, input: _End, output: _End, **more: str
    ) -> tuple[_core.Layout | None, _core.Layout | None]:
        """Those of both ends, once it is clear that all ranks want the same; collective."""
        # The library compares everything that it gets; only what decides which of its calls are made is compared here.
        ends = dict(
            zip(("input_box", "input_layout", "output_box", "output_layout"), map(_mpi.given, (*input, *output)))
        )
        chosen = {"shape": self.shape, "kind": self.kind, "precision": self.precision, "function": self.function.text}
        _mpi.require_same(agreement, call, **chosen, **ends, **more)
        return (
            _mpi.layout(agreement, self.ends_shape, *input, "input_box", len(self.shape)),
            _mpi.layout(agreement, self.ends_shape, *output, "output_box", len(self.shape)),
        )

    def tuned(
        self,
        agreement: _core.Agreement,
        layouts: tuple[_core.Layout | None, _core.Layout | None],
        wishes: _core.Wishes,
    ) -> Tuned:
        """The choice for these arguments; collective."""
        outline = self.outline
        fields = outline.at, outline.inputs, outline.outputs
        return Tuned.of(_core.tune_operator(agreement, self.problem, *fields, self.options, *layouts, wishes))

    @classmethod
    def of(cls, problem: tuple[Any, ...], function: Any, inputs: Any, outputs: Any, at: Any, options: Any) -> _Checked:
        shape, kind, precision, dtype, batch, normalization, lengths, modes, points = problem
        if not hasattr(shape, "__len__") or len(shape) < 4 or isinstance(shape, (str, bytes)):
            grid: tuple[int, ...] = _arguments.triple(shape, "shape", 1)
        else:
            grid = _arguments.extents(shape, "shape")[0]
        axes = len(grid)
        modes = _arguments.kept_of(grid, modes, axes, "modes")
        points = _arguments.kept_of(grid, points, axes, "points")
        texts = _arguments.option_texts(options, _OF_OPERATORS)
        precision = _arguments.precision_of(precision, dtype)
        kind = _arguments.kind_of(kind, axes)
        _core.check_words(kind, precision, _arguments.word(normalization, "normalization"), texts)
        core = _core.Problem(
            grid,
            kind,
            precision,
            _arguments.integer(batch, "batch", 1),
            normalization,
            False,
            (0, 1, 2),
            (0, 1, 2),
            False,
            modes[:3],
            points[:3],
            _arguments.lengths(grid, lengths, "lengths"),
        )
        found = operators.function_of(function)
        fields = [
            1 if n is None else _arguments.integer(n, name, 1) for name, n in (("inputs", inputs), ("outputs", outputs))
        ]
        where = "wavenumbers" if at is None else _arguments.word(at, "at")
        outline = found.outline(core, where, (fields[0], fields[1]))
        for name, asked, has in (
            ("inputs", inputs, outline.inputs),
            ("outputs", outputs, outline.outputs),
            ("at", at, outline.at),
        ):
            if asked is not None and asked != has:
                raise Error(f"{name} is {asked!r}; the function {found.text} has {has!r}")
        return cls(grid, modes, points, kind, precision, core, found, outline, texts)


def operator_plan(
    shape: Sequence[int],
    function: FunctionLike,
    ranks: int = 1,
    rank: int = 0,
    *,
    inputs: int | None = None,
    outputs: int | None = None,
    at: str | None = None,
    kind: str | Sequence[str] = "c2c",
    precision: str | None = None,
    dtype: DTypeLike | None = None,
    batch: int = 1,
    normalization: str = "backward",
    lengths: float | Sequence[float] = _TAU,
    modes: Sequence[int] | None = None,
    points: Sequence[int] | None = None,
    input_layout: _core.Layout | None = None,
    output_layout: _core.Layout | None = None,
    **options: Any,
) -> _core.OperatorPlan:
    """Plan an operator for any number of ranks, without MPI and without allocating fields.

    Arguments are those of `weft.Operator`, and `ranks` and `rank` as for `weft.plan`. ``print(plan)`` explains it.
    """
    problem = shape, kind, precision, dtype, batch, normalization, lengths, modes, points
    checked = _Checked.of(problem, function, inputs, outputs, at, options)
    return _core.dry_operator(
        checked.problem,
        checked.outline,
        _arguments.small(ranks, "ranks"),
        _arguments.small(rank, "rank"),
        checked.options,
        _arguments.layout(input_layout, "input_layout"),
        _arguments.layout(output_layout, "output_layout"),
    )


def tune_operator(
    shape: Sequence[int],
    function: FunctionLike,
    comm: Intracomm | None = None,
    *,
    inputs: int | None = None,
    outputs: int | None = None,
    at: str | None = None,
    kind: str | Sequence[str] = "c2c",
    precision: str | None = None,
    dtype: DTypeLike | None = None,
    batch: int = 1,
    normalization: str = "backward",
    lengths: float | Sequence[float] = _TAU,
    modes: Sequence[int] | None = None,
    points: Sequence[int] | None = None,
    input_box: BoxLike | None = None,
    output_box: BoxLike | None = None,
    input_layout: _core.Layout | None = None,
    output_layout: _core.Layout | None = None,
    effort: str = "measure",
    budget: float = 0,
    file: str | None = None,
    machine: str | None = None,
    may_transpose: bool = False,
    tolerance: float = 0,
    again: bool = False,
    force: bool = False,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Tuned:
    """Choose options for `weft.Operator`. Collective; the same answer on all ranks.

    Arguments are those of `weft.Operator` and of `weft.tune`; `may_transpose` is for operators at points. The function is
    not called, as some are made for the layout of one plan: of it count its place and its numbers of fields, and what is
    timed has one in its place that does little but read and write them.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> tuned = weft.tune_operator((128, 128, 128), "inverse_laplacian", comm, kind="r2c")
    >>> solve = weft.Operator((128, 128, 128), "inverse_laplacian", kind="r2c", comm=comm, **tuned.options)
    """
    agreement = _mpi.agreement(comm)

    def check() -> tuple[_Checked, _core.Wishes]:
        problem = shape, kind, precision, dtype, batch, normalization, lengths, modes, points
        checked = _Checked.of(problem, function, inputs, outputs, at, options)
        axes = len(checked.shape)
        _arguments.one_layout(input_box, input_layout, "input_box", "input_layout", axes)
        _arguments.one_layout(output_box, output_layout, "output_box", "output_layout", axes)
        given = {"effort": effort, "budget": budget, "file": file, "machine": machine, "may_transpose": may_transpose}
        more = {"tolerance": tolerance, "again": again, "force": force, "progress": progress}
        return checked, _tuning.wishes_from({**given, **more}, checked.options)

    checked, wishes = _mpi.agreed(agreement, check)
    ends = (input_box, input_layout), (output_box, output_layout)
    layouts = checked.layouts(agreement, "weft.tune_operator", *ends)
    return checked.tuned(agreement, layouts, wishes)


def _column(axis: int, axes: int) -> list[int]:
    """The shape of an array along one axis."""
    return [-1 if other == axis else 1 for other in range(axes)]


def _address(x: NDArray[Any]) -> int:
    address: int = x.__array_interface__["data"][0]
    return address
