"""The tables of all reports: names on the left, figures on the right."""

from __future__ import annotations

from rich.table import Table


def figures(*headings: str) -> Table:
    """An empty table, to whose rows a name and one figure for each heading are added."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
