"""What a transform is of, as one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import DTypeLike

from . import _arguments, _core
from ._errors import Error


class Problem:
    """What to transform: shape, kind, precision and how arrays lie, checked, and the same for all that take it.

    `weft.FFT`, `weft.plan`, `weft.tune` and `weft.model.predict` take one in place of a shape and these arguments, whose meaning is
    in `weft.FFT`. It is not changed once it is made; `replace` makes another one. Problems that are equal have one hash.

    Parameters
    ----------
    shape, kind, precision, dtype, batch, normalization, interleaved, input_order, output_order, padded_rows, modes, points
        As for `weft.FFT`.

    Raises
    ------
    weft.Error
        Naming the bad argument, its value and what is allowed.

    Examples
    --------
    >>> problem = weft.Problem((128, 128, 128), "r2c", batch=3)
    >>> print(weft.plan(problem, ranks=64))
    >>> with weft.FFT(problem, comm, transposed=True) as fft: ...
    """

    __slots__ = (
        "_grid",
        "_kept_modes",
        "_kept_points",
        "_orders",
        "axes",
        "batch",
        "interleaved",
        "kind",
        "lines",
        "normalization",
        "padded_rows",
        "precision",
        "to_space",
    )
    axes: int
    """How many there are."""
    batch: int
    interleaved: bool
    kind: str
    """A word, or the line of each axis."""
    lines: tuple[str, ...]
    """Of each axis, of three at least."""
    normalization: str
    padded_rows: bool
    precision: str
    to_space: bool
    """Whether forward leads from the spectrum to space."""

    def __init__(
        self,
        shape: Sequence[int],
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
    ) -> None:
        def keep(**values: Any) -> None:
            for name, value in values.items():
                object.__setattr__(self, name, value)

        grid, axes = _arguments.extents(shape, "shape")
        orders = {"input_order": input_order, "output_order": output_order}
        keep(
            _grid=grid,
            axes=axes,
            _kept_modes=_arguments.kept_of(grid, modes, axes, "modes"),
            _kept_points=_arguments.kept_of(grid, points, axes, "points"),
            _orders=tuple(_arguments.memory_order(order, name, axes) for name, order in orders.items()),
            kind=_arguments.kind_of(kind, axes),
            precision=_arguments.precision_of(precision, dtype),
            batch=_arguments.integer(batch, "batch", 1),
            normalization=_arguments.word(normalization, "normalization"),
            interleaved=_arguments.flag(interleaved, "interleaved"),
            padded_rows=_arguments.flag(padded_rows, "padded_rows"),
        )
        _core.check_words(self.kind, self.precision, self.normalization, {})
        lines, to_space = _core.lines_of(self.kind, len(grid))
        keep(lines=tuple(lines), to_space=to_space)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid in space."""
        return _arguments.of_axes(self._grid, self.axes)

    @property
    def modes(self) -> tuple[int, ...]:
        """That spectra keep of each axis."""
        return _arguments.of_axes(self._kept_modes, self.axes)

    @property
    def points(self) -> tuple[int, ...]:
        """That fields in space hold of each axis."""
        return _arguments.of_axes(self._kept_points, self.axes)

    @property
    def input_order(self) -> tuple[int, ...]:
        """How the axes of forward's input lie in memory."""
        return self._order(self._orders[0])

    @property
    def output_order(self) -> tuple[int, ...]:
        """The same of its output."""
        return self._order(self._orders[1])

    def _order(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """Of all axes; the library has those of two at both ends."""
        if self.axes < 3:
            return tuple(axis // 2 for axis in order if axis != 1) if self.axes == 2 else (0,)
        return (*order, *range(3, self.axes))

    @property
    def core(self) -> _core.Problem:
        """The library's own."""
        return _core.Problem(
            self._grid,
            self.kind,
            self.precision,
            self.batch,
            self.normalization,
            self.interleaved,
            *self._orders,
            self.padded_rows,
            self._kept_modes[:3],
            self._kept_points[:3],
            one_line=self.axes == 1,
        )

    @property
    def chosen(self) -> dict[str, Any]:
        """What decides which calls of the library are made, and the shape, as the caller has given it."""
        return {"shape": self.shape, "kind": self.kind, "precision": self.precision}

    @property
    def grids(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Global shapes of forward's input and output, of three axes at least."""
        modes = self._kept_modes
        spectrum = modes if self.lines[-1] != "half_dft" else (*modes[:-1], modes[-1] // 2 + 1)
        return (spectrum, self._kept_points) if self.to_space else (self._kept_points, spectrum)

    def replace(self, **changes: Any) -> Problem:
        """Another problem, with these arguments in place of this one's. A new shape has all its modes and points, and its axes in
        order, unless `changes` says so."""
        for name in sorted(set(changes) - set(_ARGUMENTS)):
            hint = _arguments.nearest(name, _ARGUMENTS)
            meant = f"; did you mean '{hint}'?" if hint else f"; allowed are {', '.join(_ARGUMENTS)}"
            raise Error(f"a weft.Problem has no '{name}'{meant}")
        arguments = {name: changes.get(name, value) for name, value in self._given().items()}
        if "shape" in changes:
            for name in ("modes", "points", "input_order", "output_order"):
                arguments[name] = changes.get(name)
        if "dtype" in changes:
            arguments["precision"] = changes.get("precision")
        return Problem(**arguments)

    def _given(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "kind": self.kind,
            "precision": self.precision,
            "dtype": None,
            "batch": self.batch,
            "normalization": self.normalization,
            "interleaved": self.interleaved,
            "input_order": self.input_order,
            "output_order": self.output_order,
            "padded_rows": self.padded_rows,
            "modes": self.modes,
            "points": self.points,
        }

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a weft.Problem is not changed; replace({name}=...) makes another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a weft.Problem is not changed")

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Problem) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def _values(self) -> tuple[Any, ...]:
        # A kind may be a word or its lines.
        return (self.lines, self.to_space, *(value for name, value in self._given().items() if name != "kind"))

    def __reduce__(self) -> Any:
        return _made, (self._given(),)

    def __repr__(self) -> str:
        given = self._given()
        words = [f"{name}={value!r}" for name, value in given.items() if name != "shape" and value != self._plain(name)]
        return f"weft.Problem({', '.join([repr(self.shape), *words])})"

    def _plain(self, name: str) -> Any:
        if name in ("modes", "points"):
            return self.shape
        if name.endswith("_order"):
            return tuple(range(self.axes))
        return "double" if name == "precision" else _DEFAULTS.get(name)


#: What is not given.
_DEFAULTS: Mapping[str, Any] = {"kind": "c2c", "precision": None, **(Problem.__init__.__kwdefaults__ or {})}
_ARGUMENTS = ("shape", *_DEFAULTS)


def _made(arguments: Mapping[str, Any]) -> Problem:
    return Problem(**arguments)


def stated(shape: Any, **arguments: Any) -> Problem:
    """What `shape` and these arguments say, or `shape` itself, where it is a problem; then the others are not given."""
    if not isinstance(shape, Problem):
        return Problem(shape, **arguments)
    for name, value in arguments.items():
        if value is not _DEFAULTS[name] and (_DEFAULTS[name] is None or value != _DEFAULTS[name]):
            raise Error(
                f"{name} is given beside a weft.Problem, which has it; problem.replace({name}=...) makes another one"
            )
    return shape


def options_of(problem: Problem, options: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the library's options beside it."""
    texts = _arguments.option_texts(options, _arguments.OF_TRANSFORMS)
    _core.check_words(problem.kind, problem.precision, problem.normalization, texts)
    return texts
