"""Weft chooses for you: options by the model, by timing, or from what was timed before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from . import _arguments, _core, _mpi
from ._arguments import BoxLike
from ._errors import Error
from ._problem import Problem, options_of, stated

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

EFFORTS = ("estimate", "measure", "patient")


@dataclass(frozen=True)
class Tried:
    """One candidate. Seconds are of forward plus backward, of one direction of a sphere's transforms, or of one call of an
    operator."""

    options: Mapping[str, str]
    """What differs from the defaults."""
    predicted: float
    """By the model; 0: not priced."""
    seconds: float
    """Median of its rounds, each the slowest rank's; 0: not timed."""
    low: float
    high: float
    """The middle half of its rounds."""
    rounds: int
    relative: float
    """`seconds` over those of the options as given in the same contest; 0: not timed. Contests are at different times, when
    the machine may be busier: seconds of different ones cannot be compared, these can."""
    decisive: bool
    """Timed in the contest that decided, as the choice."""
    left_out: bool
    """It was to be timed, but the budget was over."""
    obstacle: str
    """Why it could not be used."""


@dataclass(frozen=True)
class Tuned:
    """What was chosen, and why. ``print(tuned)`` tells it."""

    options: Mapping[str, str]
    """What differs from the defaults: ``weft.FFT(shape, **tuned.options)``."""
    source: str
    """model, timed or file."""
    machine: str
    """What the model's figures are of; empty where it was not asked."""
    effort: str
    seconds: float
    """Of the choice: forward plus backward, one direction of a sphere's transforms, or one call of an operator."""
    default_seconds: float
    """Of the options as they were given; both predicted where the source is the model."""
    sureness: float
    """The part of the rounds in which the choice was faster than the runner-up; 0: not timed, or alone."""
    spent: float
    """Seconds that tuning took."""
    tried: Sequence[Tried] = field(repr=False)
    """The choice first, then by time, then those that were only priced."""
    warnings: Sequence[str]
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, found: dict[str, Any]) -> Tuned:
        """From what the library tells."""
        return cls(**{**found, "tried": tuple(Tried(**one) for one in found["tried"])})


@dataclass(frozen=True)
class TunedSphere:
    """The directions of a sphere's transforms, which have parameters of their own."""

    backward: Tuned
    forward: Tuned

    @property
    def options(self) -> dict[str, Mapping[str, str]]:
        """``weft.SphereFFT(grid, indices, **tuned.options)``."""
        return {"backward": self.backward.options, "forward": self.forward.options}

    def __str__(self) -> str:
        return f"backward\n\n{self.backward}\nforward\n\n{self.forward}"


