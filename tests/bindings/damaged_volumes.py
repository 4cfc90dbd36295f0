"""Files that pass for volumes and are none: forged headers, cuts, flipped bytes, archives by another name."""

from __future__ import annotations

import io
import pickle
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import h5py
import nibabel
import numpy as np

SHAPE = (4, 3, 5)
FIELD = np.arange(60, dtype=np.float64).reshape(SHAPE)

#: What `weft spectrum` must say of a file; None: it may also take it, since nobody can tell that it is damaged.
Words = str | None


def files() -> Iterator[tuple[str, bytes, Words]]:
    """Name, content, and what is said of it."""
    yield from (*_npy(), *_nifti(), *_hdf5(), *_cube())
    bases = {"npy": npy(), "nii": nifti(), "h5": hdf5(), "cube": cube()}
    for suffix, base in bases.items():
        for at in sorted({1, 5, 9, 60, len(base) // 2, len(base) - 1}):
            yield f"cut-{at}.{suffix}", base[:at], None
        where = random.Random(suffix)
        for number in range(15):
            flipped = bytearray(base)
            for _ in range(1 + number % 3):
                flipped[where.randrange(len(base))] ^= 1 << where.randrange(8)
            yield f"flipped-{number}.{suffix}", bytes(flipped), None


def npy(header: str | None = None, version: tuple[int, int] = (1, 0), data: bytes | None = None) -> bytes:
    text = header or f"{{'descr': '<f8', 'fortran_order': False, 'shape': {SHAPE}, }}"
    start = text.encode("latin1") + b" " * (-(len(text) + 11) % 64) + b"\n"
    length = struct.pack("<H" if version[0] == 1 else "<I", len(start))
    return b"\x93NUMPY" + bytes(version) + length + start + (FIELD.tobytes() if data is None else data)


def _npy() -> Iterator[tuple[str, bytes, Words]]:
    def header(**changes: str) -> str:
        parts = {"descr": "'<f8'", "fortran_order": "False", "shape": str(SHAPE), **changes}
        return "{" + ", ".join(f"'{name}': {value}" for name, value in parts.items()) + "}"

    cannot = "cannot read"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x.npy", npy())
    several = io.BytesIO()
    np.savez(several, x=FIELD)
    yield "zip.npy", archive.getvalue(), cannot
    yield "npz.npy", several.getvalue(), cannot
    yield "pickle.npy", pickle.dumps(FIELD), cannot
    yield "truncated.npy", npy()[:-9], cannot
    yield "begun.npy", npy()[:7], cannot
    yield "version.npy", npy(version=(9, 0)), cannot
    yield "objects.npy", npy(header(descr="'|O'")), cannot
    yield "keys.npy", npy(header(more="1")), cannot
    yield "time.npy", npy(header(descr="'<M8[x]'")), cannot
    yield "record.npy", npy(header(descr="[('x', '<f8')]")), "real numbers are needed"
    yield "nothing.npy", npy(header(descr="'|V0'")), None
    yield "negative.npy", npy(header(shape="(-4, 3, 5)")), cannot
    yield "twice-negative.npy", npy(header(shape="(-4, -3, 5)")), cannot
    yield "large.npy", npy(header(shape=f"({2**40}, 1, 1)")), cannot
    yield "too-large.npy", npy(header(shape=f"({2**62}, 4, 4)")), cannot
    yield "beyond.npy", npy(header(shape=f"({2**70}, 1, 1)")), cannot
    yield "word.npy", npy(header(shape="'4'")), cannot
    yield "nested.npy", npy("(" * 9000), cannot
    yield "signs.npy", npy(header(shape="-" * 9000 + "1")), cannot
    yield "nested-type.npy", npy(header(descr="[" * 900 + "]" * 900)), cannot
    yield "long.npy", npy(" " * 70000, version=(2, 0)), cannot
    yield "empty-header.npy", npy(" "), cannot
    yield "huge.npy", npy(data=np.full(SHAPE, 1e200).tobytes()), "too large to be summed"
    yield "largest.npy", npy(data=np.full(SHAPE, 1.7e308).tobytes()), "too large to be summed"


def nifti(*changes: tuple[int, str, object]) -> bytes:
    content = bytearray(nibabel.Nifti1Image(FIELD.astype("f4"), np.eye(4)).to_bytes())
    for at, form, value in changes:
        struct.pack_into(f"<{form}", content, at, value)
    return bytes(content)


_DIM, _TYPE, _BITS, _ZOOM, _OFFSET, _SLOPE, _INTERCEPT = 40, 70, 72, 76, 108, 112, 116


def _nifti() -> Iterator[tuple[str, bytes, Words]]:
    damaged = {
        "dim-9": [(_DIM, "h", 9)],
        "dim-negative": [(_DIM, "h", -1)],
        "dim-0": [(_DIM, "h", 0)],
        "dim-2": [(_DIM, "h", 2)],
        "points-negative": [(_DIM + 2, "h", -4)],
        "points-0": [(_DIM + 4, "h", 0)],
        "points-many": [(_DIM + 2 * axis, "h", 32767) for axis in (1, 2, 3)],
        "type-0": [(_TYPE, "h", 0)],
        "type-1": [(_TYPE, "h", 1)],
        "type-999": [(_TYPE, "h", 999)],
        "type-negative": [(_TYPE, "h", -7)],
        "type-rgb": [(_TYPE, "h", 128)],
        "type-complex": [(_TYPE, "h", 1792)],
        "offset-negative": [(_OFFSET, "f", -1000.0)],
        "offset-huge": [(_OFFSET, "f", 1e30)],
        "offset-behind": [(_OFFSET, "f", 1e6)],
        "offset-nan": [(_OFFSET, "f", float("nan"))],
        "zoom-1e30": [(_ZOOM + 4, "f", 1e30)],
        "zoom-tiny": [(_ZOOM + 8, "f", 1e-30)],
        "slope-inf": [(_SLOPE, "f", float("inf"))],
        "intercept-nan": [(_SLOPE, "f", 1.0), (_INTERCEPT, "f", float("nan"))],
    }
    for name, changes in damaged.items():
        yield f"{name}.nii", nifti(*changes), "" if "slope" not in name and "intercept" not in name else None
    # Known of no use, but harmless: lengths that mean nothing are not taken, and equal ones are only a unit.
    for name, value in (("nan", float("nan")), ("inf", float("inf")), ("negative", -1.0), ("0", 0.0)):
        yield f"zoom-{name}.nii", nifti((_ZOOM + 4, "f", value)), None
    yield "zooms-1e30.nii", nifti(*((_ZOOM + 4 * axis, "f", 1e30) for axis in (1, 2, 3))), None
    yield "slope-1e38.nii", nifti((_SLOPE, "f", 1e38), (_INTERCEPT, "f", 0.0)), None
    yield "bits.nii", nifti((_BITS, "h", 1)), None
    yield "magic.nii", nifti((344, "4s", b"xxxx")), None


def hdf5(fill: Callable[[h5py.File], object] | None = None) -> bytes:
    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        (fill or (lambda f: f.create_dataset("x", data=FIELD)))(file)
    return target.getvalue()


def _hdf5() -> Iterator[tuple[str, bytes, Words]]:
    def spaced(value: object) -> Callable[[h5py.File], object]:
        return lambda f: f.create_dataset("x", data=FIELD).attrs.__setitem__("spacing", value)

    def linked(link: object) -> Callable[[h5py.File], object]:
        return lambda f: f.__setitem__("x", link)

    yield "soft-link.h5", hdf5(linked(h5py.SoftLink("/nowhere"))), "0 datasets of three axes"
    yield "external-link.h5", hdf5(linked(h5py.ExternalLink("nowhere.h5", "x"))), "0 datasets of three axes"
    yield "group.h5", hdf5(lambda f: f.create_group("x")), "0 datasets of three axes"
    yield "null.h5", hdf5(lambda f: f.create_dataset("x", data=h5py.Empty("f8"))), "0 datasets of three axes"
    yield "none.h5", hdf5(lambda f: f.create_dataset("x", (4, 0, 5), "f4")), "is empty"
    words = np.full(SHAPE, b"x", "S1")
    yield "words.h5", hdf5(lambda f: f.create_dataset("x", data=words)), "real numbers are needed"
    large = (2**20, 2**20, 2**10)
    yield "large.h5", hdf5(lambda f: f.create_dataset("x", large, "f4", chunks=(1, 64, 64))), "on each of"
    long = (2**40, 1, 1)
    yield "long.h5", hdf5(lambda f: f.create_dataset("x", long, "i1", chunks=(1024, 1, 1))), ""
    yield "spacing-huge.h5", hdf5(spaced([1e300, 1e300, 1e300])), "too large, too small or too different"
    yield "spacing-tiny.h5", hdf5(spaced([1.0, 1e-300, 1.0])), "too large, too small or too different"
    for name, value in (("nan", np.nan), ("words", "far"), ("five", np.ones(5)), ("none", np.empty(0))):
        yield f"spacing-{name}.h5", hdf5(spaced(value)), None


def cube(**changes: str) -> bytes:
    lines = {
        "comment": "a",
        "more": "b",
        "atoms": "1 0.0 0.0 0.0",
        "x": f"{SHAPE[0]} 1.0 0.0 0.0",
        "y": f"{SHAPE[1]} 0.0 1.0 0.0",
        "z": f"{SHAPE[2]} 0.0 0.0 1.0",
        "atom": "1 1.0 0.0 0.0 0.0",
        "values": "\n".join(" ".join(f"{value:.3E}" for value in row) for row in FIELD.reshape(-1, SHAPE[2])),
        **changes,
    }
    return ("\n".join(lines.values()) + "\n").encode()


def _cube() -> Iterator[tuple[str, bytes, Words]]:
    none = "not a Gaussian cube"
    for name, atoms, words in (
        ("inf", "inf", none),
        ("nan", "nan", none),
        ("many", "1000000000", "is damaged"),
        ("orbitals", "-1000000000", "is damaged"),
        ("half", "1.5", none),
        ("huge", "1e300", "is damaged"),
    ):
        yield f"atoms-{name}.cube", cube(atoms=f"{atoms} 0.0 0.0 0.0"), words
    for name, points, words in (
        ("inf", "inf", none),
        ("nan", "nan", none),
        ("many", "1000000000", "is damaged"),
        ("0", "0", "is empty"),
        ("huge", "1e300", "is damaged"),
    ):
        yield f"points-{name}.cube", cube(y=f"{points} 0.0 1.0 0.0"), words
    for name, number, words in (
        ("nan", "nan", none),
        ("inf", "inf", none),
        ("huge", "1e200", "too large, too small or too different"),
    ):
        yield f"vector-{name}.cube", cube(z=f"5 0.0 0.0 {number}"), words
    yield "values-nan.cube", cube(values="nan " * 60), "NaN or infinite"
    yield "values-words.cube", cube(values="x " * 60), "no number"
    yield "values-few.cube", cube(values="1.0 " * 59), "ends too early"
    yield "orbitals.cube", cube(atoms="-1 0.0 0.0 0.0", values="inf\n" + "1.0 " * 60), none
    yield "one-line.cube", b"a" * 70000, none
    yield "binary.cube", bytes(range(256)) * 8, none


def write(folder: Path) -> None:
    """All of them into a folder."""
    for name, content, _ in files():
        (folder / name).write_bytes(content)


@cache
def expected() -> dict[str, Words]:
    """What is said of each."""
    return {name: words for name, _, words in files()}
