"""What NumPy says the results should be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

AXES = (-3, -2, -1)


def pair(kind: str, shape: tuple[int, ...], batch: int, seed: int = 7) -> tuple[NDArray[Any], NDArray[Any]]:
    """A whole field and its forward transform (exponent -1, no normalisation), with a leading batch axis if batch > 1."""
    rng = np.random.default_rng(seed)
    full = shape if batch == 1 else (batch, *shape)
    real = rng.standard_normal(full)
    axes = tuple(range(-len(shape), 0))
    if kind == "c2c":
        field = real + 1j * rng.standard_normal(full)
        return field, np.fft.fftn(field, axes=axes)
    if kind == "r2c":
        return real, np.fft.rfftn(real, axes=axes)
    # The real field `real` is the forward transform of its own inverse; conjugation changes the sign of the exponent.
    return np.conj(np.fft.rfftn(real, axes=axes)) / np.prod(shape), real


def resized(spectrum: NDArray[Any], modes: tuple[int, ...]) -> NDArray[Any]:
    """The last axes of a whole spectrum, cut or filled up to these modes, which keep their wave numbers. The last mode of an
    even number stands for both signs."""
    for axis, to in enumerate(modes, spectrum.ndim - len(modes)):
        lines = np.moveaxis(spectrum, axis, 0)
        m = len(lines)
        found = np.zeros((to, *lines.shape[1:]), complex)
        for k in range(-(min(m, to) // 2), min(m, to) // 2 + 1) if m != to else ():
            found[k % to] += lines[k % m] * (0.5 if 2 * abs(k) == m else 1)
        spectrum = spectrum if m == to else np.moveaxis(found, 0, axis)
    return spectrum


def line_matrix(line: str, n: int, ortho: bool = False) -> NDArray[Any]:
    """What forward does along an axis of n points: the sums that FFTW and SciPy call by these names. Of cosines and sines those
    that are orthogonal, on request. Half a spectrum (r2c) has fewer rows than columns."""
    j, k = np.arange(n)[None, :], np.arange(n)[:, None]
    if line == "none":
        return np.eye(n)
    if line in ("dft", "r2c"):
        rows = np.exp(-2j * np.pi * j * k / n)
        return rows if line == "dft" else rows[: n // 2 + 1]
    angles = 2 * np.pi * j * k / n
    if line == "dht":
        return np.cos(angles) + np.sin(angles)
    if line in ("r2hc", "hc2r"):
        rows = np.where(2 * k <= n, np.cos(angles), np.sin(angles))
        return rows if line == "r2hc" else n * np.linalg.inv(rows)
    family, type_ = line[:3], int(line[3])
    first, last = np.eye(n)[0], np.eye(n)[-1]
    period = {"dct1": n - 1, "dst1": n + 1}.get(line, n)
    if family == "dct":
        at = {1: j * k, 2: (j + 0.5) * k, 3: j * (k + 0.5), 4: (j + 0.5) * (k + 0.5)}[type_]
        found = 2 * np.cos(np.pi * at / period)
        if type_ in (1, 3):
            found -= found * (first + (last if type_ == 1 else 0)) / 2
    else:
        at = {1: (j + 1) * (k + 1), 2: (j + 0.5) * (k + 1), 3: (j + 1) * (k + 0.5), 4: (j + 0.5) * (k + 0.5)}[type_]
        found = 2 * np.sin(np.pi * at / period)
        if type_ == 3:
            found -= found * last / 2
    # Orthogonal: rows and columns of length 1, whatever that takes.
    if ortho:
        ends = {"dct1": first + last, "dct3": first, "dst3": last}.get(line, 0 * first)
        found *= np.sqrt(2) ** ends
        found /= np.linalg.norm(found, axis=1)[:, None]
    return found


def line_scale(line: str, n: int) -> int:
    """What a round trip along an axis multiplies by."""
    if line == "none":
        return 1
    if line == "dct1":
        return 2 * (n - 1)
    if line == "dst1":
        return 2 * (n + 1)
    return 2 * n if line[:3] in ("dct", "dst") else n


def along_axis(rows: NDArray[Any], field: NDArray[Any], axis: int) -> NDArray[Any]:
    """The field with its lines along an axis times a matrix."""
    return np.moveaxis(np.tensordot(rows, field, (1, axis)), 0, axis)


def with_lengths(field: NDArray[Any], axes: Sequence[int], lengths: Sequence[int]) -> NDArray[Any]:
    """The first points of these axes, or zeros after them."""
    for axis, n in zip(axes, lengths):
        more = [(0, max(0, n - old) if other == axis else 0) for other, old in enumerate(field.shape)]
        field = np.pad(field, more).take(range(n), axis)
    return field


def transformed_lines(field: NDArray[Any], lines: Sequence[str]) -> NDArray[Any]:
    """The last axes of a field, transformed by these lines; real ones before complex ones."""
    for axis, line in sorted(enumerate(lines, -len(lines)), key=lambda one: one[1] == "dft"):
        field = along_axis(line_matrix(line, field.shape[axis]), field, axis)
    return field


def halved(spectrum: NDArray[Any]) -> NDArray[Any]:
    """The half along the last axis that says everything about a real field."""
    return spectrum[..., : spectrum.shape[-1] // 2 + 1]


def local_array(
    whole: NDArray[Any], part: tuple[slice, ...], order: tuple[int, ...] | None = None, interleaved: bool = False
) -> NDArray[Any]:
    """A rank's part of a whole field or batch as its array has it."""
    found = whole[(..., *part)]
    fields = found.ndim - len(part)
    axes = range(len(part)) if order is None else order
    found = found.transpose(*range(fields), *(fields + axis for axis in axes))
    return np.moveaxis(found, 0, -1) if fields and interleaved else found


def tolerance(precision: str, shape: tuple[int, ...]) -> float:
    """For the largest difference, relative to the largest value."""
    epsilon = np.finfo(np.float64 if precision == "double" else np.float32).eps
    return float(16 * epsilon * (1 + np.log2(np.prod(shape))))


def assert_close(
    found: NDArray[Any], wanted: NDArray[Any], scale: float, precision: str, shape: tuple[int, ...]
) -> None:
    """The largest difference is rounding, measured by the whole field's largest value."""
    assert found.shape == wanted.shape
    if found.size:
        assert np.abs(found - wanted).max() <= tolerance(precision, shape) * scale


def shell_spectrum(field: NDArray[Any], lengths: tuple[float, ...] | None = None) -> dict[str, NDArray[Any]]:
    """Shells of |k| from the full complex spectrum: no half spectrum, no weights."""
    shape = field.shape
    power = np.abs(np.fft.fftn(field) / field.size) ** 2
    steps = [1.0] * 3 if lengths is None else [2 * np.pi / length for length in lengths]
    width = 1.0 if lengths is None else min(s for s, n in zip(steps, shape) if n > 1)
    axes = [np.fft.fftfreq(n, 1 / n) * step for n, step in zip(shape, steps)]
    k = np.sqrt(sum(axis**2 for axis in np.meshgrid(*axes, indexing="ij")))
    shell = np.rint(k / width).astype(int).ravel()
    modes = np.bincount(shell)
    there = modes > 0
    return {
        "shell": np.flatnonzero(there),
        "modes": modes[there],
        "power": np.bincount(shell, power.ravel())[there],
        "k": np.bincount(shell, k.ravel())[there] / modes[there],
    }
