"""Plots as PNG."""

from __future__ import annotations

import io
from typing import Any

from ..cli.drawing import require_matplotlib, style

COLOURS = ("#0b7285", "#e8590c", "#5f3dc4", "#2b8a3e", "#c2255c", "#868e96", "#1864ab", "#f59f00")
MARKERS = "osD^vPX*"


def ys_of(plot: dict[str, Any]) -> list[float]:
    return [y for points in plot["series"].values() for _, y in points]


def png(plot: dict[str, Any]) -> bytes:
    require_matplotlib()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with pyplot.rc_context(style(9)):
        figure, axes = pyplot.subplots(figsize=(5.2, 3.2), layout="constrained")
        for i, (name, points) in enumerate(plot["series"].items()):
            xs, ys = [x for x, _ in points], [y for _, y in points]
            axes.plot(xs, ys, label=name, color=COLOURS[i % 8], marker=MARKERS[i % 8], markersize=4, linewidth=1.3)
        ticks = sorted({x for points in plot["series"].values() for x, _ in points})
        if plot["log_x"]:
            axes.set_xscale("log", base=2)
            axes.minorticks_off()
        if plot["log_x"] or len(ticks) <= 8:
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        if plot["log_y"] and max(ys_of(plot)) > 4 * min(ys_of(plot)):
            axes.set_yscale("log")
            few = max(ys_of(plot)) < 30 * min(ys_of(plot))  # powers of ten alone would leave the axis without numbers
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if few and f"{value:e}"[0] in "25" else "")
        else:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(plot["x"])
        axes.set_ylabel(plot["y"])
        axes.set_title(plot["title"], loc="left")
        axes.grid(color="#e4e7eb", linewidth=0.6)
        axes.legend(frameon=False)
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=130, facecolor="white")
        pyplot.close(figure)
    return content.getvalue()
