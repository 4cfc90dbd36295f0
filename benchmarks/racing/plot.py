"""The picture: bars of time relative to the best of FFTW-MPI's variants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from weft.cli.drawing import INK, save, style

from .figures import WEFT, CaseFigures, Entry, all_cases, base_name

#: Bars are cut off here: what is slower still should not flatten the others.
_HIGHEST = 2.6
_BARS: list[tuple[str, str, Callable[[CaseFigures], Entry | None]]] = [
    ("Weft, best strategy", "#0b6e8a", lambda case: case.best(WEFT, True)),
    ("Weft, default strategy", "#7cc0d1", lambda case: case.default),
    ("FFTW-MPI, transposed", "#8a7f8d", lambda case: case.best("FFTW-MPI", True)),
    ("FFTW-MPI, normal order", "#bdb4c0", lambda case: case.best("FFTW-MPI", False)),
    ("mpi4py-fft", "#e0a458", lambda case: case.best("mpi4py-fft")),
]


def draw(path: Path, document: dict[str, Any]) -> None:
    """Write the picture as PNG, beside and renamed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    cases = [case for case in all_cases(document) if case.entries]
    kinds = list(dict.fromkeys(case.kind for case in cases))
    ranks = list(dict.fromkeys(case.ranks for case in cases))
    with pyplot.rc_context(style(9, xticks=INK)):
        figure, axes = pyplot.subplots(
            len(kinds),
            len(ranks),
            figsize=(1.6 + 3.4 * len(ranks), 1.3 + 2.3 * len(kinds)),
            squeeze=False,
            sharey=True,
            layout="constrained",
        )
        ratios = [ratio for case in cases for *_, pick in _BARS if (ratio := case.ratio(pick(case))) is not None]
        top = min(_HIGHEST, 1.12 * max(ratios, default=1))
        axes[0][0].set_ylim(0, top)  # shared by all
        for row, kind in enumerate(kinds):
            for column, number in enumerate(ranks):
                here = [case for case in cases if (case.kind, case.ranks) == (kind, number)]
                _bars(axes[row][column], here, top)
                axes[row][column].set_title(
                    f"{kind}, {number} rank{'s' if number > 1 else ''}", fontsize=10, loc="left"
                )
            axes[row][0].set_ylabel("relative time")
        handles, labels = axes[0][0].get_legend_handles_labels()
        columns = len(labels) if len(ranks) > 2 else 3
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
        figure.suptitle(
            f"Forward + backward, double precision: time relative to\n{base_name(cases)} (lower is faster)",
            x=0.01,
            ha="left",
            fontsize=11,
            fontweight="bold",
        )
        save(figure, path, dpi=150)


def _bars(axes: Any, cases: list[CaseFigures], top: float) -> None:
    width = 0.86 / len(_BARS)
    for i, (label, colour, pick) in enumerate(_BARS):
        entries = [(at, case, pick(case)) for at, case in enumerate(cases)]
        shown = [(at, case.ratio(entry), case, entry) for at, case, entry in entries if entry is not None]
        places = [at + (i - (len(_BARS) - 1) / 2) * width for at, *_ in shown]
        heights = [ratio or 0.0 for _, ratio, *_ in shown]
        axes.bar(places, heights, 0.94 * width, color=colour, label=label)
        for place, height in zip(places, heights):
            at = min(height, 0.94 * top)  # a bar that is cut off has its number inside
            axes.annotate(f"{height:.2f}", (place, at), (0, 2), textcoords="offset points", ha="center", fontsize=6)
        # The smallest times, which other processes disturb least.
        least = [case.least_ratio(entry) for _, _, case, entry in shown]
        marks = [(place, ratio) for place, ratio in zip(places, least) if ratio is not None and ratio < top]
        smallest = {"label": "the same of the smallest times"} if i == len(_BARS) - 1 else {}
        axes.plot(*zip(*marks), "_", color=INK, markersize=6, markeredgewidth=0.9, **smallest) if marks else None
    axes.axhline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_xticks(range(len(cases)), [_size(case.shape) for case in cases])
    axes.tick_params(axis="x", length=0)
    axes.grid(True, axis="y", color="#e4e7eb", linewidth=0.7)
    axes.set_axisbelow(True)


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[0]}³" if len(set(shape)) == 1 else "×".join(map(str, shape))
