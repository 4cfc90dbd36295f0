"""Copies the table of a race between the markers of a README."""

from __future__ import annotations

from pathlib import Path

from weft.cli.output import CommandError, write_text

BEGIN = "<!-- race: made by race.py --publish, not by hand -->"
END = "<!-- end of race -->"


def publish(readme: Path, text: str) -> None:
    """Replace what is between the markers."""
    whole = readme.read_text(encoding="utf-8")
    before, begin, rest = whole.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise CommandError(f"'{readme}' lacks the lines '{BEGIN}' and '{END}', between which the table belongs")
    write_text(readme, f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{after}")
