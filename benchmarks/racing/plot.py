"""The picture: bars of time relative to the best of FFTW's variants, of spheres to SpFFT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weft.cli.drawing import INK, save, style

from .figures import CaseFigures, all_cases, base_name, groups, picks
from .table import title

#: Bars are cut off here: what is slower still should not flatten the others.
_HIGHEST = 2.6
#: Of those that the tables show.
_COLOURS = {
    "Weft, default options": "#0b6e8a",
    "Weft, best": "#7cc0d1",
    "FFTW": "#8a7f8d",
    "FFTW-MPI, transposed": "#a89bab",
    "FFTW-MPI, normal order": "#cfc7d1",
    "dtFFT": "#6f8f5f",
    "mpi4py-fft": "#e0a458",
    "SciPy": "#c9806b",
    "pyFFTW": "#b5a642",
    "ducc0": "#9c7a54",
    "oneMKL": "#5f7fa8",
    "SpFFT": "#8f9e6b",
}
#: Panels in a row of the picture, which grows downwards.
_BESIDE = 2


def draw(path: Path, document: dict[str, Any]) -> None:
    """Write the picture as PNG, beside and renamed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    cases = [case for case in all_cases(document) if case.entries]
    panels = list(groups(cases))
    columns = min(_BESIDE, len(panels))
    rows = -(-len(panels) // columns)
    with pyplot.rc_context(style(9, xticks=INK)):
        size = (1.6 + 5.4 * columns, 1.4 + 2.1 * rows)
        figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, sharey=True, layout="constrained")
        bars = [(name, pick) for name, pick in picks() if name in _COLOURS]
        found = [ratio for case in cases for _, pick in bars if (ratio := case.ratio(pick(case))) is not None]
        top = min(_HIGHEST, 1.12 * max(found, default=1))
        axes[0][0].set_ylim(0, top)  # shared by all
        legend: dict[str, Any] = {}
        for place, area in enumerate(axes.flat):
            if place >= len(panels):
                area.set_visible(False)
                continue
            kind, setup, here = panels[place]
            legend.update(_bars(area, here, top))
            area.set_title(f"{kind}, {setup}", fontsize=10, loc="left")
        for row in axes:
            row[0].set_ylabel("relative time")
        figure.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=3 * columns, frameon=False)
        figure.suptitle(
            f"{title(document)}\nForward + backward: time relative to {base_name(cases)} (lower is faster)",
            x=0.01,
            ha="left",
            fontsize=11,
            fontweight="bold",
        )
        save(figure, path, dpi=150)


def _bars(axes: Any, cases: list[CaseFigures], top: float) -> dict[str, Any]:
    """The bars of those that take part here; what the legend says of them."""
    here = [(name, [pick(case) for case in cases]) for name, pick in picks() if name in _COLOURS]
    here = [(name, entries) for name, entries in here if any(entry is not None for entry in entries)]
    width = 0.86 / len(here)
    legend = {}
    for i, (name, entries) in enumerate(here):
        shown = [(at, case, entry) for at, (case, entry) in enumerate(zip(cases, entries)) if entry is not None]
        places = [at + (i - (len(here) - 1) / 2) * width for at, *_ in shown]
        heights = [case.ratio(entry) or 0.0 for _, case, entry in shown]
        legend[name] = axes.bar(places, heights, 0.94 * width, color=_COLOURS[name])
        for place, height in zip(places, heights):
            at = min(height, 0.92 * top)  # a bar that is cut off has its number inside
            axes.annotate(f"{height:.2f}", (place, at), (0, 2), textcoords="offset points", ha="center", fontsize=5.5)
        # The smallest times, which other processes disturb least.
        least = [case.least_ratio(entry) for _, case, entry in shown]
        marks = [(place, ratio) for place, ratio in zip(places, least) if ratio is not None and ratio < top]
        if marks:
            (legend["the same of the smallest times"],) = axes.plot(
                *zip(*marks), "_", color=INK, markersize=6, markeredgewidth=0.9
            )
    axes.axhline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    busy = {True: "", False: "~"}
    axes.set_xticks(
        range(len(cases)), [busy[case.quiet] + case.size for case in cases], fontsize=9 if len(cases) < 6 else 7
    )
    axes.tick_params(axis="x", length=0)
    axes.grid(True, axis="y", color="#e4e7eb", linewidth=0.7)
    axes.set_axisbelow(True)
    return legend
