"""One rank's bad argument, for every collective call of the package and each of its arguments, as their signatures have them: it
ends on all ranks with one and the same error, or on all ranks well. No rank waits for another.

A new call is found by its docstring ("Collective"), a new argument by the signature. What is local is named here with the reason.
"""

import inspect
import itertools
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
from checking import COMM, run_checks

import weft
from weft._collective import Collective

SHAPE = (4, 6, 5)
LATTICE = np.diag([7.0, 6.0, 8.0])
GRID = weft.sphere_grid(LATTICE, 2.0)
WAVES = weft.cutoff_sphere(GRID, LATTICE, 2.0, ranks=COMM.size, rank=COMM.rank)
FOLDER = Path(sys.argv[1])
#: Seconds that one call may take.
PATIENCE = 100

#: Of functions and classes that no other rank has to do with.
LOCAL = {
    **dict.fromkeys(
        ("Layout", "Plan", "OperatorPlan", "Problem", "SpherePlan", "plan", "operator_plan", "sphere_plan"),
        "plans only",
    ),
    **dict.fromkeys(("backends", "options", "strategies", "three_halves", "two_thirds"), "asks the library"),
    **dict.fromkeys(("cutoff_sphere", "sphere_grid"), "computes a rank's own waves"),
    **dict.fromkeys(("ExchangeStatistics", "Moved", "Option", "Statistics", "Tile", "Tried"), "a result"),
    **dict.fromkeys(("Tuned", "TunedSphere"), "a result"),
    **dict.fromkeys(("Error", "__version__", "operators"), "no call"),
}
#: Arguments on which nothing can be agreed, as ranks agree by them.
AGREED_BY = ("comm", "share")

#: What calls cannot do without.
NEEDED = {
    "shape": lambda: SHAPE,
    "function": lambda: "laplacian",
    "grid": lambda: GRID,
    "indices": lambda: WAVES,
    "source": lambda: weft.Layout.slab(SHAPE, COMM.size),
    "target": lambda: weft.Layout.slab(SHAPE, COMM.size, 1),
}
#: Where a default would take long, or the user's files.
MORE = {"effort": lambda: "estimate", "file": lambda: ""}
#: Good values that differ from those above and from defaults, so that the ranks differ.
OTHERS = {
    "shape": [(6, 4, 5), (4, 5)],
    "function": ["inverse_laplacian", "gaussian", "divergence"],
    "kind": ["r2c", "c2r"],
    "precision": ["single"],
    "dtype": ["float32"],
    "normalization": ["ortho"],
    "norm": ["ortho"],
    "at": ["points"],
    "effort": ["patient"],
    "tune": ["estimate"],
    "modes": [(2, 2, 2)],
    "input_order": [(1, 0, 2)],
    "output_order": [(1, 0, 2)],
    "input_box": [((0, 0, 0), SHAPE)],
    "output_box": [((0, 0, 0), SHAPE)],
    "input_layout": [weft.Layout.slab(SHAPE, COMM.size, 2)],
    "output_layout": [weft.Layout.slab(SHAPE, COMM.size, 2)],
    "indices": [[], [[0, 0, 1], [0, 0, 0]]],
    "mode": ["a"],
    "width": [(1, 0, 2), ((0, 1), (1, 0), (2, 2))],
    "periodic": [False, (True, False, True)],
    "name": ["another"],
    "sides": ["odd", ("odd", "odd", ("odd", "even"))],
    "points": ["nodes", (2, 2, 2)],
    "stencil": ["second_order"],
    "mean": ["refuse"],
    "end": ["high"],
}
BAD = [object(), -1, 2**70, float("nan"), "nonsense", (0, 0), np.zeros(3, "int8"), {"nonsense": object()}, b"\xff\0"]


