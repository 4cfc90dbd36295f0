"""Copies what races have found between the markers of a README: of each processor, side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from weft.cli.output import CommandError, write_text

from .results import read
from .table import summary, title

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


def documents(results: Path, name: str) -> list[tuple[Path, dict[str, Any]]]:
    """The races of that name of all processors, the latest first."""
    found = [(path, read(path)) for path in results.glob(f"*/{name}.json")]
    return sorted(found, key=lambda item: str(item[1]["made"]), reverse=True)


def all_summaries(results: Path, name: str, beside: Path) -> str:
    """Those races; links are from the folder `beside`."""
    parts = []
    for path, document in documents(results, name):
        picture, table = (os.path.relpath(path.with_suffix(end), beside) for end in (".png", ".md"))
        shown = picture if path.with_suffix(".png").is_file() else None
        parts.append(f"### {title(document)}\n\n{summary(document, shown)}\n[Every contestant's times]({table})\n")
    return "\n".join(parts)
