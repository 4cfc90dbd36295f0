"""What is raced: cases, contestants, rounds. Made by the command, read by the job."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

KINDS = ("c2c", "r2c", "sphere", "gamma")
SPHERES = ("sphere", "gamma")
PRECISIONS = ("double", "single")
Shape = tuple[int, ...]
_MOST_AXES = 8
T = TypeVar("T")


@dataclass(frozen=True)
class Size:
    """A grid, and how many fields on it one call transforms."""

    shape: Shape
    batch: int = 1

    def __str__(self) -> str:
        return f"{self.batch}*{size_text(self.shape)}" if self.batch > 1 else size_text(self.shape)


@dataclass(frozen=True)
class Case:
    """One problem on some ranks of some threads. A sphere's radius is a quarter of the box's edge."""

    shape: Shape
    kind: str
    ranks: int
    threads: int = 1
    precision: str = "double"
    batch: int = 1

    @staticmethod
    def of(data: Mapping[str, Any]) -> Case:
        """From JSON, which has no tuples."""
        return Case(**{**data, "shape": tuple(data["shape"])})

    def __str__(self) -> str:
        words = f"{self.kind} {Size(self.shape, self.batch)} {self.precision} on {self.ranks} rank"
        words += "s" if self.ranks > 1 else ""
        return words + (f" of {self.threads} threads" if self.threads > 1 else "")

    @property
    def is_sphere(self) -> bool:
        return self.kind in SPHERES

    @property
    def points(self) -> int:
        """Of one field."""
        return math.prod(self.shape)

    @property
    def spectrum_shape(self) -> Shape:
        """Of one field that is transformed as a box."""
        return self.shape if self.kind in ("c2c", "sphere") else (*self.shape[:-1], self.shape[-1] // 2 + 1)

    @property
    def complex_type(self) -> str:
        return "complex128" if self.precision == "double" else "complex64"

    @property
    def real_type(self) -> str:
        return "float64" if self.precision == "double" else "float32"

    @property
    def field_type(self) -> str:
        """Of the numbers of a box."""
        return self.complex_type if self.kind in ("c2c", "sphere") else self.real_type

    @property
    def complex_bytes(self) -> int:
        return 16 if self.precision == "double" else 8

    @property
    def field_bytes(self) -> int:
        """Bytes of all fields."""
        of_one = self.complex_bytes // (1 if self.kind in ("c2c", "sphere") else 2)
        return self.batch * self.points * of_one


@dataclass
class Settings:
    """Everything that a job must know. All its cases are of the same ranks and threads."""

    cases: list[Case]
    rounds: int
    #: Fewer variants of everybody, those that hardly ever win left out.
    quick: bool = False
    #: Options of each of Weft's contestants; empty: `weft_configurations` chooses.
    weft: list[dict[str, str]] = field(default_factory=list)
    #: Path of FFTW's MPI library; None: it is not there.
    fftw_mpi: str | None = None
    #: Other libraries that take part: dtFFT, mpi4py-fft, SciPy, pyFFTW, ducc0, oneMKL, SpFFT.
    rivals: list[str] = field(default_factory=list)
    #: Folder of what FFTW has learned from earlier jobs and learns from this one; None: it is kept nowhere.
    wisdom: str | None = None
    #: Seconds that the repetitions of one turn should add up to.
    turn: float = 0.1

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def load(path: Path) -> Settings:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        data["cases"] = [Case.of(case) for case in data["cases"]]
        return Settings(**data)


# ---- Weft's contestants


def default_configuration(case: Case) -> dict[str, str]:
    """The one contestant that stands for Weft as it comes: no option but what the case is about."""
    options = {} if case.is_sphere else {"transposed": "true"}
    return {**options, "threads": str(case.threads)} if case.threads > 1 else options


def weft_configurations(settings: Settings, case: Case) -> list[dict[str, str]]:
    """Options of Weft's contestants: the default first; other strategies where there is something to exchange, and other
    backends."""
    threads = {"threads": str(case.threads)} if case.threads > 1 else {}
    if settings.weft:
        return [{**threads, **options} for options in settings.weft]
    default = default_configuration(case)
    strategies = _others("strategy", quick=("shared", "alltoallv") if settings.quick else ()) if case.ranks > 1 else []
    changes = [{"strategy": name} for name in strategies]
    if case.is_sphere:
        return [default, *({**default, **change} for change in changes)]
    changes += [{"backend": name} for name in _others("backend")]
    normal = {**default, "transposed": "false"}
    in_normal_order = [] if settings.quick else [{**normal, **change} for change in changes if "strategy" in change]
    return [
        default,
        {**default, "in_place": "true"},
        *({**default, **change} for change in changes),
        *([normal, *in_normal_order] if case.ranks > 1 else []),
    ]


def _others(option: str, quick: tuple[str, ...] = ()) -> list[str]:
    """What an option may be but for its default; of a slow reference nobody wants to know. `quick`: only those of them."""
    import weft

    names = weft.strategies() if option == "strategy" else weft.backends()
    default = next(item.default for item in weft.options() if item.name == option)
    return [name for name in names if name not in (default, "auto", "reference") and (not quick or name in quick)]


# ---- texts of the command line


def size_text(shape: Shape) -> str:
    return "x".join(map(str, shape))


def parse_size(text: str) -> Size:
    """``64`` is a cube, ``48x40x36`` is not, ``2048x2048`` is a plane, ``8*64`` are eight fields on a cube."""
    batch, star, grid = text.lower().rpartition("*")
    try:
        count = int(batch) if star else 1
        numbers = [int(word) for word in grid.split("x")]
    except ValueError:
        count, numbers = 0, []
    if count < 1 or not 1 <= len(numbers) <= _MOST_AXES or min(numbers) < 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no shape; allowed are N for a cube and N0xN1 to {_MOST_AXES} of them with numbers from 1 on, and B* of "
            "them for a batch of B"
        )
    return Size(tuple(numbers * 3 if len(numbers) == 1 else numbers), count)


def parse_kind(text: str) -> str:
    return _one_of(text, "kind", KINDS)


def parse_precision(text: str) -> str:
    return _one_of(text, "precision", PRECISIONS)


def list_of(parse: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Words separated by commas, each once."""
    return lambda text: list(dict.fromkeys(parse(word) for word in text.split(",")))


def _one_of(text: str, what: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise argparse.ArgumentTypeError(f"'{text}' is no {what}; allowed are {', '.join(words)}")
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
