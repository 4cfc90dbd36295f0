"""Planning without MPI, and what this build can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from . import _arguments, _core
from ._problem import Problem, options_of, stated


class Option(NamedTuple):
    """One library option, as ``weft.FFT``, ``weft.plan`` and the command line take it."""

    name: str
    values: str
    """What is allowed, in words."""
    help: str
    default: str
    applies_to: str
    """What it can be given to: some of transform, redistribution and sphere. Elsewhere only the default is allowed."""


def plan(
    shape: Sequence[int] | Problem,
    ranks: int = 1,
    rank: int = 0,
    *,
    kind: str | Sequence[str] = "c2c",
    precision: str | None = None,
    dtype: DTypeLike | None = None,
    batch: int = 1,
    normalization: str = "none",
    interleaved: bool = False,
    input_order: Sequence[int] | None = None,
    output_order: Sequence[int] | None = None,
    padded_rows: bool = False,
    modes: Sequence[int] | None = None,
    points: Sequence[int] | None = None,
    input_layout: _core.Layout | None = None,
    output_layout: _core.Layout | None = None,
    **options: Any,
) -> _core.Plan:
    """Plan a transform for any number of ranks, without MPI and without allocating field memory.

    Parameters
    ----------
    shape : one to eight integers, or a weft.Problem
        Global shape of the real-space grid, C order. A plan has three axes at least: n0 x n1 is n0 x 1 x n1, as is a line of
        n0 n1 points.
    ranks, rank : int
        Size of the communicator that is planned for, and which of its ranks the answer is about.
    kind, precision, dtype, batch, normalization, interleaved, input_order, output_order, padded_rows, modes, points
        As for `weft.FFT`.
    input_layout, output_layout : weft.Layout, optional
        Distributions of forward's input and output, where they are not Weft's own.
    **options
        Library options by name: see `weft.options`. ``WEFT_*`` environment variables override them, as they would in
        the run that is planned.

    Returns
    -------
    weft.Plan
        ``print(plan)`` explains it; ``plan.as_dict()`` is the same as data.

    Raises
    ------
    weft.Error
        Naming the bad argument, its value and what is allowed.
    """
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
    return _core.dry_plan(
        problem.core,
        _arguments.small(ranks, "ranks"),
        _arguments.small(rank, "rank"),
        options_of(problem, options),
        _arguments.layout(input_layout, "input_layout"),
        _arguments.layout(output_layout, "output_layout"),
    )


def three_halves(modes: Sequence[int]) -> tuple[int, ...]:
    """The grid on which the product of two fields of so many modes aliases none of them (but ``m // 2`` of an even m).

    Three halves as many points along each axis, rounded up; 1 stays 1. For two axes or three.

    >>> weft.three_halves((64, 64, 64))
    (96, 96, 96)
    """
    found, planar = _arguments.grid(modes, "modes")
    return _arguments.of_axes(_core.three_halves(found), 2 if planar else 3)


def two_thirds(shape: Sequence[int]) -> tuple[int, ...]:
    """The modes of a grid that the product of two fields of them does not alias (but ``m // 2`` of an even m).

    Two thirds of the points along each axis, rounded down; 1 stays 1. For two axes or three.

    >>> weft.two_thirds((96, 96, 96))
    (64, 64, 64)
    """
    found, planar = _arguments.grid(shape, "shape")
    return _arguments.of_axes(_core.two_thirds(found), 2 if planar else 3)


def options() -> list[Option]:
    """Every library option: name, allowed values, meaning, default and what it applies to."""
    return [Option(*item) for item in _core.describe_options()]


def defaults() -> dict[str, str]:
    """The default of every library option, in the library's words."""
    return {item.name: item.default for item in options()}


def strategies() -> list[str]:
    """Names of the exchange strategies that can be used in this build."""
    return list(_core.strategies())


def backends() -> list[str]:
    """Names of the serial FFT backends of this build."""
    return list(_core.backends())
