"""The library's options as command-line flags, taken from the library itself."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from functools import wraps
from itertools import takewhile
from typing import Annotated, Any, Optional, get_type_hints

import typer

import weft
from weft import _arguments
from weft.operators import Function, named

from .output import CommandError

#: What the library says is allowed for an option that is on or off.
BOOLEAN = "true, false"

Ranks = Annotated[
    Optional[str],
    typer.Option("-n", "--ranks", metavar="N", help="Launch mpiexec with N processes."),
]
Kind = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="c2c, r2c, c2r, or a line for each axis (dct2-dst1-r2c).")
]
Precision = Annotated[str, typer.Option("--precision", metavar="P", help="double or single.")]
Tolerance = Annotated[
    str,
    typer.Option(
        "--tolerance",
        metavar="ERROR",
        help="Formats for the wire may be used that bring an error of at most this into a direction, like 1e-6.",
    ),
]
Batch = Annotated[str, typer.Option("--batch", metavar="N", help="Fields transformed by one call.")]
Json = Annotated[
    Optional[str],
    typer.Option("--json", metavar="FILE", help="Write the result as JSON to FILE, or to standard output (-)."),
]


def library_options(
    command: Callable[..., None], without: tuple[str, ...] = (), operation: str = "transform"
) -> Callable[..., None]:
    """Give a command a flag for every library option that applies to the operation; it gets those that were used as its
    argument `options`."""
    descriptions = [
        item for item in weft.options() if operation in item.applies_to.split(", ") and item.name not in without
    ]
    hints = get_type_hints(command, include_extras=True)
    parameters = [
        parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(command).parameters.items()
        if name != "options"
    ]
    for item in descriptions:
        flag = typer.Option(
            f"--{item.name.replace('_', '-')}",
            metavar=_placeholder(item),
            help=f"{item.help} ({item.values}).",
            rich_help_panel="Options of the library",
        )
        parameters.append(
            inspect.Parameter(
                item.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[Optional[str], flag]
            )
        )

    @wraps(command)
    def wrapped(**arguments: Any) -> None:
        used = {item.name: arguments.pop(item.name) for item in descriptions}
        command(**arguments, options={name: text for name, text in used.items() if text is not None})

    # typer reads the signature, which `wraps` would have it look up in the wrapped function.
    del wrapped.__wrapped__
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


def _placeholder(item: weft.Option) -> str:
    if item.values == BOOLEAN:
        return "[BOOL]"
    if item.default.isdigit():
        return "N"
    return {"grid": "PxQ", "process_grid": "PxQ", "trace": "FILE"}.get(item.name, "NAME")


#: Commands whose --lengths are those of a box.
_WITH_BOXES = ("explain", "predict", "tune")


def completed(arguments: list[str]) -> list[str]:
    """The command line with what the C++ programs let one leave out: ``--transposed`` for ``--transposed true``; and with the
    numbers of a shape, or of a box, in one word: ``--shape 64x32x32`` for ``--shape 64 32 32``."""
    flags = {f"--{item.name.replace('_', '-')}" for item in weft.options() if item.values == BOOLEAN}
    out: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        out.append(word)
        if word in ("--shape", "--modes"):
            given = _values(words)
            first = given[:1] if "x" in "".join(given[:1]) else given
            out.append("x".join(first))
            del words[: len(first)]
        elif word == "--lengths" and arguments[0] in _WITH_BOXES:
            given = _values(words)
            out.append(",".join(given))
            del words[: len(given)]
        elif word in flags and (not words or words[0].startswith("-")):
            out.append("true")
    return out


def _values(words: list[str]) -> list[str]:
    """What comes before the next flag."""
    return list(takewhile(lambda word: not re.match(r"--?[a-zA-Z]", word), words))


_SHAPE = {"metavar": "N0 N1 N2", "help": "Global grid of one to eight axes, the last the fastest: 8 8 8, or 8x8x8."}
Shape = Annotated[str, typer.Option("--shape", **_SHAPE)]
OptionalShape = Annotated[Optional[str], typer.Option("--shape", **_SHAPE)]
Modes = Annotated[
    Optional[str],
    typer.Option("--modes", metavar="M0 M1 M2", help="Modes that the spectrum keeps of each axis (default: all)."),
]


def shape_of(text: str, argument: str = "--shape", axes: int | None = None) -> tuple[int, ...]:
    """The numbers of --shape, as many as `axes` where that is said."""
    words = text.split("x") if text else []
    if not words or len(words) > _arguments.MOST_AXES or len(words) != (axes or len(words)):
        wanted = f"{axes} numbers are" if axes else f"one to {_arguments.MOST_AXES} numbers are"
        raise CommandError(f"{argument} is '{text.replace('x', ' ')}'; {wanted} needed, like 8 8 8 or 8x8x8")
    return tuple(whole(word, argument) for word in words)


def modes_of(text: str | None, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """What --modes says, of a grid of that shape."""
    return None if text is None else shape_of(text, "--modes", len(shape))


# The flags of commands that take a plain transform, too.
OperatorFlag = Annotated[
    Optional[str],
    typer.Option(
        "--operator", metavar="NAME", help="An operator with this function of the library: gradient, cross, ..."
    ),
]
ValuesFlag = Annotated[
    Optional[str], typer.Option("--values", metavar="X,Y", help="Numbers that the operator's function needs.")
]

LengthsFlag = Annotated[
    Optional[str],
    typer.Option(
        "--lengths",
        metavar="A B C",
        help="Lengths of the operator's box, one for each axis (default: 2 pi; wave numbers are integers).",
    ),
]


def function_of(operator: str | None, values: str | None) -> Function | None:
    """The function that --operator and --values mean; None for a plain transform."""
    if operator is None:
        if values is not None:
            raise CommandError("--values is given; it is for --operator")
        return None
    try:
        given = [] if values is None else [float(word) for word in values.split(",")]
    except ValueError:
        raise CommandError(f"--values is '{values}'; numbers with commas between them are needed") from None
    return named(operator, *given)


def lengths_of(operator: str | None, text: str | None) -> float | list[float]:
    """What --lengths says of the box of --operator: a length for each axis; 2 pi without."""
    if text is None:
        return 2 * math.pi
    if operator is None:
        raise CommandError("--lengths is given; it is for --operator")
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise CommandError(f"--lengths is '{text.replace(',', ' ')}'; a number for each axis is needed") from None


def whole(text: str, argument: str) -> int:
    """A whole number; the parsers of typer would not say which value was wrong."""
    try:
        return int(text)
    except ValueError:
        raise CommandError(f"{argument} is '{text}'; a whole number is needed") from None


def at_least(text: str, argument: str, least: int) -> int:
    """A whole number from `least` on."""
    number = whole(text, argument)
    if number < least:
        raise CommandError(f"{argument} is {number}; it must be at least {least}")
    return number


def error_of(text: str) -> float:
    """What --tolerance says."""
    try:
        error = float(text)
    except ValueError:
        error = -1.0
    if not 0 <= error < float("inf"):
        raise CommandError(f"--tolerance is '{text}'; a relative error from 0 on is needed, like 1e-6")
    return error


def number_of_ranks(text: str | None) -> int | None:
    """What -n says."""
    return None if text is None else whole(text, "-n")


def numbers(text: str | None, argument: str) -> list[float] | None:
    """One or three positive numbers from "1.5", "1,1,2", "1 1 2" or "1x1x2"."""
    if text is None:
        return None
    words = text.replace(",", " ").replace("x", " ").split()
    try:
        found = [float(word) for word in words]
    except ValueError:
        found = []
    if len(found) not in (1, 3) or not all(0 < number < float("inf") for number in found):
        raise CommandError(f"{argument} is '{text}'; one or three positive numbers are needed, like 1.5 or 1,1,2")
    return found * 3 if len(found) == 1 else found
