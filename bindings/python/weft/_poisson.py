"""Poisson's and Helmholtz's equation on a box with any sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _arguments, _core, _mpi, _tuning
from ._arguments import Box, BoxLike
from ._ends import TwoEnds
from ._errors import Error
from ._html import of_plan
from ._parts import Parts, marked
from ._side import Side
from ._tuning import Tuned

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

#: What is at the sides: a word for all, or for each axis a word or two, of the low side and of the high one.
Sides = str | Sequence[str | Sequence[str]] if TYPE_CHECKING else Any

#: Of an array for each axis.
Kernel = Callable[..., ArrayLike] if TYPE_CHECKING else Any

#: Arguments of `weft.Poisson` beside the library's options.
_OF_SOLVERS = (
    *("lengths", "sides", "points", "precision", "dtype", "batch", "stencil", "shift", "mean", "result"),
    *("green", "green_order", "green_width", "spacings", "comm", "tune"),
    *("input_box", "output_box", "input_layout", "output_layout"),
)
_ENDS = ("low", "high")


class Poisson(TwoEnds[_core.Poisson]):
    """Solves ``laplacian(u) - shift u = f`` on a box. Each side is periodic, a wall, or open.

    Each axis has the lines that its sides need (cosines, sines, Fourier's, or twice as many points of those where it is
    open), and a solution is one operator: transforms there, a factor at each wave number, and transforms back, in one
    stream. Fields are real.

    Creation, calls, `set_shift`, `set_wall`, `mean` and `close` are collective over the communicator. Arguments other than
    boxes and arrays must be the same on all ranks.

    Parameters
    ----------
    shape : two or three integers
        Points that are stored, C order; those on walls as well.
    lengths : one number, or one for each axis
        Lengths of the box, from side to side.
    sides : word, or for each axis a word or a pair of them
        What is at the low and the high side of each axis: 'periodic' (both or neither), 'even' (a wall at which the
        derivative of u across it is 0: Neumann's condition), 'odd' (a wall at which u is 0: Dirichlet's) or 'open' (nothing:
        f is zero beyond, and u goes on as it does in free space).
    points : {'cells', 'nodes'}, or one for each axis
        Where points lie: in the middles of n cells, at ``(i + 1/2) length / n``; or from one side to the other, both
        included, at ``i length / (n - 1)``, of a periodic axis at ``i length / n``. See `coordinates`.
    precision : {'double', 'single'}, dtype
        As for `weft.FFT`.
    batch : int
        Fields that one call solves for; with more than one, arrays have a leading axis of that length.
    stencil : {'spectral', 'second_order', 'fourth_order', 'sixth_order', 'eighth_order', 'compact_fourth_order', 'compact_sixth_order', \
            'mehrstellen_fourth_order', 'mehrstellen_sixth_order'}
        How second derivatives are approximated: by those of the waves, or as central or compact differences do, for which
        the solution is exact.
    green : {'automatic', 'regularized', 'integrated'} or callable
        What solves where a side is open. Automatic: the kernel of free space, or with differences their inverse. Regularized: the
        field of a Gaussian instead of a point, by which smooth fields change by a multiple of ``width**order`` only (M. M. Hejlesen et al.,
        J. Comput. Phys. 252, 2013); the stencil is 'spectral'. Integrated: the mean of the kernel over the cell of each point
        of f (J. Qiang et al., Phys. Rev. ST Accel. Beams 9, 044204, 2006), which cells may be thin for.

        A callable is a kernel of your own, ``kernel(a, b, c)`` of arrays that broadcast, one for each axis of `shape`: along an
        axis with an open side a distance, else the wave number, at least 0, as the stencil has it. No equation is solved then: in an open
        box u(x) is the sum over points y of ``kernel(abs(x - y)) f(y)`` times the volume of a cell, and between closed sides the
        kernel is what f's waves are multiplied by. It is called while the solver is made, on each rank for other points.
    green_order : {2, 4, 6, 8, 10}
        Of a regularized kernel.
    green_width : float
        The standard deviation of its Gaussian; 0: twice the largest distance of neighbours along open axes.
    shift : float
        0 for Poisson's equation. With open sides, and with spacings, at least 0.
    spacings : for each axis None or numbers, optional
        Along one axis points may lie unevenly: the widths of its n cells, or the ``n - 1`` distances of its nodes:
        ``(None, None, widths)``. The length of the axis is then their sum. Its differences are those of finite volumes, of second
        order, whatever `stencil` is for the others. Its sides are even or odd, no side of the others is open, and the shift is
        at least 0.
    result : {'solution', 'gradient', 'solution_and_gradient', 'velocity'}
        What a call gives: u; its derivatives along the axes (a leading axis of as many); u and those; or, of a vector field f of
        three components, the flow u whose vorticity it is: ``laplacian(u) = -curl(f)``, the law of Biot and Savart, which needs
        sides that are periodic or open on both. Derivatives are those of the stencil's order. Those between walls are taken of u in
        space, with the walls' values; where another side is open, the stencil is 'second_order' then.
    mean : {'remove', 'refuse'}
        Where all sides are periodic or even and the shift is 0, no u has a Laplacian with another mean than 0. The mean of f
        is then taken from it, or is an error; u has the mean 0.
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default. It is duplicated.
    input_box, output_box, input_layout, output_layout
        Of the points, as for `weft.FFT`.
    tune : {'estimate', 'measure', 'patient'} or mapping, optional
        Have Weft choose the options that are not given, as for `weft.FFT`: what was chosen is in `tuned`.
    **options
        Library options by name, as for transforms (see `weft.options`).

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.

    Notes
    -----
    Open sides, differences: u has these differences everywhere, with an f that is zero beyond the box.

    Open sides, exact waves: the kernel of free space, cut off at a distance beyond the box (F. Vico, L. Greengard, M. Ferrando,
    J. Comput. Phys. 323, 2016), as exact as f is smooth and has vanished at these sides. Where one axis is open, or two, the
    kernel is that of one dimension (``|x| / 2``) or two (``log(r) / (2 pi)``) for what is constant along the others. It is a
    table that is made once, and anew for another shift.

    Examples
    --------
    >>> solve = weft.Poisson((128, 128, 128), sides=("periodic", "periodic", ("odd", "even")))
    >>> potential = solve(charge)                      # charge: solve.input_shape
    >>> alone = weft.Poisson((128, 128, 128), sides="open")
    """

    def __init__(
        self,
        shape: Sequence[int],
        *,
        lengths: float | Sequence[float] = 1.0,
        sides: Sides = "periodic",
        points: str | Sequence[str] = "cells",
        precision: str | None = None,
        dtype: DTypeLike | None = None,
        batch: int = 1,
        stencil: str = "spectral",
        green: str | Kernel = "automatic",
        green_order: int = 2,
        green_width: float = 0.0,
        shift: float = 0.0,
        mean: str = "remove",
        result: str = "solution",
        spacings: Sequence[ArrayLike | None] | None = None,
        comm: Intracomm | None = None,
        input_box: BoxLike | None = None,
        output_box: BoxLike | None = None,
        input_layout: _core.Layout | None = None,
        output_layout: _core.Layout | None = None,
        tune: str | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        agreement = _mpi.agreement(comm)

        def check() -> tuple[_core.PoissonProblem, str, dict[str, str], _core.Wishes | None]:
            grid, planar = _arguments.grid(shape, "shape")
            axes = 2 if planar else 3
            _arguments.one_layout(input_box, input_layout, "input_box", "input_layout", axes)
            _arguments.one_layout(output_box, output_layout, "output_box", "output_layout", axes)
            texts = _arguments.option_texts(options, _OF_SOLVERS)
            found = _arguments.precision_of(precision, dtype)
            _core.check_words("c2c", found, "none", texts)
            box = _arguments.lengths(_arguments.of_axes(grid, axes), lengths, "lengths")
            self._axes = (0, 2) if planar else (0, 1, 2)
            self._sides, self._points = _sides(sides, axes), _points(points, axes)
            problem = _core.PoissonProblem(
                grid,
                self._of_three(tuple(box), 1.0),
                self._of_three(self._sides, ("periodic", "periodic")),
                self._of_three(self._points, "cells"),
                found,
                _arguments.integer(batch, "batch", 1),
                _arguments.word(stencil, "stencil"),
                _arguments.number(shift, "shift"),
                _arguments.word(mean, "mean"),
                self._of_three(_spacings(spacings, axes), []),
                _arguments.word(result, "result"),
                "automatic" if callable(green) else _arguments.word(green, "green"),
                _arguments.integer(green_order, "green_order"),
                _arguments.number(green_width, "green_width"),
                _values_of(green, axes) if callable(green) else None,
            )
            self._shape, self._batch, self._stencil = grid, int(batch), stencil
            return problem, found, texts, _tuning.wishes_of(tune, texts)

        self._problem, kind, texts, wishes = _mpi.agreed(agreement, check)
        ends = {"input_box": input_box, "input_layout": input_layout}
        ends |= {"output_box": output_box, "output_layout": output_layout, "tune": tune}
        _mpi.require_same(
            agreement,
            "weft.Poisson",
            shape=self.shape,
            precision=kind,
            green=callable(green),
            **{name: _mpi.given(value) for name, value in ends.items()},
        )
        layouts = (
            _mpi.layout(agreement, self._shape, input_box, input_layout, "input_box", len(self._axes)),
            _mpi.layout(agreement, self._shape, output_box, output_layout, "output_box", len(self._axes)),
        )
        self.tuned: Tuned | None = None
        """What `tune` has chosen, and why."""
        if wishes is not None:
            self.tuned = Tuned.of(_core.tune_poisson(agreement, self._problem, texts, *layouts, wishes))
            texts = dict(self.tuned.options)
        solver = _core.Poisson(agreement, self._problem, texts, *layouts)
        self._held = solver, agreement
        self._plan = solver.plan
        self._lengths = tuple(solver.lengths[axis] for axis in self._axes)
        self._check = self._plan.option("check") == "true"
        self._in_place = texts.get("in_place") == "true"
        self._real = np.dtype(np.float64 if kind == "double" else np.float32)

        def side(parts: Parts, box: Box, size: int, *fields: int) -> Side:
            if parts.several:
                return parts.side(self._real, fields, size)
            extents = [hi - lo for lo, hi in zip(*box)]
            strides = (extents[1] * extents[2], extents[2], 1), size // int(np.prod(fields))
            return marked(Side(box, self._real, fields, strides, size, self._shape, axes=self._axes), parts)

        at = agreement.rank, self._shape, self._axes
        self._input_parts = Parts(solver.input_layout, solver.input_boxes, *at)
        self._output_parts = Parts(solver.output_layout, solver.output_boxes, *at)
        self._input = side(self._input_parts, solver.input_box, solver.input_size, self._batch, self._problem.inputs)
        self._output = side(
            self._output_parts, solver.output_box, solver.output_size, self._batch, self._problem.outputs
        )

    def _of_three(self, given: tuple[Any, ...], middle: Any) -> tuple[Any, ...]:
        """Of the library's three axes."""
        return given if len(given) == 3 else (given[0], middle, given[1])

    def __call__(self, f: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Solve for u. Collective.

        Parameters
        ----------
        f : array of `input_shape` and `input_dtype`, C-contiguous
            This rank's part of f. Left unchanged, unless the solver is in place. What it has on odd walls of nodes is not read.
        out : array of `output_shape` and `output_dtype`, C-contiguous, optional
            Where to write, apart from `f`; allocated if not given.

        Returns
        -------
        array
            `out`, or, in place, a view of the memory of `f`. On odd walls of nodes it has the value of the wall.
        """
        solver = self._alive()[0]
        call = self._prepared(solver.raise_any, f, out, "f", self._input, self._output)
        source = call.target if call.source is None else call.source
        solver.execute(_address(source), _address(call.target))
        return call.result

    def set_shift(self, shift: float) -> None:
        """Take another shift from now on, with the same plan. Collective. With open sides the table is made anew."""
        solver, agreement = self._alive()
        solver.set_shift(_mpi.agreed(agreement, lambda: _arguments.number(shift, "shift")))

    def set_wall(self, axis: int, end: str, values: ArrayLike | None) -> None:
        """Give a wall values other than 0 from now on. Collective.

        With every stencil but Mehrstellen; opposite to an open side with second_order. Equations of differences are solved exactly then, too.

        Parameters
        ----------
        axis : int
        end : {'low', 'high'}
        values : one number, array of `wall_shape`, or None
            Of u at an odd wall; of its derivative along the axis, towards higher coordinates, at an even one. None: zero again.
        """
        solver, agreement = self._alive()

        place = _mpi.agreed(agreement, lambda: self._wall(axis, end))
        _mpi.require_same(agreement, "weft.Poisson.set_wall", axis=place[0], end=end, values=_mpi.given(values))

        def set_values() -> None:
            if values is None:
                return solver.set_wall(*place, 0, 0)
            given = self._wall_values(values, self.wall_shape(axis, end))
            return solver.set_wall(*place, _address(given), given.size)

        _mpi.agreed(agreement, set_values)

    def _wall(self, axis: Any, end: Any) -> tuple[int, int]:
        """The axis as the library has it, and the end's number."""
        number = _arguments.integer(axis, "axis")
        if not 0 <= number < len(self._axes):
            allowed = ", ".join(str(one) for one in range(len(self._axes)))
            raise Error(f"axis is {number}; allowed are {allowed}")
        if _arguments.word(end, "end") not in _ENDS:
            raise Error(f"end is {end!r}; allowed are {', '.join(_ENDS)}")
        return self._axes[number], _ENDS.index(end)

    def _wall_values(self, values: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        try:
            found = np.asarray(values)
        except ValueError as error:  # rows of different lengths
            raise Error(f"values: {error}") from None
        if not np.can_cast(found.dtype, self._real, "same_kind"):
            raise Error(f"values are {found.dtype}; real numbers are needed")
        if found.ndim > 0 and found.shape != shape:
            raise Error(f"values has shape {found.shape}; one number, or an array of shape {shape} is needed")
        return np.ascontiguousarray(np.broadcast_to(found, shape), dtype=self._real)

    def wall_shape(self, axis: int, end: str) -> tuple[int, ...]:
        """Shape of a wall's values on this rank: of `input_shape` without the axis; with extents of 0 where this rank needs none.
        With second_order and spacings those at the wall do, with waves and compact differences all."""
        place = self._wall(axis, end)
        shape = [*([self._batch] if self._batch > 1 else []), *(along.stop - along.start for along in self.input_slice)]
        del shape[len(shape) - len(self._axes) + axis]
        return tuple(shape) if self._alive()[0].wall_size(*place) > 0 else (0,) * len(shape)

    def mean(self, f: NDArray[Any]) -> Any:
        """What solving takes from f: 0 unless all sides are periodic or even and the shift is 0, else its mean, with what the
        walls add to it. Points count as much as the volume around them: those on walls half. Collective.

        Parameters
        ----------
        f : array of `input_shape` and `input_dtype`, C-contiguous

        Returns
        -------
        float, or an array of one for each field
        """
        solver, agreement = self._alive()
        given = _mpi.agreed(agreement, lambda: self._input.check(f, "f", written=False))
        found = solver.mean(_address(given))
        return np.array(found) if self._batch > 1 else found[0]

    def coordinates(self) -> tuple[NDArray[Any], ...]:
        """Coordinates of this rank's points of f, from the low side of each axis.

        Returns
        -------
        an array for each axis, of shapes ``(m0, 1, 1)``, ``(1, m1, 1)`` and ``(1, 1, m2)``
            They broadcast to this rank's part of a field.
        """
        found = []
        for place, axis in enumerate(self._axes):
            along = np.array(self._problem.coordinates(axis))[self.input_slice[place]]
            found.append(along.reshape([-1 if other == place else 1 for other in range(len(self._axes))]))
        return tuple(found)

    # ---- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Global shape: points that are stored."""
        return tuple(self._shape[axis] for axis in self._axes)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths of the box."""
        return self._lengths

    @property
    def sides(self) -> tuple[tuple[str, str], ...]:
        """What is at the low and the high side of each axis."""
        return self._sides

    @property
    def points(self) -> tuple[str, ...]:
        """Where points lie along each axis: in cells, or on nodes."""
        return self._points

    @property
    def batch(self) -> int:
        """Fields that one call solves for."""
        return self._batch

    @property
    def stencil(self) -> str:
        """How second derivatives are approximated."""
        return self._stencil

    @property
    def shift(self) -> float:
        """What is solved is ``laplacian(u) - shift u = f``."""
        return self._alive()[0].shift

    @property
    def singular(self) -> bool:
        """Whether f must have the mean 0."""
        return self._alive()[0].singular

    @property
    def plan(self) -> _core.OperatorPlan:
        """What this rank does of the operator that solves, as data: its grid has the unknown points, and twice as many along
        open axes."""
        return self._plan

    def explain(self) -> str:
        """The sides, and the plan, in words."""
        return self._alive()[0].explain()

    def _repr_html_(self) -> str:
        return of_plan(self.explain(), repr(self))

    def __repr__(self) -> str:
        if self._held is None:
            return "<weft.Poisson, closed>"
        size = " x ".join(map(str, self.shape))
        sides = ", ".join("-".join(dict.fromkeys(pair)) for pair in self._sides)
        many = f", batch {self._batch}" if self._batch > 1 else ""
        return f"<weft.Poisson {size}, {sides}, {self._stencil}{many}, rank {self._plan.rank} of {self._plan.ranks}>"


def _sides(given: Any, axes: int) -> tuple[tuple[str, str], ...]:
    """A pair for each axis."""
    if isinstance(given, str):
        return ((given, given),) * axes
    each = given if isinstance(given, (tuple, list)) else ()
    found = [(pair, pair) if isinstance(pair, str) else pair for pair in each]
    for pair in found:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(side, str) for side in pair):
            found = []
    if len(found) != axes:
        raise Error(f"sides is {given!r}; a word, or a word or two of them for each of {axes} axes are needed")
    return tuple((str(low), str(high)) for low, high in found)


def _points(given: Any, axes: int) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,) * axes
    if not isinstance(given, (tuple, list)) or len(given) != axes or not all(isinstance(one, str) for one in given):
        raise Error(f"points is {given!r}; a word, or one for each of {axes} axes are needed")
    return tuple(given)


def _spacings(given: Any, axes: int) -> tuple[list[float], ...]:
    """Of each axis; none where its points are even."""
    if given is None:
        return ([],) * axes
    if not isinstance(given, (tuple, list)) or len(given) != axes:
        raise Error(f"spacings is {given!r}; None, or None or numbers for each of {axes} axes are needed")
    found: list[list[float]] = []
    for axis, one in enumerate(given):
        try:
            numbers = np.asarray([] if one is None else one, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.empty((0, 0))
        if numbers.ndim != 1 or (one is not None and len(numbers) == 0):
            raise Error(f"spacings of axis {axis} is {one!r}; None or an array of numbers is needed")
        found.append(numbers.tolist())
    return tuple(found)


def _values_of(kernel: Kernel, axes: int) -> Callable[..., None]:
    """What the library calls: numbers along three axes, and the array of the values."""

    def values(a: NDArray[Any], b: NDArray[Any], c: NDArray[Any], out: NDArray[Any]) -> None:
        along = (a[:, None, None], b[None, :, None], c[None, None, :])
        found = np.asarray(kernel(*along) if axes == 3 else kernel(a[:, None], c[None, :])[:, None, :])
        if not np.can_cast(found.dtype, np.float64, "same_kind"):
            raise Error(f"the kernel's values are {found.dtype}; real numbers are needed")
        try:
            out[...] = found
        except ValueError:
            raise Error(f"the kernel's values have shape {found.shape}; {out.shape} is needed") from None

    return values


def _address(x: NDArray[Any]) -> int:
    address: int = x.__array_interface__["data"][0]
    return address
