"""What all pictures share: matplotlib or an error that says how to get it, one look, files that are never half-written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weft._outputs import written

from .output import CommandError

INK, SOFT = "#1f2933", "#7b8794"


def require_matplotlib() -> None:
    """Error that says what to install if there is no matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise CommandError(
            "the picture needs matplotlib: python -m pip install matplotlib (or use --no-plot)"
        ) from None


def style(size: int, xticks: str = SOFT, yticks: str = SOFT) -> Any:
    """Settings for `matplotlib.pyplot.rc_context`: the size of the font, and the colours of the numbers at the axes."""
    return {
        "font.size": size,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": SOFT,
        "xtick.color": xticks,
        "ytick.color": yticks,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }


def save(figure: Any, path: Path, dpi: int) -> None:
    """Write the figure as PNG, beside and renamed, and close it."""
    from matplotlib import pyplot

    try:
        with written(path) as beside:
            figure.savefig(beside, format="png", dpi=dpi, facecolor="white")
    finally:
        pyplot.close(figure)
