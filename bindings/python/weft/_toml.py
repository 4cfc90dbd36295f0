"""TOML on every Python that weft runs on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._inputs import cannot_read, read_text

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib  # type: ignore[no-redef]


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The content of a file; Error naming it, and what it should be."""
    text = read_text(path, what)
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise cannot_read(path, error, what) from None
