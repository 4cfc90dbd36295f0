"""Tables in Markdown."""

from __future__ import annotations


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Numbers to the right."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