def tune(
    shape: Sequence[int] | Problem,
    comm: Intracomm | None = None,
    kind: str | Sequence[str] = "c2c",
    precision: str | None = None,
    *,
    dtype: DTypeLike | None = None,
    batch: int = 1,
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
    """Choose options for `weft.FFT`. Collective; the same answer on all ranks.

    Parameters
    ----------
    shape, comm, kind, precision, dtype, batch, interleaved, input_order, output_order, padded_rows, modes, points, input_box, \
output_box, input_layout, output_layout
        As for `weft.FFT`, which takes a `weft.Problem` in place of a shape, too.
    effort : {'estimate', 'measure', 'patient'}
        estimate: what the tuning file knows, else what the model thinks; nothing is run. measure: the model's best few are
        timed. patient: a wide choice is timed, and then the neighbours of the best.
    budget : float
        Seconds that timing may take, planning included; 0: 10 for measure, 60 for patient. What runs when they are over
        is finished; the options as given and the model's favourite are timed whatever that takes.
    file : str, optional
        The tuning file; by default ``$WEFT_TUNING_FILE``, else ``weft/tuning.json`` in the user's cache folder. 'none': no
        file.
    machine : str, optional
        Machine file for the model; by default ``$WEFT_MACHINE_FILE``, else ``machine.toml`` beside the tuning file (which
        ``weft calibrate`` makes), else an ordinary machine of today.
    may_transpose : bool
        The spectrum may be left transposed where that is faster.
    tolerance : float
        Formats for the wire (option `wire`) are candidates as well if the error that they may bring into a direction is at
        most this, relative and in the 2-norm; 0: none. One is chosen only if it is faster by more than 3 %.
    again : bool
        Time once more what the file knows.
    force : bool
        Keep also what was timed too seldom, or while others used the processors, or with ratios that the model calls absurd.
        Without it such a choice has a warning, and the tuning file does not get it.
    progress : callable, optional
        Called on rank 0 with a line of text for each step.
    **options
        Library options that stay as they are given here.

    Returns
    -------
    Tuned

    Raises
    ------
    weft.Error
        On every rank alike.

    Examples
    --------
    >>> tuned = weft.tune((128, 128, 128), comm, budget=5)
    >>> fft = weft.FFT((128, 128, 128), comm, **tuned.options)
    """
    agreement = _mpi.agreement(comm)

    def check() -> tuple[Problem, dict[str, str], _core.Wishes]:
        problem = stated(
            shape,
            kind=kind,
            precision=precision,
            dtype=dtype,
            batch=batch,
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
        wishes = wishes_from(
            {
                "effort": effort,
                "budget": budget,
                "file": file,
                "machine": machine,
                "may_transpose": may_transpose,
                "tolerance": tolerance,
                "again": again,
                "force": force,
                "progress": progress,
            },
            texts,
        )
        return problem, texts, wishes

    problem, texts, wishes = _mpi.agreed(agreement, check)
    return tuned_problem(agreement, problem, texts, (input_box, input_layout), (output_box, output_layout), wishes)


def tuned_problem(
    agreement: _core.Agreement,
    problem: Problem,
    texts: Mapping[str, str],
    input: tuple[BoxLike | None, _core.Layout | None],
    output: tuple[BoxLike | None, _core.Layout | None],
    wishes: _core.Wishes,
) -> Tuned:
    """The choice for arguments that have been checked. Collective."""
    boxes = {name: _mpi.given(side[0]) for name, side in (("input_box", input), ("output_box", output))}
    _mpi.require_same(agreement, "weft.tune", **problem.chosen, **boxes)
    input_grid, output_grid = problem.grids
    found = _core.tune(
        agreement,
        problem.core,
        texts,
        _mpi.layout(agreement, input_grid, *input, "input_box", problem.axes),
        _mpi.layout(agreement, output_grid, *output, "output_box", problem.axes),
        wishes,
    )
    return Tuned.of(found)


def tune_sphere(
    grid: Sequence[int],
    indices: Any,
    comm: Intracomm | None = None,
    *,
    gamma: bool = False,
    precision: str | None = None,
    dtype: DTypeLike | None = None,
    howmany: int = 1,
    planes: int | None = None,
    effort: str = "measure",
    budget: float = 0,
    file: str | None = None,
    machine: str | None = None,
    tolerance: float = 0,
    again: bool = False,
    force: bool = False,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> TunedSphere:
    """Choose options for `weft.SphereFFT`, for each direction by itself. Collective; the same answer on all ranks.

    Arguments are those of `weft.SphereFFT` and of `tune`; `howmany` bands are timed in one call.

    Returns
    -------
    TunedSphere

    Examples
    --------
    >>> tuned = weft.tune_sphere(grid, mine, comm, howmany=16)
    >>> sphere = weft.SphereFFT(grid, mine, comm, howmany=16, **tuned.options)
    """
    agreement = _mpi.agreement(comm)

    def check() -> tuple[Any, ...]:
        texts = _arguments.option_texts(options, _arguments.OF_SPHERES)
        wishes = wishes_from(
            {
                "effort": effort,
                "budget": budget,
                "file": file,
                "machine": machine,
                "tolerance": tolerance,
                "again": again,
                "force": force,
                "progress": progress,
            },
            texts,
        )
        problem = grid, indices, gamma, precision, dtype, howmany, "none", None, False
        return wishes, *_arguments.sphere(*problem, texts, texts, planes)

    wishes, *arguments = _mpi.agreed(agreement, check)
    _mpi.require_same(agreement, "weft.tune_sphere", precision=arguments[0].precision)
    return tuned_sphere(agreement, arguments, wishes)


def tuned_sphere(agreement: _core.Agreement, arguments: Sequence[Any], wishes: _core.Wishes) -> TunedSphere:
    """The choice for the arguments of `_core.Sphere`, which have been checked. Collective."""
    backward, forward = _core.tune_sphere(agreement, *arguments, wishes)  # type: ignore[call-arg]  # as many as needed
    return TunedSphere(Tuned.of(backward), Tuned.of(forward))


def wishes_of(tune: Any, kept: Mapping[str, str]) -> _core.Wishes | None:
    """What `tune=` of a transform says: nothing, an effort, or arguments of `weft.tune` by name."""
    if tune is None:
        return None
    if isinstance(tune, str):
        return wishes_from({"effort": tune}, kept)
    if isinstance(tune, Mapping):
        return wishes_from(tune, kept)
    raise Error(f"tune is {tune!r}; allowed are {', '.join(EFFORTS)}, or a mapping with effort, budget, ...")


def wishes_from(given: Mapping[str, Any], kept: Mapping[str, str]) -> _core.Wishes:
    known: dict[str, Any] = {
        "effort": "measure",
        "budget": 0,
        "file": None,
        "machine": None,
        "may_transpose": False,
        "tolerance": 0,
        "again": False,
        "force": False,
        "progress": None,
    }
    for name in given:
        if name not in known:
            raise Error(f"tune has '{name}'; allowed are {', '.join(known)}")
    known.update(given)
    effort = _arguments.word(known["effort"], "effort")
    if effort not in EFFORTS:
        raise Error(f"effort is '{effort}'; allowed are {', '.join(EFFORTS)}")
    budget = _number(known["budget"], "budget", "a number of seconds")
    tolerance = _number(known["tolerance"], "tolerance", "a relative error, like 1e-6,")
    for name in ("file", "machine"):
        if known[name] is not None:
            known[name] = _arguments.text(name, known[name])
    if known["progress"] is not None and not callable(known["progress"]):
        raise Error(f"progress is {known['progress']!r}; a function is needed")
    return _core.Wishes(
        effort,
        budget,
        known["file"] or "",
        known["machine"] or "",
        sorted(kept),
        bool(known["may_transpose"]),
        tolerance,
        bool(known["again"]),
        bool(known["force"]),
        known["progress"],
    )


def _number(given: Any, name: str, needed: str) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise Error(f"{name} is {given!r}; {needed} is needed") from None
