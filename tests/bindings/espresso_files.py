"""Writes `.save` folders as Quantum ESPRESSO does, with random wave functions and NumPy's density of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray


@dataclass
class Save:
    """What is in the folder."""

    gamma: bool = False
    spins: int = 1
    form: str = "dat"
    grid: tuple[int, int, int] = (15, 16, 18)
    cell: Any = ((7.0, 0.0, 0.0), (1.0, 7.5, 0.0), (0.5, -0.5, 8.0))
    cutoff: float = 3.0
    k_points: tuple[tuple[float, float, float], ...] = ((0.1, 0.2, 0.3), (-0.4, 0.25, 0.0))
    bands: int = 4
    symmetries: int = 1
    kind: str = "scf"
    flags: dict[str, str] = field(default_factory=dict)
    """Of the XML file, beyond those of a norm-conserving calculation."""

    def write(self, folder: Path) -> Path:
        """Write all files."""
        folder.mkdir(exist_ok=True)
        rng = np.random.default_rng(11)
        cell = np.array(self.cell)
        reciprocal = 2 * np.pi * np.linalg.inv(cell).T
        volume = abs(np.linalg.det(cell))
        points = ((0.0, 0.0, 0.0),) if self.gamma else self.k_points
        weights = np.linspace(1, 2, len(points))
        weights *= (2 / self.spins) / weights.sum()
        density = np.zeros((self.spins, *self.grid))
        energies = []
        for number, (k, weight) in enumerate(zip(points, weights), 1):
            occupations = []
            for spin in range(self.spins):
                # Of different sizes, with one that is empty, as metals have them.
                f = np.linspace(1, 0, self.bands) ** (1 + spin)
                indices = sphere(self.grid, reciprocal, self.cutoff, np.array(k), self.gamma)
                shape = (self.bands, len(indices))
                c = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
                if self.gamma:
                    c[:, ~indices.any(axis=1)] = c[:, ~indices.any(axis=1)].real
                norm = np.sum(np.abs(c) ** 2 * np.where(indices.any(axis=1) & self.gamma, 2, 1), axis=1)
                c /= np.sqrt(norm)[:, None]
                stem = "wfc" if self.spins == 1 else ("wfcup", "wfcdw")[spin]
                write_wavefunctions(
                    folder / f"{stem}{number}.{self.form}",
                    number,
                    k @ reciprocal,
                    spin + 1,
                    self.gamma,
                    reciprocal,
                    indices,
                    c,
                )
                for band in range(self.bands):
                    density[spin] += (
                        weight * f[band] / volume * np.abs(in_space(self.grid, indices, c[band], self.gamma)) ** 2
                    )
                occupations += f.tolist()
            energies.append((weight, occupations))
        electrons = float(density.mean() * volume * self.spins)
        fields = density if self.spins == 1 else np.array([density[0] + density[1], density[0] - density[1]])
        indices = sphere(self.grid, reciprocal, 4 * self.cutoff, np.zeros(3), self.gamma)
        values = np.fft.fftn(fields, axes=(1, 2, 3), norm="forward")[(slice(None), *indices.T)]
        write_charge(folder / f"charge-density.{self.form}", self.gamma, reciprocal, indices, values)
        (folder / "data-file-schema.xml").write_text(self._xml(cell, electrons, energies))
        return folder

    def _xml(self, cell: NDArray[Any], electrons: float, energies: Any) -> str:
        flags = {"uspp": "false", "paw": "false", "noncolin": "false", "wf_collected": "true", **self.flags}
        axes = "".join(f"<a{i}>{' '.join(map(repr, row))}</a{i}>" for i, row in enumerate(cell.tolist(), 1))
        grid = " ".join(f'nr{i}="{n}"' for i, n in enumerate(self.grid, 1))
        split = f"<nbnd_up>{self.bands}</nbnd_up><nbnd_dw>{self.bands}</nbnd_dw>" if self.spins == 2 else ""
        states = "".join(
            f'<ks_energies><k_point weight="{weight:.15e}">0 0 0</k_point>'
            f'<occupations size="{len(f)}">{" ".join(map(repr, f))}</occupations></ks_energies>'
            for weight, f in energies
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<qes:espresso xmlns:qes="http://www.quantum-espresso.org/ns/qes/qes-1.0">'
            '<general_info><creator NAME="PWSCF" VERSION="6.7"/></general_info>'
            f"<input><control_variables><calculation>{self.kind}</calculation></control_variables></input><output>"
            f"<algorithmic_info><uspp>{flags['uspp']}</uspp><paw>{flags['paw']}</paw></algorithmic_info>"
            f"<atomic_structure><cell>{axes}</cell></atomic_structure>"
            f"<symmetries><nsym>{self.symmetries}</nsym></symmetries>"
            f"<basis_set><gamma_only>{str(self.gamma).lower()}</gamma_only><ecutwfc>{self.cutoff}</ecutwfc>"
            f"<ecutrho>{4 * self.cutoff}</ecutrho><fft_grid {grid}/></basis_set>"
            f"<band_structure><lsda>{str(self.spins == 2).lower()}</lsda><noncolin>{flags['noncolin']}</noncolin>{split}"
            f"<nelec>{electrons!r}</nelec><wf_collected>{flags['wf_collected']}</wf_collected>{states}</band_structure>"
            "</output></qes:espresso>\n"
        )


def sphere(
    grid: tuple[int, int, int], reciprocal: NDArray[Any], cutoff: float, k: NDArray[Any], gamma: bool
) -> NDArray[np.int32]:
    """|k + G|^2 / 2 <= cutoff, sorted by length as Quantum ESPRESSO does; at Gamma one of G and -G."""
    axes = [np.arange(-((n - 1) // 2), (n - 1) // 2 + 1) for n in grid]
    indices = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    energy = np.square((indices + k) @ reciprocal).sum(axis=1) / 2
    keep = energy <= cutoff
    if gamma:
        x, y, z = indices.T
        keep &= (x > 0) | ((x == 0) & ((y > 0) | ((y == 0) & (z >= 0))))
    indices, energy = indices[keep], energy[keep]
    return indices[np.argsort(energy, kind="stable")].astype(np.int32)


def in_space(grid: tuple[int, int, int], indices: NDArray[Any], c: NDArray[Any], gamma: bool) -> NDArray[np.complex128]:
    """The sum of c exp(i G r), by a transform of the whole box."""
    box = np.zeros(grid, np.complex128)
    box[tuple(indices.T)] = c
    if gamma:
        box[tuple(-indices.T)] = c.conj()
    return np.fft.ifftn(box, norm="forward")


def record(*parts: Any) -> bytes:
    """A record of Fortran's unformatted files."""
    content = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    marker = np.int32(len(content)).tobytes()
    return marker + content + marker


