"""What ``weft planewave --wfc`` has found, for people and for programs."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .density import Result
from .espresso import Calculation
from .tables import figures


def notes(calculation: Calculation) -> list[str]:
    """What makes a difference that is not Weft's."""
    out = []
    if calculation.symmetries > 1:
        out.append(
            f"pw.x has symmetrised its density with {calculation.symmetries} operations, Weft has not: compare "
            "calculations with nosym = .true."
        )
    if calculation.kind in ("nscf", "bands"):
        out.append(f"the calculation is '{calculation.kind}', which leaves the density of the one before it")
    return out


def as_dict(
    calculation: Calculation, result: Result, ranks: int, precision: str, tolerance: float, agrees: bool
) -> dict[str, Any]:
    """Everything, for programs."""
    density = result.differences[0]
    return {
        "folder": str(calculation.folder),
        "creator": calculation.creator,
        "calculation": calculation.kind,
        "ranks": ranks,
        "precision": precision,
        "grid": list(calculation.grid),
        "cell_bohr": calculation.cell.tolist(),
        "volume_bohr3": calculation.volume,
        "cutoff_hartree": calculation.cutoff,
        "density_cutoff_hartree": calculation.density_cutoff,
        "gamma": calculation.gamma,
        "spins": calculation.spins,
        "symmetries": calculation.symmetries,
        "k_points": len(calculation.k_points),
        "states": result.states,
        "plane_waves": {"fewest": result.plane_waves[0], "most": result.plane_waves[1]},
        "plane_waves_of_ranks": {"fewest": result.shares[0], "most": result.shares[1]},
        "columns": result.columns,
        "columns_of_box": calculation.grid[0] * calculation.grid[1],
        "electrons": density.integral,
        "electrons_expected": calculation.electrons,
        "relative_difference": density.relative,
        "largest_difference": density.largest,
        "magnetisation": None
        if calculation.spins == 1
        else {
            "total": result.differences[1].integral,
            "relative_difference": result.differences[1].relative,
            "largest_difference": result.differences[1].largest,
        },
        "tolerance": tolerance,
        "agrees": agrees,
        "notes": notes(calculation),
        "seconds": result.seconds,
        "plan": result.plan,
    }


def show(screen: Console, facts: dict[str, Any]) -> None:
    """The report for people."""
    many = facts["ranks"] != 1
    screen.print(
        f"\n[bold]{escape(facts['folder'])}[/]  {escape(facts['creator'])}, {facts['calculation']}, "
        f"on {facts['ranks']} rank{'s' if many else ''}",
        soft_wrap=True,
    )
    points = facts["k_points"]
    sphere = "Gamma: half spheres" if facts["gamma"] else f"{points} k-point{'' if points == 1 else 's'}: whole spheres"
    screen.print(
        f"{' x '.join(map(str, facts['grid']))} points, cell of {facts['volume_bohr3']:.6g} bohr³, cutoffs "
        f"{facts['cutoff_hartree']:g} and {facts['density_cutoff_hartree']:g} hartree"
    )
    waves, shares = facts["plane_waves"], facts["plane_waves_of_ranks"]
    per_rank = f" ({_range(shares)} on a rank)" if many else ""
    screen.print(
        f"{sphere} of {_range(waves)} plane waves{per_rank} in {facts['columns']} of "
        f"{facts['columns_of_box']} columns, {facts['states']} occupied bands\n"
    )
    screen.print(_table(facts))
    colour, word = ("green", "agrees") if facts["agrees"] else ("bold red", "DIFFERS")
    screen.print(
        f"\n[{colour}]{word}[/] with Quantum ESPRESSO's density, relative difference {facts['relative_difference']:.1e} "
        f"(tolerance {facts['tolerance']:.0e})"
    )
    for note in facts["notes"]:
        screen.print(f"note: {escape(note)}")
    seconds = ", ".join(f"{name} {value:.3g} s" for name, value in facts["seconds"].items())
    screen.print(f"time: {seconds}")


def _range(numbers: dict[str, int]) -> str:
    fewest, most = numbers["fewest"], numbers["most"]
    return str(most) if fewest == most else f"{fewest} to {most}"


def _table(facts: dict[str, Any]) -> Table:
    table = figures("integral", "expected", "relative difference", "largest difference")
    table.add_row(
        "density",
        f"{facts['electrons']:.12g}",
        f"{facts['electrons_expected']:.12g}",
        f"{facts['relative_difference']:.2e}",
        f"{facts['largest_difference']:.2e}",
    )
    if facts["magnetisation"] is not None:
        item = facts["magnetisation"]
        table.add_row(
            "magnetisation",
            f"{item['total']:.12g}",
            "",
            f"{item['relative_difference']:.2e}",
            f"{item['largest_difference']:.2e}",
        )
    return table
