"""What is raced: problems, ranks, contestants, rounds. Made by the command, read by the job."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

KINDS = ("c2c", "r2c")
Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Case:
    """One problem on one number of ranks."""

    shape: Shape
    kind: str
    ranks: int

    def __str__(self) -> str:
        return f"{self.kind} {size_text(self.shape)} on {self.ranks} rank{'s' if self.ranks > 1 else ''}"

    @property
    def points(self) -> int:
        return math.prod(self.shape)

    @property
    def field_bytes(self) -> int:
        """Bytes of the whole field in double precision."""
        return self.points * (16 if self.kind == "c2c" else 8)


@dataclass
class Settings:
    """Everything that a job must know."""

    shapes: list[Shape]
    kinds: list[str]
    rounds: int
    #: Options of each of Weft's contestants; empty: `weft_configurations` chooses.
    weft: list[dict[str, str]] = field(default_factory=list)
    #: Path of FFTW's MPI library; None: it is not there.
    fftw_mpi: str | None = None
    mpi4py_fft: bool = True
    #: Seconds that the repetitions of one turn should add up to.
    turn: float = 0.1

    def cases(self, ranks: int) -> Iterator[Case]:
        for kind in self.kinds:
            for shape in self.shapes:
                yield Case(shape, kind, ranks)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def load(path: Path) -> Settings:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        data["shapes"] = [tuple(shape) for shape in data["shapes"]]
        return Settings(**data)


def weft_configurations(settings: Settings, ranks: int) -> list[dict[str, str]]:
    """Options of Weft's contestants: the default strategy first; all of them where there is something to exchange."""
    if settings.weft:
        return settings.weft
    import weft

    default = default_strategy()
    others = [name for name in weft.strategies() if name != default] if ranks > 1 else []
    return [
        default_configuration(),
        *({"strategy": name, "transposed": "true"} for name in others),
        {**default_configuration(), "in_place": "true"},
        *({"strategy": name, "transposed": "false"} for name in [default, *others]),
    ]


def default_strategy() -> str:
    """The strategy of a transform that names none."""
    import weft

    return next(option.default for option in weft.options() if option.name == "strategy")


def default_configuration() -> dict[str, str]:
    """The one contestant that stands for Weft as it comes."""
    return {"strategy": default_strategy(), "transposed": "true"}


# ---- texts of the command line


def size_text(shape: Shape) -> str:
    return "x".join(map(str, shape))


def parse_shape(text: str) -> Shape:
    """``64`` is a cube, ``48x40x36`` is not."""
    try:
        numbers = [int(word) for word in text.lower().split("x")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 3) or min(numbers, default=0) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no shape; allowed are N and N0xN1xN2 with numbers from 1 on")
    return (numbers * 3)[0], (numbers * 3)[1], (numbers * 3)[2]


def parse_kind(text: str) -> str:
    if text not in KINDS:
        raise argparse.ArgumentTypeError(f"'{text}' is no kind; allowed are {', '.join(KINDS)}")
    return text


def parse_number(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; whole numbers from 1 on are")
    return int(text)


def parse_configuration(text: str) -> dict[str, str]:
    """``strategy=pairwise,tile=8``: options of weft.FFT by name."""
    import weft

    names = {option.name for option in weft.options()}
    options: dict[str, Any] = {}
    for item in text.split(","):
        name, equals, value = item.partition("=")
        if not equals or name not in names:
            raise argparse.ArgumentTypeError(
                f"'{item}' is no option of Weft; allowed are NAME=VALUE with {sorted(names)}"
            )
        options[name] = value
    try:
        weft.plan((4, 4, 4), **options)
    except weft.Error as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
    return options
