"""The picture: three central slices of the field above its power spectrum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..drawing import SOFT, save, style
from .analysis import Result
from .report import density_label, wavenumber_label
from .shells import Spectrum
from .volumes import Volume

_LINE, _BAND = "#0b6e8a", "#e6eef2"


def draw(path: Path, volume: Volume, steps: NDArray[np.float64] | None, result: Result) -> None:
    """Write the picture as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with pyplot.rc_context(style(10)):
        figure = pyplot.figure(figsize=(9, 8.4), layout="constrained")
        layout: Any = figure.get_layout_engine()
        layout.set(rect=(0, 0, 1, 0.955))  # room for the title
        grid = figure.add_gridspec(2, 1, height_ratios=[1, 1.45], hspace=0.08)
        _slices(figure, grid[0], volume, steps, result.slices)
        _spectrum(figure.add_subplot(grid[1]), result.spectrum, volume.unit)
        size = " × ".join(map(str, volume.shape))
        title = f"{volume.name}   {size}"
        figure.suptitle(title, fontsize=13, fontweight="bold", x=0.02, y=0.985, ha="left", parse_math=False)
        save(figure, path, dpi=150)


def _slices(
    figure: Any, where: Any, volume: Volume, steps: NDArray[np.float64] | None, slices: list[NDArray[Any]]
) -> None:
    lengths = np.ones(3) if steps is None else np.linalg.norm(steps, axis=1)
    lengths = lengths * np.asarray(volume.shape)
    others = [[i for i in range(3) if i != axis] for axis in range(3)]
    # One colour scale, which single extreme values do not own; room for each picture in proportion to its width.
    low, high = np.percentile(np.concatenate([s.ravel() for s in slices]), [0.5, 99.5])
    grid = where.subgridspec(1, 3, width_ratios=[max(lengths[across], 1e-9) / lengths[up] for across, up in others])
    for axis, values in enumerate(slices):
        across, up = others[axis]
        axes = figure.add_subplot(grid[axis])
        extent = (0, lengths[across], 0, lengths[up])
        axes.imshow(
            values.T, origin="lower", cmap="bone", vmin=low, vmax=high, extent=extent, interpolation="antialiased"
        )
        axes.set_title(f"axis {axis} = {volume.shape[axis] // 2}", fontsize=9, color=SOFT)
        axes.set_xlabel(f"axis {across} →", fontsize=8, color=SOFT)
        axes.set_ylabel(f"axis {up} →", fontsize=8, color=SOFT)
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_visible(False)


def _spectrum(axes: Any, spectrum: Spectrum, unit: str | None) -> None:
    shown = spectrum.pictured
    k, power = spectrum.k[shown], spectrum.mean_power[shown]
    axes.set_xlabel(wavenumber_label(spectrum, unit))
    axes.set_ylabel("power per wave vector")
    if k.size == 0:
        axes.text(0.5, 0.5, "no power beyond k = 0", ha="center", transform=axes.transAxes, color=SOFT)
        return
    axes.loglog(k, power, color=_LINE, linewidth=1.6, marker="o" if k.size < 40 else None, markersize=4)
    axes.grid(True, which="major", color="#e4e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.02)
    if spectrum.nyquist < k[-1]:
        limits = axes.get_xlim()
        axes.axvspan(spectrum.nyquist, limits[1], color=_BAND, linewidth=0, zorder=0)
        axes.set_xlim(limits)
        axes.annotate(
            "corners of the grid: directions are missing",
            (spectrum.nyquist, 0.97),
            xycoords=("data", "axes fraction"),
            xytext=(-6, 0),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=8,
            color=SOFT,
        )
    if spectrum.physical:
        above = axes.secondary_xaxis("top", functions=(_reciprocal, _reciprocal))
        above.set_xlabel(f"wavelength ({unit})" if unit else "wavelength", color=SOFT, fontsize=9)
    if (volume := spectrum.volume) is not None and spectrum.density is not None:
        right = axes.secondary_yaxis("right", functions=(lambda mean: volume * mean, lambda p: p / volume))
        right.set_ylabel(density_label(unit), color=SOFT, fontsize=9)


def _reciprocal(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wave number to wavelength and back."""
    with np.errstate(divide="ignore"):
        return 2 * np.pi / np.asarray(values, dtype=np.float64)
