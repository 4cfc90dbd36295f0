"""Plans for notebooks: their words as a table, which a browser can fold up."""

from __future__ import annotations

import re
from html import escape

#: A line of a plan's words: what it is about, and after some spaces what is said of it.
_LINE = re.compile(r"( *)(\S+(?: \S+)*?)  +(\S.*)")
_CELL = 'style="text-align: left; vertical-align: top; padding: 0 1em 0 {}em"'


def of_plan(text: str, title: str | None = None) -> str:
    """The words of a plan under a title, by default their first line."""
    first, *lines = text.rstrip().splitlines()
    if title is not None:
        lines.insert(0, first)
    rows = []
    for line in lines:
        found = _LINE.fullmatch(line)
        if found:
            indent, about, said = found.groups()
            rows.append(
                f"<tr><td {_CELL.format(len(indent) / 2 + 0.5)}>{escape(about)}</td><td {_CELL.format(0)}>{escape(said)}</td></tr>"
            )
        else:
            rows.append(f'<tr><th colspan="2" {_CELL.format(0.5)}>{escape(line.strip())}</th></tr>')
    return f"<details open><summary><b>{escape(title or first)}</b></summary><table>{''.join(rows)}</table></details>"
