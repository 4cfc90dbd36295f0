"""`charge-density.dat` and `charge-density.hdf5`: Quantum ESPRESSO's own density, on its list of G-vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...output import CommandError
from ...reading import reading
from .fortran import Records
from .hdf5 import Hdf5File
from .schema import Calculation
from .wavefunctions import require_inside

_HEADER = np.dtype([("gamma", "<i4"), ("count", "<i4"), ("components", "<i4")])
_DATASETS = ("rhotot_g", "rhodiff_g")


@dataclass(frozen=True)
class Charge:
    """The Fourier components rho(G), in electrons / bohr^3."""

    path: Path
    gamma: bool
    """Whether the other half, rho(-G) = conj rho(G), is left out."""
    indices: NDArray[np.int32]
    """Miller indices (n, 3)."""
    components: tuple[NDArray[np.complex128], ...]
    """The density; with collinear spin also the magnetisation, up minus down."""


def open_charge(calculation: Calculation) -> Charge:
    """The charge density of a calculation."""
    dat, hdf5 = (calculation.folder / f"charge-density.{suffix}" for suffix in ("dat", "hdf5"))
    path, read = (dat, _read_dat) if dat.exists() else (hdf5, _read_hdf5)
    if not path.exists():
        raise CommandError(f"'{calculation.folder}' has no file {dat.name} or {hdf5.name}")
    with reading(path):
        charge = read(path)
    if len(charge.components) != calculation.spins or charge.gamma != calculation.gamma:
        raise CommandError(
            f"'{charge.path}' has {len(charge.components)} spin components and gamma_only {charge.gamma}, where the "
            f"calculation of its folder has {calculation.spins} and {calculation.gamma}"
        )
    require_inside(charge.path, charge.indices, calculation.grid)
    return charge


def _read_dat(path: Path) -> Charge:
    records = Records(path)
    header = records.next("the header", _HEADER)[0]
    count, components = int(header["count"]), int(header["components"])
    if count < 1 or not 1 <= components <= 4:
        raise CommandError(f"'{path}' is damaged: it has {components} components of {count} G-vectors")
    records.next("the reciprocal lattice", "<f8", 9)
    indices = records.next("the Miller indices", "<i4", 3 * count).reshape(-1, 3)
    values = tuple(records.next(f"component {i + 1} of {components}", "<c16", count) for i in range(components))
    records.finish(records.position)
    return Charge(path, bool(header["gamma"]), indices, values)


def _read_hdf5(path: Path) -> Charge:
    file = Hdf5File(path)
    try:
        count, components = int(file.attribute("ngm_g")), int(file.attribute("nspin"))
        indices, _ = file.miller_indices(count)
        names = _DATASETS[: max(1, components)]
        values = tuple(file.dataset(name, (2 * count,))[...].view(np.complex128) for name in names)
        return Charge(path, file.logical("gamma_only"), indices, values)
    finally:
        file.close()
