"""What a report says, worked out of what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Everything is compared with the best of this family, where it takes part; else with Weft's own default.
BASE = "FFTW-MPI"
WEFT = "Weft"


@dataclass(frozen=True)
class Entry:
    """One contestant in one case."""

    data: dict[str, Any]

    @property
    def family(self) -> str:
        return str(self.data["family"])

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @property
    def label(self) -> str:
        return f"{self.family} {self.name}"

    @property
    def median(self) -> float:
        return float(self.data["seconds"]["median"])

    @property
    def least(self) -> float:
        return float(self.data["seconds"]["min"])

    @property
    def transposed(self) -> bool:
        return "normal order" not in self.name

    @property
    def is_default(self) -> bool:
        return bool(self.data.get("default")) or self.data.get("options") == {"transposed": "true"}

    def part(self, *names: str) -> float:
        """Share of the mean time that some parts take, where the library tells."""
        parts = self.data["parts"]
        whole = sum(parts[name] for name in ("compute", "start", "test", "wait"))
        return sum(parts[name] for name in names) / whole if whole > 0 else 0.0


class CaseFigures:
    """One case. Only contestants whose results are right count."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.shape = tuple(data["shape"])
        self.kind, self.ranks = str(data["kind"]), int(data["ranks"])
        self.skipped = data.get("skipped")
        self.others = float(data.get("other_processes", 0))
        self.limit: dict[str, float] | None = data.get("limit")
        self.entries = [Entry(item) for item in data["contestants"] if item.get("right")]
        self.failures = [
            f"{item['family']} {item['name']}: {item.get('failed', 'wrong result')}"
            for item in data["contestants"]
            if not item.get("right")
        ]

    @property
    def base(self) -> Entry | None:
        return self.best(BASE) or self.default or self.best(WEFT)

    @property
    def default(self) -> Entry | None:
        """What Weft does, transposed, when no strategy is asked for."""
        return next((entry for entry in self.entries if entry.is_default), None)

    def best(self, family: str, transposed: bool | None = None) -> Entry | None:
        """The family's contestant with the smallest median, of those that leave the spectrum so."""
        found = [entry for entry in self.entries if entry.family == family and transposed in (None, entry.transposed)]
        return min(found, key=lambda entry: entry.median, default=None)

    def find(self, label: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.label == label), None)

    def ratio(self, entry: Entry | None) -> float | None:
        """Time over that of the base; below 1 is faster."""
        base = self.base
        return entry.median / base.median if entry is not None and base is not None else None

    def least_ratio(self, entry: Entry) -> float | None:
        """The same of the smallest times, which other processes disturb least."""
        bases = [other.least for other in self.entries if other.family == BASE]
        return entry.least / min(bases) if bases else None


def all_cases(document: dict[str, Any]) -> list[CaseFigures]:
    return [CaseFigures(case) for case in document["cases"]]


def base_name(cases: list[CaseFigures]) -> str:
    """What 1.00 stands for."""
    if any(case.best(BASE) is not None for case in cases):
        return f"the best of {BASE}'s variants"
    return "Weft itself (FFTW-MPI did not take part)"
