"""weft.mpi4py_fft: any axes in any groups, layouts, padding and transforms of the caller's, against NumPy and dense matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import weft
from differential.cases import Case, Chance
from differential.findings import Findings, Senseless
from weft.mpi4py_fft import PFFT, fftw, newDistArray

from . import common

_TOLERANCE = {"f": 2e-5, "d": 1e-12, "g": 1e-12}
#: What a grid and groups may not go together for.
_OF_GROUPS = ("is split when it is to be transformed", "is split along an axis of it", "cannot be split among")


def draw(chance: Chance, ranks: int) -> Case:
    dimensions = chance.one(1, 2, 2, 3, 3, 3, 4)
    axes = list(range(dimensions))
    chance.random.shuffle(axes)
    axes = axes[: chance.one(1, *[dimensions] * 4, max(1, dimensions - 1))]
    groups: list[list[int]] = []
    for axis in axes:
        if groups and chance.happens(0.15):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    case: Case = {"shape": chance.shape(dimensions, 4000), "dtype": chance.one(*"dddDDfFg"), "axes": groups}
    case |= chance.some(
        collapse=(0.3, True),
        engine=(0.3, "serial"),
        backend=(0.3, "numpy"),
        padding=(0.2, lambda: [chance.one(1, 1.2, 1.5, 2) for _ in range(dimensions)]),
        real=(0.2, lambda: [chance.one("dct", "dst"), chance.one(1, 2, 3, 4), chance.one(1, len(groups))]),
        given=(0.5, lambda: chance.one("strided", "cast", "list", "own")),
        align=(0.3, lambda: chance.one(*range(dimensions))),
    )
    if chance.happens(0.3):
        free = [axis for axis in range(dimensions) if axis not in groups[-1]]
        if free:
            case["grid"] = [int(axis != chosen) for chosen in [chance.one(*free)] for axis in range(dimensions)]
    elif chance.happens(0.1):
        case["slab"] = True
    return case


def check(case: Case, comm: Any, findings: Findings) -> None:
    shape, dtype = tuple(case["shape"]), np.dtype(case["dtype"])
    groups = [tuple(group) for group in case["axes"]]
    if max(axis for group in groups for axis in group) >= len(shape):
        raise Senseless
    own = _own(case, groups, dtype)
    padding: Any = case.get("padding", False)
    keywords = {name: case[name] for name in ("collapse", "engine", "backend", "grid", "slab") if name in case}
    if own:
        pairs = {
            group: tuple(partial(getattr(fftw, f"{way}{kind}n"), type=number) for way in ("", "i"))
            for group, (kind, number) in own.items()
        }
        keywords |= {"transforms": pairs, "backend": "fftw"}
    try:
        fft = PFFT(comm, shape, axes=groups, dtype=dtype, padding=padding, **keywords)
    except weft.Error as error:
        if any(text in str(error) for text in _OF_GROUPS) or ("padding" in str(error) and padding):
            raise Senseless from None
        raise
    rng = np.random.default_rng(case.get("numbers", 0))
    long = fft.global_shape(False)
    whole = rng.standard_normal(long)
    whole = (whole + 1j * rng.standard_normal(long) if dtype.kind == "c" else whole).astype(dtype)
    wanted, back = _spectrum(whole, shape, groups, own, padding)
    findings.equal(fft.global_shape(True), wanted.shape, "global_shape(True)")
    if findings.wrong:
        return
    ends = fft.local_slice(False), fft.local_slice(True)
    for part, end in zip(ends, (long, wanted.shape)):
        common.check_cover(findings, comm, part, end, "the part")
    u = newDistArray(fft, False)
    u[...] = whole[ends[0]]
    x, out = _given(case.get("given", ""), u, fft)
    tolerance = _TOLERANCE[dtype.char.lower()]
    u_hat = newDistArray(fft)
    u_hat[...] = fft.forward(x, out)
    findings.close(u_hat.v, wanted[ends[1]], float(np.abs(wanted).max()), tolerance, "forward")
    findings.same(u.v, whole[ends[0]], "forward's input")
    v = fft.backward(u_hat)
    findings.close(np.asarray(v), back[ends[0]], float(np.abs(back).max()), 10 * tolerance, "backward")
    points = float(np.prod([long[axis] for group in groups if group not in own for axis in group]))
    if not own:
        plain = fft.forward(u, normalize=False)
        findings.close(
            np.asarray(plain), wanted[ends[1]] * points, float(np.abs(wanted).max() * points), tolerance, "unscaled"
        )
    if len(shape) > 1 and "align" in case:
        align = case["align"] % len(shape)
        moved = u_hat.redistribute(align)
        place = moved.local_slice()
        findings.close(moved.v, wanted[place], float(np.abs(wanted).max()), tolerance, "the redistributed spectrum")
        cut: list[Any] = [slice(None)] * len(shape)
        cut[align] = wanted.shape[align] // 2
        found = moved.get(cut)
        if found is not None:
            findings.close(found, wanted[tuple(cut)], float(np.abs(wanted).max()), tolerance, "what get has")


def _own(case: Case, groups: list[tuple[int, ...]], dtype: Any) -> dict[tuple[int, ...], tuple[str, int]]:
    """Real-to-real transforms, which come before those that make complex numbers."""
    if "real" not in case or dtype.kind == "c":
        return {}
    kind, number, count = case["real"]
    lengths = [case["shape"][axis] for group in groups[-count:] for axis in group]
    if "padding" in case or (kind == "dct" and number == 1 and min(lengths) < 2):
        raise Senseless
    return dict.fromkeys(groups[-count:], (kind, number))


def _given(kind: str, u: Any, fft: Any) -> tuple[Any, Any]:
    """Arrays as callers have them."""
    wanted = fft.shape(True)
    if kind == "strided":
        return np.asfortranarray(u), np.zeros((*wanted, 2), fft.dtype(True))[..., 1]
    if kind == "cast":
        return u.astype("F" if u.dtype.kind == "c" else "f").astype(u.dtype) if u.dtype.char in "fF" else u, np.zeros(
            wanted, "G" if fft.dtype(True).kind == "c" else "g"
        )
    if kind == "list":
        return u.v.tolist() if u.size else u, None
    if kind == "own":
        fft.forward.input_array[...] = u
        return None, None
    return u, newDistArray(fft)


def _spectrum(
    whole: NDArray[Any], shape: tuple[int, ...], groups: list[tuple[int, ...]], own: dict[Any, Any], padding: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The spectrum, and the field that comes back from it."""
    long, kept = whole.shape, whole.astype(np.clongdouble if whole.dtype.char in "gG" else complex)
    halved = None
    for group in groups[::-1]:
        for axis in group:
            if group in own:
                matrix = _matrix(*own[group], long[axis])
                kept = np.moveaxis(np.tensordot(matrix, kept, (1, axis)), 0, axis)
            else:
                kept = _resized(np.fft.fft(kept, axis=axis, norm="forward"), axis, shape[axis])
        if group not in own and halved is None and whole.dtype.kind == "f":
            halved = group[-1]
    back = whole
    if padding:
        back = kept
        for group in groups:
            for axis in group:
                back = np.fft.ifft(_resized(back, axis, long[axis]), axis=axis, norm="forward")
    if halved is not None:
        kept = np.take(kept, range(shape[halved] // 2 + 1), halved)
    elif whole.dtype.kind == "f":
        kept = kept.real
    return kept, back if whole.dtype.kind == "c" else back.real


def _resized(spectrum: NDArray[Any], axis: int, n: int) -> NDArray[Any]:
    """The spectrum on n points instead of m; the highest wavenumber of an even number of points stands for both signs."""
    m = spectrum.shape[axis]
    if m == n:
        return spectrum
    lines = np.moveaxis(spectrum, axis, -1)
    found = np.zeros((*lines.shape[:-1], n), spectrum.dtype)
    for k in range(-(min(m, n) // 2), min(m, n) // 2 + 1):
        found[..., k % n] += lines[..., k % m] * (0.5 if 2 * abs(k) == m else 1)
    return np.moveaxis(found, -1, axis)


def _matrix(kind: str, number: int, n: int) -> NDArray[Any]:
    """FFTW's transform of `kind` and type, with the factor that mpi4py-fft's forward has."""
    k, j = np.ogrid[:n, :n]
    even = kind == "dct"
    row, column = (k, j) if even else (k + 1, j + 1)
    half_row, half_column = k + 0.5, j + 0.5
    length = n - 1 if number == 1 and even else n + 1 if number == 1 else n
    a = half_row if number in (3, 4) else row
    b = half_column if number in (2, 4) else column
    matrix = 2 * (np.cos if even else np.sin)(np.pi * a * b / length)
    ends = np.ones((1, n))
    if even and number in (1, 3):
        ends[0, 0] = 0.5
    if even and number == 1:
        ends[0, -1] = 0.5
    if not even and number == 3:
        ends[0, -1] = 0.5
    found: NDArray[Any] = matrix * ends / (2 * length)
    return found
