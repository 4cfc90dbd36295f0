"""What is timed: the papers' cases by name, or a lattice with a cutoff."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Optional

import numpy as np
import typer
from numpy.typing import NDArray

import weft

from ..options import at_least
from ..output import CommandError


@dataclass(frozen=True)
class Case:
    """Bands whose plane waves are a sphere, |G|^2 / 2 <= cutoff, in a grid."""

    name: str
    grid: tuple[int, int, int]
    lattice: tuple[tuple[float, float, float], ...]
    """Rows a1, a2, a3, in bohr."""
    cutoff: float
    """In hartree."""
    bands: int
    gamma: bool = False
    remark: str = ""

    @property
    def extents(self) -> NDArray[np.float64]:
        """How far the sphere reaches along each axis of the grid, in grid points from its centre."""
        a = np.array(self.lattice)
        extents: NDArray[np.float64] = math.sqrt(2 * self.cutoff) * np.linalg.norm(a, axis=1) / (2 * math.pi)
        return extents

    @property
    def boxcut(self) -> float:
        """The ratio of the box's half width to the sphere's radius; 2 where the box just holds the density."""
        return float((np.array(self.grid) / 2 / self.extents).min())


def cubic(length: float) -> tuple[tuple[float, float, float], ...]:
    """A cubic lattice."""
    return ((length, 0.0, 0.0), (0.0, length, 0.0), (0.0, 0.0, length))


# The cells and cutoffs of the papers are lost. Ours give what is known of them: the grids, the columns that are not zero, the bands.
CASES = {
    item.name: item
    for item in (
        Case(
            "cnt40",
            (30, 30, 30),
            cubic(14.25),
            20.0,
            80,
            remark="Bethune's CNT40: 657 of the 900 columns of a 30³ grid are not zero. Our choice: a cubic cell of 14.25 "
            "bohr, 20 hartree, and two electrons a band of 40 carbon atoms",
        ),
        Case(
            "cnt80",
            (80, 80, 80),
            cubic(38.0),
            20.0,
            160,
            remark="Bethune's CNT80, of which only the name is left and that messages fall below 2 KB at 96 processes. Our "
            "choice: CNT40's cutoff and density of columns on an 80³ grid, a cubic cell of 38 bohr, and 80 carbon atoms",
        ),
        Case(
            "si",
            (128, 128, 128),
            cubic(20.52),
            48.0,
            60,
            remark="Hoefler and Zérah's silicon: 60 bands, 128³ points, boxcut 2. Our choice: 2 x 2 x 2 cubic cells of 10.26 "
            "bohr, 48 hartree",
        ),
    )
}


# The flags of commands that take a plain transform, too.
SphereFlag = Annotated[
    Optional[str], typer.Option("--sphere", metavar="CASE", help=f"Plane waves: {', '.join(CASES)}.")
]
LatticeFlag = Annotated[
    Optional[str],
    typer.Option("--lattice", metavar="A", help="Plane waves: the cell, one or nine numbers, in bohr."),
]
EcutFlag = Annotated[Optional[str], typer.Option("--ecut", metavar="E", help="Plane waves: the cutoff, in hartree.")]
GammaFlag = Annotated[bool, typer.Option("--gamma", help="Plane waves: real in space.")]
BandsFlag = Annotated[Optional[str], typer.Option("--bands", metavar="N", help="Plane waves: bands of a call.")]


def sphere_of_flags(
    shape: str | None,
    sphere: str | None,
    lattice: str | None,
    ecut: str | None,
    gamma: bool,
    bands: str | None,
) -> Case | None:
    """The case that these flags mean; None for a plain transform of that shape."""
    if sphere is not None or lattice is not None:
        return chosen(sphere, lattice, ecut, bands, shape, gamma)
    if shape is None:
        raise CommandError("what shall be transformed? give --shape, --sphere CASE, or --lattice and --ecut")
    for name, value in (("--ecut", ecut), ("--bands", bands), ("--gamma", gamma or None)):
        if value is not None:
            raise CommandError(f"{name} is given; it is for --sphere or --lattice")
    return None


def chosen(
    name: str | None, lattice: str | None, ecut: str | None, bands: str | None, grid: str | None, gamma: bool
) -> Case:
    """The case that the arguments mean. Bands and Gamma may be chosen of a named case, too."""
    if name is None:
        if lattice is None or ecut is None:
            raise CommandError(
                f"what shall be transformed? give a case ({', '.join(CASES)}), or --lattice and --ecut, or --wfc"
            )
        rows, cutoff = _lattice(lattice), _cutoff(ecut)
        points = weft.sphere_grid(rows, cutoff) if grid is None else _grid(grid)
        case = Case("sphere", points, rows, cutoff, 1)
    else:
        if name not in CASES:
            raise CommandError(f"CASE is '{name}'; it can be {', '.join(CASES)}")
        for argument, value in (("--lattice", lattice), ("--ecut", ecut), ("--grid", grid)):
            if value is not None:
                raise CommandError(f"{argument} is given together with the case {name}, which says it")
        case = CASES[name]
    if bands is not None:
        case = replace(case, bands=at_least(bands, "--bands", 1))
    return replace(case, gamma=gamma)


def _lattice(text: str) -> tuple[tuple[float, float, float], ...]:
    words = text.replace(",", " ").split()
    try:
        found = [float(word) for word in words]
    except ValueError:
        found = []
    if len(found) == 1 and 0 < found[0] < math.inf:
        return cubic(found[0])
    if len(found) != 9 or not abs(np.linalg.det(np.reshape(found, (3, 3)))) > 0:
        raise CommandError(
            f"--lattice is '{text}'; one positive length is needed, or nine numbers: a1, a2 and a3, which span a volume"
        )
    rows = np.reshape(found, (3, 3)).tolist()
    return tuple((row[0], row[1], row[2]) for row in rows)


def _cutoff(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise CommandError(f"--ecut is '{text}'; a positive number is needed, in hartree")
    return number


def _grid(text: str) -> tuple[int, int, int]:
    words = text.replace(",", " ").replace("x", " ").split()
    if len(words) not in (1, 3):
        raise CommandError(f"--grid is '{text}'; one or three whole numbers are needed, like 30x30x30")
    points = [at_least(word, "--grid", 1) for word in words]
    return (points[0], points[0], points[0]) if len(points) == 1 else (points[0], points[1], points[2])
