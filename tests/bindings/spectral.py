"""What functions of the wave number do, by NumPy: on the spectrum of a grid of that shape, of which real fields have a half."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference import AXES, halved, resized

Shape = tuple[int, ...]
Lengths = tuple[float, ...]


def there(kind: str, u: NDArray[Any], modes: Shape | None = None) -> NDArray[Any]:
    """The spectrum of fields, of so many modes."""
    if modes is None or modes == u.shape[-3:]:
        return np.fft.rfftn(u, axes=AXES) if kind == "r2c" else np.fft.fftn(u, axes=AXES)
    kept = resized(np.fft.fftn(u, axes=AXES), modes)
    return halved(kept) if kind == "r2c" else kept


def back(kind: str, u: NDArray[Any], shape: Shape, modes: Shape | None = None) -> NDArray[Any]:
    """The fields of a spectrum of so many modes."""
    if modes is None or modes == shape:
        return np.fft.irfftn(u, s=shape, axes=AXES) if kind == "r2c" else np.fft.ifftn(u, axes=AXES)
    whole = u if kind == "c2c" else np.fft.fftn(np.fft.irfftn(u, s=modes, axes=AXES), axes=AXES)
    fields = np.fft.ifftn(resized(whole, shape), axes=AXES)
    return fields if kind == "c2c" else fields.real


def waves(kind: str, shape: Shape, lengths: Lengths, odd: bool = False) -> list[NDArray[Any]]:
    """Wave numbers along each axis, as they broadcast; the Nyquist frequency is positive."""
    found = []
    for axis, (n, length) in enumerate(zip(shape, lengths)):
        k = np.fft.rfftfreq(n, 1 / n) if axis == 2 and kind == "r2c" else np.fft.fftfreq(n, 1 / n)
        k = np.where(2 * np.abs(k) == n, 0 if odd else np.abs(k), k)
        found.append((2 * np.pi / length * k).reshape([-1 if other == axis else 1 for other in range(3)]))
    return found


def squares(kind: str, shape: Shape, lengths: Lengths, second_order: bool = False) -> Any:
    """The square of the wave number; or as central differences have it."""
    k = waves(kind, shape, lengths)
    if second_order:
        steps = [length / n for length, n in zip(lengths, shape)]
        k = [2 * np.sin(one * h / 2) / h for one, h in zip(k, steps)]
    return sum(one**2 for one in k)


def inverse(k2: NDArray[Any]) -> NDArray[Any]:
    return np.divide(-1, k2, out=np.zeros_like(k2), where=k2 > 0)


def moved(kind: str, shape: Shape, lengths: Lengths, distance: Lengths) -> Any:
    factor: Any = 1
    for k, odd, d in zip(waves(kind, shape, lengths), waves(kind, shape, lengths, odd=True), distance):
        factor = factor * np.where(k == odd, np.exp(-1j * k * d), np.cos(k * d))
    return factor


def kept(kind: str, shape: Shape, lengths: Lengths, fraction: float) -> Any:
    keep: Any = 1
    for k, n, length in zip(waves(kind, shape, lengths), shape, lengths):
        keep = keep * (np.abs(k) * length / (2 * np.pi) < fraction * n / 2 - 1e-9)
    return keep


def curled(k: list[NDArray[Any]], u: NDArray[Any]) -> NDArray[Any]:
    return 1j * np.stack([k[1] * u[2] - k[2] * u[1], k[2] * u[0] - k[0] * u[2], k[0] * u[1] - k[1] * u[0]])


def projected(k: list[NDArray[Any]], u: NDArray[Any]) -> NDArray[Any]:
    square = sum(one**2 for one in k)
    along = sum(one * v for one, v in zip(k, u)) * -inverse(square)
    return np.stack([v - one * along for one, v in zip(k, u)])