def write_wavefunctions(
    path: Path,
    number: int,
    k: NDArray[Any],
    spin: int,
    gamma: bool,
    reciprocal: NDArray[Any],
    indices: NDArray[np.int32],
    c: NDArray[np.complex128],
) -> None:
    """`wfc*.dat` or `wfc*.hdf5`."""
    bands, count = c.shape
    if path.suffix == ".dat":
        i4 = np.int32
        header = record(i4(number), k, i4(spin), i4(gamma), np.float64(1.0))
        sizes = record(np.array([count, count, 1, bands], i4))
        path.write_bytes(header + sizes + record(reciprocal) + record(indices) + b"".join(map(record, c)))
        return
    with h5py.File(path, "w") as file:
        names = {
            "ik": number,
            "ispin": spin,
            "ngw": count,
            "igwx": count,
            "npol": 1,
            "nbnd": bands,
            "scale_factor": 1.0,
        }
        file.attrs.update({**names, "xk": k, "gamma_only": np.bytes_(".TRUE." if gamma else ".FALSE.")})
        write_indices(file, reciprocal, indices)
        file["evc"] = c.view(np.float64)


def write_charge(
    path: Path, gamma: bool, reciprocal: NDArray[Any], indices: NDArray[np.int32], values: NDArray[np.complex128]
) -> None:
    """`charge-density.dat` or `charge-density.hdf5`."""
    if path.suffix == ".dat":
        header = record(np.array([gamma, len(indices), len(values)], np.int32))
        path.write_bytes(header + record(reciprocal) + record(indices) + b"".join(map(record, values)))
        return
    with h5py.File(path, "w") as file:
        file.attrs.update({"ngm_g": len(indices), "nspin": len(values)})
        file.attrs["gamma_only"] = np.bytes_(".TRUE." if gamma else ".FALSE.")
        write_indices(file, reciprocal, indices)
        for name, row in zip(("rhotot_g", "rhodiff_g"), values):
            file[name] = np.ascontiguousarray(row).view(np.float64)


def write_indices(file: Any, reciprocal: NDArray[Any], indices: NDArray[np.int32]) -> None:
    """The dataset MillerIndices."""
    file["MillerIndices"] = indices
    for i, row in enumerate(reciprocal, 1):
        file["MillerIndices"].attrs[f"bg{i}"] = row
