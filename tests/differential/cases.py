"""A case: what it is of, and its settings; as a line of text, drawn from a seed, and made smaller."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator
from importlib import import_module
from typing import Any

#: Settings by name; "of" is the subject. A setting that is left out has its default.
Case = dict[str, Any]
#: Modules of subjects/, and how many of all cases are theirs.
SUBJECTS = {
    "transforms": 5,
    "parts": 2,
    "operators": 3,
    "spheres": 3,
    "redistributions": 2,
    "functions": 2,
    "mpi4py_fft": 2,
}


def subject(name: str) -> Any:
    """The module that draws and checks cases of this name."""
    return import_module(f"differential.subjects.{name}")


def text(case: Case) -> str:
    """One line, which `parsed` reads."""
    settings = (f"{name}={json.dumps(value, separators=(',', ':'))}" for name, value in case.items() if name != "of")
    return " ".join([case["of"], *settings])


def parsed(line: str) -> Case:
    """The case of a line."""
    of, *settings = line.split()
    if of not in SUBJECTS:
        raise ValueError(f"a case is of one of {', '.join(SUBJECTS)}, not of {of!r}")
    return {"of": of, **{name: json.loads(value) for name, _, value in (one.partition("=") for one in settings)}}


def quoted(case: Case) -> str:
    """The line as a shell reads it."""
    return shlex.quote(text(case))


def drawn(seed: int, count: int, ranks: int, only: list[str] | None = None) -> list[Case]:
    """The first cases of a seed. Case number i does not depend on how many there are."""
    names = [name for name, many in SUBJECTS.items() for _ in range(many) if not only or name in only]
    found = []
    for number in range(count):
        chance = Chance(f"{seed} {ranks} {number}")
        name = chance.random.choice(names)
        found.append({"of": name, **subject(name).draw(chance, ranks), "numbers": number % 100})
    return found


class Chance:
    """Random choices, the same on every machine."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def happens(self, probability: float) -> bool:
        return self.random.random() < probability

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def extent(self) -> int:
        """Of one axis: mostly few points, among them 1, 2, and lengths with large prime factors."""
        return int(
            self.random.choice((self.random.randint(1, 6), self.random.randint(1, 16), self.random.randint(1, 40)))
        )

    def shape(self, axes: int, most: int = 12000) -> list[int]:
        while True:
            found = [self.extent() for _ in range(axes)]
            points = 1
            for n in found:
                points *= n
            if points <= most:
                return found

    def some(self, **settings: tuple[float, Any]) -> Case:
        """Of settings with a probability and a value (or what makes one) those that come up."""
        return {
            name: value() if callable(value) else value
            for name, (probability, value) in settings.items()
            if self.happens(probability)
        }


def smaller(case: Case) -> Iterator[Case]:
    """Cases with less in them, those that differ most first. Some may make no sense."""
    fixed = ("of", "numbers")
    names = [name for name in case if name not in fixed]
    for gone in (names[len(names) // 2 :], names[: len(names) // 2], names[1::2], names[::2]):
        yield {name: value for name, value in case.items() if name not in gone}
    for name, value in case.items():
        if name in fixed:
            continue
        for other in _less(value):
            yield {**case, name: other}
        yield {key: kept for key, kept in case.items() if key != name}
    if case.get("numbers", 0) != 0:
        yield {**case, "numbers": 0}


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        return
    if isinstance(value, int) and value > 1:
        yield from sorted({1, value // 2, value - 1})
    if isinstance(value, list) and all(isinstance(item, int) and not isinstance(item, bool) for item in value):
        if any(item > 2 for item in value):
            yield [(item + 1) // 2 for item in value]
        for at, item in enumerate(value):
            for other in sorted({1, item // 2, item - 1} - {0, item}):
                if 0 < other < item:
                    yield [*value[:at], other, *value[at + 1 :]]
