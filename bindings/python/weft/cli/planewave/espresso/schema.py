"""`data-file-schema.xml`: what was calculated. Lengths in bohr, energies in hartree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from weft._inputs import require_file

from ...output import CommandError
from ...reading import reading

NAME = "data-file-schema.xml"


@dataclass(frozen=True)
class KPoint:
    """A k-point with the occupations of its bands."""

    number: int
    """From 1 on."""
    weight: float
    """All weights together: 2, or 1 where spin up and down have states of their own."""
    occupations: tuple[NDArray[np.float64], ...]
    """Between 0 and 1; one array, or one for up and one for down."""


@dataclass(frozen=True)
class Calculation:
    """What `data-file-schema.xml` says of a calculation."""

    folder: Path
    creator: str
    kind: str
    """scf, nscf, relax, ..."""
    cell: NDArray[np.float64]
    """Rows a1, a2, a3."""
    grid: tuple[int, int, int]
    """Points along a1, a2, a3 of the grid of the charge density."""
    gamma: bool
    """Whether real wave functions are stored as half a sphere."""
    cutoff: float
    """Of the wave functions."""
    density_cutoff: float
    electrons: float
    spins: int
    symmetries: int
    k_points: tuple[KPoint, ...]

    @property
    def volume(self) -> float:
        """Of the cell."""
        return abs(float(np.linalg.det(self.cell)))

    @property
    def reciprocal(self) -> NDArray[np.float64]:
        """Rows b1, b2, b3, with a_i b_j = 2 pi delta_ij."""
        return np.asarray(2 * np.pi * np.linalg.inv(self.cell).T, dtype=np.float64)


def read_calculation(folder: Path) -> Calculation:
    """Read the description of a calculation. CommandError if it is damaged or of a kind that cannot be compared."""
    if not folder.is_dir():
        raise CommandError(f"--wfc is '{folder}'; it must be a folder PREFIX.save that pw.x has written")
    path = folder / NAME
    with reading(path):
        if not path.exists():
            raise CommandError(f"'{folder}' has no file {NAME}; it must be a folder PREFIX.save of pw.x 6.2 or later")
        require_file(path)
        try:
            root = ElementTree.parse(path).getroot()
        except ElementTree.ParseError as error:
            raise CommandError(f"'{path}' is damaged: {error}") from None
        output = root.find("output")
        if output is None:
            raise CommandError(f"'{path}' has no results: it has no element <output>; has pw.x finished?")
        return _Reader(path, root, output).calculation()


class _Reader:
    def __init__(self, path: Path, root: ElementTree.Element, output: ElementTree.Element) -> None:
        self.path, self.root, self.output = path, root, output

    def calculation(self) -> Calculation:
        self._refuse_unsupported()
        spins = 2 if self._flag("band_structure/lsda") else 1
        creator = self.root.find("general_info/creator")
        grid = [self._positive(self._attribute("basis_set/fft_grid", f"nr{axis}")) for axis in (1, 2, 3)]
        cell = np.array([self._numbers(self._text(f"atomic_structure/cell/a{axis}"), 3) for axis in (1, 2, 3)])
        if not abs(np.linalg.det(cell)) > 0:
            raise CommandError(f"'{self.path}' is damaged: the cell {cell.tolist()} has no volume")
        nodes = self.output.findall("band_structure/ks_energies")
        if not nodes:
            raise CommandError(f"'{self.path}' has no k-points: no elements <ks_energies>")
        symmetries = self.output.find("symmetries/nsym")
        return Calculation(
            folder=self.path.parent,
            creator="" if creator is None else f"{creator.get('NAME', '')} {creator.get('VERSION', '')}".strip(),
            kind=(self.root.findtext("input/control_variables/calculation") or "").strip(),
            cell=cell,
            grid=(grid[0], grid[1], grid[2]),
            gamma=self._flag("basis_set/gamma_only"),
            cutoff=self._numbers(self._text("basis_set/ecutwfc"), 1)[0],
            density_cutoff=self._numbers(self._text("basis_set/ecutrho"), 1)[0],
            electrons=self._numbers(self._text("band_structure/nelec"), 1)[0],
            spins=spins,
            symmetries=1 if symmetries is None else self._positive(symmetries.text or ""),
            k_points=tuple(self._k_point(i + 1, node, spins) for i, node in enumerate(nodes)),
        )

    def _refuse_unsupported(self) -> None:
        """What adds to the density something that no wave function shows, or stores two components in one."""
        kinds = {
            "algorithmic_info/uspp": "ultrasoft pseudopotentials, whose densities have augmentation charges",
            "algorithmic_info/paw": "PAW data sets, whose densities have augmentation charges",
            "band_structure/noncolin": "noncollinear wave functions",
        }
        # PAW first: it is ultrasoft as well.
        for tag in ("algorithmic_info/paw", "algorithmic_info/uspp", "band_structure/noncolin"):
            if self._flag(tag):
                raise CommandError(
                    f"'{self.path}' is of a calculation with {kinds[tag]}; supported are norm-conserving "
                    "pseudopotentials, without spin or with collinear spin"
                )
        if not self._flag("band_structure/wf_collected", missing=True):
            raise CommandError(
                f"'{self.path}' is of a calculation without collected wave functions (wf_collect=.false.)"
            )

    def _k_point(self, number: int, node: ElementTree.Element, spins: int) -> KPoint:
        point, text = node.find("k_point"), node.findtext("occupations")
        if point is None or text is None:
            raise CommandError(f"'{self.path}' is damaged: k-point {number} has no weight or no occupations")
        occupations = self._numbers(text)
        if spins == 1:
            split = [len(occupations)]
        else:
            names = ("nbnd_up", "nbnd_dw")
            split = [self._positive(self._text(f"band_structure/{name}")) for name in names]
        if sum(split) != len(occupations):
            raise CommandError(
                f"'{self.path}' is damaged: k-point {number} has {len(occupations)} occupations of {sum(split)} bands"
            )
        parts = np.split(np.array(occupations), np.cumsum(split)[:-1])
        return KPoint(number, self._numbers(point.get("weight", ""), 1)[0], tuple(parts))

    def _text(self, tag: str) -> str:
        text = self.output.findtext(tag)
        if text is None:
            raise CommandError(f"'{self.path}' is damaged: there is no element <output/{tag}>")
        return text.strip()

    def _attribute(self, tag: str, name: str) -> str:
        node = self.output.find(tag)
        text = None if node is None else node.get(name)
        if text is None:
            raise CommandError(f"'{self.path}' is damaged: there is no element <output/{tag}> with an attribute {name}")
        return text

    def _flag(self, tag: str, missing: bool = False) -> bool:
        text = self.output.findtext(tag)
        return missing if text is None else text.strip().lower() == "true"

    def _positive(self, text: str) -> int:
        if not text.strip().isdigit() or int(text) < 1:
            raise CommandError(f"'{self.path}' is damaged: '{text}' stands where a positive whole number is needed")
        return int(text)

    def _numbers(self, text: str, count: int | None = None) -> Sequence[float]:
        try:
            found = [float(word) for word in text.split()]
        except ValueError:
            found = []
        if (count is not None and len(found) != count) or not np.isfinite(found).all():
            wanted = "numbers are" if count is None else "a number is" if count == 1 else f"{count} numbers are"
            raise CommandError(f"'{self.path}' is damaged: '{text.strip()[:60]}' stands where {wanted} needed")
        return found
