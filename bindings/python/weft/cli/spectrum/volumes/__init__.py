"""Real volumes in files: one module a format, behind one interface, chosen by name and first bytes."""

from __future__ import annotations

from pathlib import Path

from weft._inputs import require_file

from ...output import CommandError
from ...reading import reading
from .base import Volume
from .cube import CubeVolume
from .hdf5 import HDF5Volume
from .nifti import NiftiVolume
from .npy import NpyVolume

__all__ = ["Volume", "open_volume"]

_FORMATS: tuple[type[Volume], ...] = (NpyVolume, HDF5Volume, NiftiVolume, CubeVolume)


def open_volume(path: Path, dataset: str | None = None) -> Volume:
    """Open a volume and read what describes it, not its values. CommandError if it cannot be transformed."""
    chosen = _format_of(path)
    if dataset is not None and chosen is not HDF5Volume:
        raise CommandError(f"--dataset is '{dataset}', but '{path}' is not an HDF5 file")
    with reading(path):
        volume = chosen(path, dataset)
        try:
            volume.check()
        except BaseException:
            volume.close()
            raise
    return volume


def _format_of(path: Path) -> type[Volume]:
    require_file(path)
    with reading(path), path.open("rb") as file:
        start = file.read(16)
    if not start:
        raise CommandError(f"'{path}' is an empty file")
    for known in _FORMATS:
        if known.recognises(path, start):
            return known
    names = ", ".join(f"{known.format} ({' '.join(known.suffixes)})" for known in _FORMATS)
    raise CommandError(f"the format of '{path}' is unknown; allowed are {names}")
