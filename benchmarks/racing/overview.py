"""One table and one picture for the project's README: how many times as fast as the best of others, by processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weft.cli.drawing import INK, save, style

from .figures import BASES, CaseFigures, all_cases
from .publish import documents
from .table import title
from .tables import table

#: What the rows are called.
_KINDS = {"c2c": "complex", "r2c": "real", "sphere": "complex spheres (SpFFT)", "gamma": "real spheres (SpFFT)"}


def factors(document: dict[str, Any]) -> dict[str, float]:
    """By case on two ranks: the best rival's time over that of Weft's default options, where the machine was quiet."""
    found: dict[str, float] = {}
    for case in all_cases(document):
        ratio = case.ratio(case.default)
        if case.ranks == 2 and case.threads == 1 and case.quiet and ratio and case.best(*BASES) is not None:
            found[_label(case)] = 1 / ratio
    return found


def overview(results: Path, name: str, picture: str) -> str:
    """The table in Markdown, below the picture."""
    found = [document for _, document in documents(results, name)]
    columns = [factors(document) for document in found]
    rows = [
        [label, *(f"{column[label]:.1f}" if label in column else "" for column in columns)]
        for label in _labels(columns)
    ]
    heads = ["2 ranks, transposed", *(document["machine"]["slug"] for document in found)]
    return (
        f"![How many times as fast as the best of FFTW-MPI's variants Weft's default is on two ranks]({picture})\n\n"
        "How many times as fast as the best of FFTW-MPI's variants (spheres: as SpFFT) Weft's default is; empty: not raced there, or not quietly.\n\n"
        + table(heads, rows)
    )


def draw(results: Path, name: str, path: Path) -> None:
    """Write the picture: a row of points for each case, one for each processor."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = [document for _, document in documents(results, name)]
    columns = [factors(document) for document in found]
    labels = _labels(columns)
    with pyplot.rc_context(style(10, xticks=INK)):
        figure, axes = pyplot.subplots(figsize=(9, 1.4 + 0.3 * len(labels)), layout="constrained")
        axes.axvline(1, color=INK, linewidth=1)
        for document, column, marker in zip(found, columns, "osD^v<>"):
            here = [(column[label], at) for at, label in enumerate(labels) if label in column]
            axes.plot(*zip(*here), marker, markersize=7, label=title(document))
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.grid(axis="both", alpha=0.25)
        axes.set_xlim(left=0)
        axes.set_xlabel(
            "times as fast as the best of FFTW-MPI's variants, of spheres as SpFFT (right of 1: Weft is ahead)"
        )
        figure.legend(loc="outside upper left", ncols=2, frameon=False)
        save(figure, path, dpi=130)


def _labels(columns: list[dict[str, float]]) -> list[str]:
    """Double precision, single precision, batches, spheres; complex ones first; as the fullest column has them."""
    found = list(dict.fromkeys(label for column in sorted(columns, key=len, reverse=True) for label in column))
    words = ("single", "8 ×", "spheres")
    return sorted(found, key=lambda label: ([word in label for word in reversed(words)], "real" in label))


def _label(case: CaseFigures) -> str:
    single = ", single precision" if case.precision == "single" else ""
    return f"{case.size} {_KINDS.get(case.kind, case.kind)}{single}"
