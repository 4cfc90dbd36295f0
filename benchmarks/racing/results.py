"""Files of results: read with an error that names them, written where no other processor's are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from weft.cli.output import CommandError

FORMAT = 2


def read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(f"'{path}' cannot be read: {error}") from None
    if document.get("format") != FORMAT or "cases" not in document:
        raise CommandError(f"'{path}' holds no results of a race, of the format {FORMAT}")
    return document


def require_own(path: Path, slug: str) -> None:
    """Results of different processors are never mixed."""
    if path.is_file() and (other := read(path)["machine"]["slug"]) != slug:
        raise CommandError(f"'{path}' has results of {other}; those of {slug} need another folder: see --out")