def hostile(name, good):
    """Values for one rank in the place of a good one."""
    yield from BAD
    yield None
    yield from OTHERS.get(name, ())
    if isinstance(good, bool):
        yield not good
    elif isinstance(good, int):
        yield good + 1
        yield 0
    elif isinstance(good, np.ndarray):
        yield from (good.astype("complex64"), good.astype(">c16"), good.astype(object), good.tolist(), good[..., :-1])
        yield from (np.broadcast_to(good.dtype.type(1), good.shape), good[::-1], good[None], good[:0])
        fixed = good.copy()
        fixed.flags.writeable = False
        yield fixed


def end(call):
    """How it ends on each rank; the ranks meet afterwards."""
    try:
        call()
        found = ""
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return COMM.allgather(found)


def tried(what, arguments, call, good):
    """Every argument of a call in turn, on one rank after the other; `good` has functions that make the others."""
    rank = itertools.cycle(range(COMM.size))
    for name in arguments:
        if name in AGREED_BY:
            continue
        given = {one: make() for one, make in good.items()}
        for value in hostile(name, given.get(name, inspect.Parameter.empty)):
            bad = next(rank)
            mine = {**given, name: value} if COMM.rank == bad else given
            watch(f"{what}, {name}={value!r} on rank {bad}")
            ends = end(lambda mine=mine: call(mine))
            assert len(set(ends)) == 1, (what, name, value, bad, ends)
            assert not ends[0] or ends[0].startswith("Error: "), (what, name, value, ends[0])


class Watch(threading.Thread):
    """Ends the job if a call takes too long, and says which; MPI waits without the interpreter's lock."""

    def __init__(self):
        super().__init__(daemon=True)
        self.at, self.since = "", time.monotonic()
        self.start()

    def run(self):
        while self.at is not None and time.monotonic() < self.since + PATIENCE:
            time.sleep(0.5)
        if self.at is not None:
            print(f"rank {COMM.rank} waits: {self.at}", file=sys.stderr, flush=True)
            os._exit(1)

    def __call__(self, what):
        self.at, self.since = what, time.monotonic()


watch = Watch()


