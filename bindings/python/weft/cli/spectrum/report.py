"""The spectrum as a table, a sketch of text, CSV and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from .analysis import Result
from .shells import Spectrum
from .volumes import Volume

_ROWS = 16


def wavenumber_label(spectrum: Spectrum, unit: str | None) -> str:
    """What k is measured in."""
    if not spectrum.physical:
        return "k (periods of the box)"
    return f"k (rad/{unit})" if unit else "k (rad/length)"


def density_label(unit: str | None) -> str:
    """What P(k) is measured in, beside the square of the field's unit."""
    return f"P(k) ({unit}^3)" if unit else "P(k) (volume)"


def table(spectrum: Spectrum, unit: str | None) -> Table:
    """Shells in rows of equal steps of log k."""
    out = Table(box=None, padding=(0, 2, 0, 0))
    headings = [wavenumber_label(spectrum, unit), "wavelength", "wave vectors", "power", "power / wave vector"]
    if spectrum.density is not None:
        headings.append(density_label(unit))
    for heading in (*headings, ""):
        out.add_column(heading, justify="right")
    for rows in (*_groups(spectrum.k, spectrum.whole), *_groups(spectrum.k, ~spectrum.whole)):
        modes, power = int(spectrum.modes[rows].sum()), float(spectrum.power[rows].sum())
        k = float(np.average(spectrum.k[rows], weights=spectrum.modes[rows]))
        length = "" if k == 0 or not spectrum.physical else f"{2 * np.pi / k:.4g}"
        cells = [f"{k:.4g}", length, f"{modes}", f"{power:.4e}", f"{power / modes:.4e}"]
        if spectrum.volume is not None and spectrum.density is not None:
            cells.append(f"{spectrum.volume * (power / modes):.4e}")
        out.add_row(*cells, "" if spectrum.whole[rows].all() else "cut")
    if not spectrum.physical:
        out.columns[1].header = ""
    return out


def _groups(k: NDArray[np.float64], which: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Indices of the shells of each row: k = 0 alone, then equal steps of log k."""
    groups = [np.flatnonzero(which & (k == 0))]
    positive = np.flatnonzero(which & (k > 0))
    if positive.size:
        low, high = np.log(k[positive[0]]), np.log(k[positive[-1]])
        row = np.zeros(positive.size) if high <= low else (np.log(k[positive]) - low) / (high - low) * _ROWS
        row = np.minimum(row.astype(np.int64), _ROWS - 1)
        groups += [positive[row == r] for r in range(_ROWS)]
    return [group for group in groups if group.size]


def sketch(spectrum: Spectrum, columns: int = 64, lines: int = 8) -> Text:
    """Power per wave vector against k, both logarithmic, in braille dots."""
    shown = spectrum.pictured
    if np.count_nonzero(shown) < 2:
        return Text("")
    x, y = np.log10(spectrum.k[shown]), np.log10(spectrum.mean_power[shown])
    width, height = 2 * columns, 4 * lines
    across = np.interp(np.linspace(x[0], x[-1], width), x, y)
    low, high = float(across.min()), float(across.max())
    rows = np.rint((high - across) / max(high - low, 1e-300) * (height - 1)).astype(int)
    cells = np.zeros((lines, columns), dtype=int)
    dots = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
    for column, row in enumerate(rows):
        # Steep parts are drawn as lines, not as scattered dots.
        before = rows[column - 1] if column else row
        for r in range(min(row, before + 1), max(row, before - 1) + 1):
            cells[r // 4, column // 2] |= dots[column % 2][r % 4]
    out = Text()
    for line in range(lines):
        label = f"{10**high:8.1e}" if line == 0 else f"{10**low:8.1e}" if line == lines - 1 else ""
        out.append(f"{label:>9} ", "dim")
        out.append("".join(chr(0x2800 + cell) for cell in cells[line]).rstrip("\u2800") + "\n", "cyan")
    left, right = f"{10 ** x[0]:.3g}", f"{10 ** x[-1]:.3g}"
    out.append(" " * 10 + left + " " * max(1, columns - len(left) - len(right)) + right, "dim")
    return out


def csv(spectrum: Spectrum) -> str:
    """One line a shell."""
    lines = ["shell,k,modes,power,mean_power,whole,p"]
    densities = [""] * len(spectrum.k) if spectrum.density is None else [f"{p:.17g}" for p in spectrum.density]
    for shell, k, modes, power, mean, whole, p in zip(
        spectrum.shell, spectrum.k, spectrum.modes, spectrum.power, spectrum.mean_power, spectrum.whole, densities
    ):
        lines.append(f"{shell},{k:.17g},{modes},{power:.17g},{mean:.17g},{whole:d},{p}")
    return "\n".join(lines) + "\n"


def as_dict(
    volume: Volume,
    steps: NDArray[np.float64] | None,
    result: Result,
    ranks: int,
    precision: str,
    mean_removed: bool,
    files: dict[str, Path],
) -> dict[str, Any]:
    """Everything, for programs."""
    spectrum = result.spectrum
    return {
        "field": str(volume.path),
        "name": volume.name,
        "format": volume.format,
        "shape": list(volume.shape),
        "dtype": str(volume.dtype),
        "steps": None if steps is None else steps.tolist(),
        "unit": volume.unit,
        "ranks": ranks,
        "precision": precision,
        "mean": result.mean,
        "mean_removed": mean_removed,
        "mean_square": result.mean_square,
        "total_power": float(spectrum.power.sum()),
        "parseval_error": result.parseval_error,
        "round_trip_error": result.round_trip_error,
        "k_unit": wavenumber_label(spectrum, volume.unit),
        "shell_width": spectrum.width,
        "nyquist": spectrum.nyquist,
        "volume": spectrum.volume,
        "shells": {
            "shell": spectrum.shell.tolist(),
            "k": spectrum.k.tolist(),
            "modes": spectrum.modes.tolist(),
            "power": spectrum.power.tolist(),
            "whole": spectrum.whole.tolist(),
            "p": None if spectrum.density is None else spectrum.density.tolist(),
        },
        "seconds": result.seconds,
        "files": {name: str(path) for name, path in files.items()},
        "plan": result.plan,
    }
