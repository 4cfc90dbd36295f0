"""What a report says, worked out of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

#: Everything is compared with the best of these, where they take part; else with Weft's own default. They never meet:
#: FFTW runs in one process, FFTW-MPI in several, SpFFT transforms spheres.
BASES = ("FFTW-MPI", "FFTW", "SpFFT")
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
    def order(self) -> str:
        return "transposed" if self.transposed else "normal order"

    @property
    def is_default(self) -> bool:
        return bool(self.data.get("default"))

    def part(self, *names: str) -> float:
        """Share of the mean time that some parts take, where the library tells."""
        parts = self.data["parts"]
        whole = sum(parts[name] for name in ("compute", "start", "test", "wait"))
        return sum(parts[name] for name in names) / whole if whole > 0 else 0.0


class CaseFigures:
    """One case. Only contestants whose results are right count."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.shape, self.batch = tuple(data["shape"]), int(data["batch"])
        self.kind, self.precision = str(data["kind"]), str(data["precision"])
        self.ranks, self.threads = int(data["ranks"]), int(data["threads"])
        self.skipped = data.get("skipped")
        self.busy: dict[str, float] = data.get("busy", {"others": 0.0, "stolen": 0.0})
        self.quiet = bool(data.get("quiet", True))
        #: What `regret.py` makes of the default, by order; None: of results that are older, or of no contestants.
        self.regrets: list[dict[str, Any]] | None = data.get("regrets")
        self.limit: dict[str, float] | None = data.get("limit")
        self.entries = [Entry(item) for item in data["contestants"] if item.get("right")]
        self.failures = [
            f"{item['family']} {item['name']}: {item.get('failed', 'wrong result')}"
            for item in data["contestants"]
            if not item.get("right")
        ]

    @property
    def setup(self) -> str:
        """``2 ranks``, ``1 rank of 2 threads, single``"""
        text = f"{self.ranks} rank{'s' if self.ranks > 1 else ''}"
        text += f" of {self.threads} threads" if self.threads > 1 else ""
        return text + (", single" if self.precision == "single" else "")

    @property
    def size(self) -> str:
        """``64³``, ``8 × 64³``, ``96×144×200``"""
        power = "  ²³⁴⁵⁶⁷⁸"[len(self.shape)]
        text = f"{self.shape[0]}{power}" if len(set(self.shape)) == 1 else "×".join(map(str, self.shape))
        return f"{self.batch} × {text}" if self.batch > 1 else text

    @property
    def base(self) -> Entry | None:
        return self.best(*BASES) or self.default or self.best(WEFT)

    @property
    def default(self) -> Entry | None:
        """What Weft does, transposed, when no option is given."""
        return next((entry for entry in self.entries if entry.is_default), None)

    def best(self, *families: str, transposed: bool | None = None) -> Entry | None:
        """The families' contestant with the smallest median, of those that leave the spectrum so."""
        found = [entry for entry in self.entries if entry.family in families and transposed in (None, entry.transposed)]
        return min(found, key=lambda entry: entry.median, default=None)

    def find(self, label: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.label == label), None)

    def ratio(self, entry: Entry | None) -> float | None:
        """Time over that of the base; below 1 is faster."""
        base = self.base
        return entry.median / base.median if entry is not None and base is not None else None

    def least_ratio(self, entry: Entry) -> float | None:
        """The same of the smallest times, which other processes disturb least."""
        bases = [other.least for other in self.entries if other.family in BASES]
        return entry.least / min(bases) if bases else None


def all_cases(document: dict[str, Any]) -> list[CaseFigures]:
    return [CaseFigures(case) for case in document["cases"]]


def base_name(cases: list[CaseFigures]) -> str:
    """What 1.00 stands for."""
    found = {entry.family for case in cases if (entry := case.best(*BASES)) is not None}
    names = [*(["the best of FFTW's variants"] if found & {"FFTW", "FFTW-MPI"} else [])]
    names += ["SpFFT"] if "SpFFT" in found else []
    return " (of spheres: to ".join(names) + ")" * (len(names) - 1) or "Weft itself (neither FFTW nor SpFFT took part)"


Pick = Callable[[CaseFigures], "Entry | None"]


def picks() -> list[tuple[str, Pick]]:
    """The contestants that summaries show: each library's best, and Weft as it comes."""

    def best(*families: str, transposed: bool | None = None) -> Pick:
        return lambda case: case.best(*families, transposed=transposed)

    def default_in_order(case: CaseFigures) -> Entry | None:
        return case.find(f"{WEFT} default options, normal order")

    return [
        ("Weft, default options", lambda case: case.default),
        ("Weft, best", best(WEFT, transposed=True)),
        ("Weft, default options, normal order", default_in_order),
        ("Weft, best, normal order", best(WEFT, transposed=False)),
        ("FFTW", best("FFTW")),
        ("FFTW-MPI, transposed", best("FFTW-MPI", transposed=True)),
        ("FFTW-MPI, normal order", best("FFTW-MPI", transposed=False)),
        *((name, best(name)) for name in ("dtFFT", "mpi4py-fft", "SciPy", "pyFFTW", "ducc0", "oneMKL", "SpFFT")),
    ]


def groups(cases: list[CaseFigures]) -> Iterator[tuple[str, str, list[CaseFigures]]]:
    """Kind, setup, and the cases that have these."""
    for kind in dict.fromkeys(case.kind for case in cases):
        for setup in dict.fromkeys(case.setup for case in cases):
            found = [case for case in cases if (case.kind, case.setup) == (kind, setup) and case.entries]
            if found:
                yield kind, setup, found