def parameters(function):
    """Names of arguments, `self` and the library's options left out."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = inspect.signature(function).parameters.values()
    return [one.name for one in found if one.name != "self" and one.kind not in kinds]


def defaults(function, names):
    found = inspect.signature(function).parameters
    needed = {name: NEEDED[name] for name in names if found[name].default is inspect.Parameter.empty}
    return {**needed, **{name: make for name, make in MORE.items() if name in names}}


def public():
    return {name: getattr(weft, name) for name in weft.__all__ if name not in LOCAL}


def takes_options(function):
    return any(one.kind is inspect.Parameter.VAR_KEYWORD for one in inspect.signature(function).parameters.values())


def check_what_is_made():
    """Constructors, and functions that need no object."""
    for name, thing in public().items():
        made = thing.__init__ if inspect.isclass(thing) else thing
        assert inspect.isclass(thing) or "Collective" in thing.__doc__, f"{name}: collective, or local and why?"
        names = parameters(made)
        good = {"x": lambda: np.ones((2, 4, 6), complex)} if "x" in names else defaults(made, names)

        def call(given, thing=thing, name=name):
            if name == "irfftn" and "x" in given:
                given = {"s": None, **given}
            found = thing(**given)
            if isinstance(found, Collective):
                found.close()

        tried(f"weft.{name}", names, call, good)
        if takes_options(made):
            # One bad value of each, of which all are read in one place, and one that is no option.
            for option in ["nonsense", *(one.name for one in weft.options())]:
                given = {one: make() for one, make in good.items()}
                more = {option: "no,thing"} if COMM.rank == COMM.size - 1 else {}
                watch(f"weft.{name}, {option}")
                ends = end(lambda given=given, more=more: call({**given, **more}))
                assert len(set(ends)) == 1, (name, option, ends)
                assert ends[0].startswith("Error: ") or option in ("trace", "machine"), (name, option, ends)


def zeros(shape, dtype):
    return lambda: np.zeros(shape, dtype)


def ends_of(thing):
    def zeroes(empty):
        x = empty()
        x[...] = 0
        return x

    return {"x": lambda: zeroes(thing.empty_input), "y": lambda: zeroes(thing.empty_output)}


def objects():
    """Every class that is collective, as often as its calls go different ways; and good arguments of its methods."""
    for options in (
        {},
        {"in_place": True},
        {"kind": "r2c", "padded_rows": True},
        {"batch": 2, "interleaved": True},
    ):
        fft = weft.FFT(SHAPE, effort="estimate", **options)
        yield fft, {**ends_of(fft), "path": lambda: FOLDER / "field.h5"}
    op = weft.Operator(SHAPE, "laplacian")
    yield op, {**ends_of(op), "path": lambda: FOLDER / "field.h5", "function": NEEDED["function"]}
    solver = weft.Poisson(SHAPE, sides="even", stencil="second_order", effort="estimate")
    yield (
        solver,
        {
            **ends_of(solver),
            "f": ends_of(solver)["x"],
            "path": lambda: FOLDER / "field.h5",
            "shift": lambda: 1.0,
            "axis": lambda: 0,
            "end": lambda: "low",
            "values": lambda: 0.5,
        },
    )
    move = weft.Redistribution(SHAPE, NEEDED["source"](), NEEDED["target"]())
    yield move, {"x": zeros(move.source_shape, complex)}
    ghosts = weft.GhostExchange(SHAPE, NEEDED["source"](), NEEDED["target"]())
    yield ghosts, {"x": zeros(ghosts.source_shape, float), "part": zeros(ghosts.target_shape, float)}
    for gamma in (False, True):
        # Real ones are all on one rank, so that the others have none.
        some = weft.cutoff_sphere(GRID, LATTICE, 2.0, gamma=True)[: None if COMM.rank == 0 else 0] if gamma else WAVES
        sphere = weft.SphereFFT(GRID, some, gamma=gamma)
        space = zeros((2, *sphere.space_shape), float if gamma else complex)
        yield (
            sphere,
            {
                "c": zeros((2, sphere.waves), complex),
                "psi": space,
                "v": zeros(sphere.space_shape, float),
                "count": lambda: 2,
            },
        )


#: Methods that no other rank has to do with.
LOCAL_METHODS = {
    **dict.fromkeys(("explain", "reset_statistics", "wavenumbers", "coordinates"), "of this rank"),
    **dict.fromkeys(("labelled", "empty_input", "empty_output", "bands_here", "wall_shape"), "of this rank"),
    **dict.fromkeys(("input_parts", "output_parts", "source_parts", "target_parts"), "views of this rank's array"),
}


def check_what_objects_do():
    seen = set()
    for thing, good in objects():
        kind = type(thing)
        seen.add(kind)
        for name, method in inspect.getmembers(kind, callable):
            if name in LOCAL_METHODS or (name.startswith("_") and name != "__call__") or name == "close":
                continue
            assert "ollective" in method.__doc__, f"{kind.__name__}.{name}: collective, or local and why?"
            names = parameters(method)
            needed = [
                one for one in names if inspect.signature(method).parameters[one].default is inspect.Parameter.empty
            ]
            mine = {one: good[one] for one in needed}
            if name.startswith(("write_", "read_")):
                assert (
                    end(lambda thing=thing, good=good: thing.write_input(FOLDER / "field.h5", good["x"]()))
                    == [""] * COMM.size
                )
            tried(
                f"{kind.__name__}.{name}",
                names,
                lambda given, thing=thing, name=name: getattr(thing, name)(**given),
                mine,
            )
            # Life goes on.
            if "out" not in needed and not name.startswith("read_output"):
                ends = end(
                    lambda thing=thing, name=name, mine=mine: getattr(thing, name)(
                        **{one: make() for one, make in mine.items()}
                    )
                )
                assert name == "write_trace" or ends == [""] * COMM.size, (kind, name, ends)
        thing.close()
        ends = end(lambda thing=thing: thing._alive())
        assert len(set(ends)) == 1
        assert "closed" in ends[0]
    assert seen == {thing for thing in public().values() if inspect.isclass(thing) and issubclass(thing, Collective)}


run_checks(globals())
watch(None)
