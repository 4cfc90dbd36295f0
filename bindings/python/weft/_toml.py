"""TOML on every Python that weft runs on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._errors import Error

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib  # type: ignore[no-redef]


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The content of a file; Error naming it, and what it should be."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"cannot read the {what} '{path}': {error}") from None
