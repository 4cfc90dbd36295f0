"""The blocks of code in a page of the documentation, and what the page says of how they are tested.

A comment directly before a block says what readers need not see:

    <!-- not run: why -->         nothing is done with the block
    <!-- needs: MODULE ... -->    nor where one of these modules of Python is not installed
    <!-- headers: NAME ... -->    nor where the compiler does not find these headers (those of other libraries, Fortran's
                                  modules too), in the folders of WEFT_TEST_INCLUDE as well
    <!-- with:                    code of the same language that the block needs before it: where the text says what comes
    weft::Transform<double> fft(...);         before. (Python is pasted as it is, and has none.)
    -->

A block with a title (```python title="heat.py") is a file that later blocks of the page use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What is tested, and `text`, which is for people.
LANGUAGES = {"python", "cpp", "c", "fortran", "sh", "toml", "cmake", "text"}
_FENCE = re.compile(r"^( *)```(\w*)(?: title=\"([^\"]+)\")?$")
_COMMENT = re.compile(r"<!-- (not run|needs|headers|with):(.*?)-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str
    title: str = ""
    setup: str = ""
    not_run: str = ""
    needs: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.page}:{self.line} ({self.language})"


def pages() -> list[str]:
    return [
        "README.md",
        "CONTRIBUTING.md",
        *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
    ]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page; ValueError for one that is not fenced, or in no language that is known here."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    before: list[str] = []  # the lines since the last block
    number = 0
    while number < len(lines):
        found = _FENCE.match(lines[number])
        if found is None:
            if "```" in lines[number] and lines[number].lstrip().startswith("```"):
                raise ValueError(f"{page}:{number + 1}: '{lines[number]}' does not begin a block as they begin here")
            if lines[number].startswith("    ") and _indented_code(before):
                raise ValueError(
                    f"{page}:{number + 1}: a block that is indented; put it between ``` and name its language"
                )
            before.append(lines[number])
            number += 1
            continue
        indent, language, title = found[1], found[2], found[3] or ""
        if language not in LANGUAGES:
            raise ValueError(
                f"{page}:{number + 1}: the language is '{language}'; it can be {', '.join(sorted(LANGUAGES))}"
            )
        end = lines.index(f"{indent}```", number + 1)
        text = "\n".join(line.removeprefix(indent) for line in lines[number + 1 : end]) + "\n"
        notes = _notes("\n".join(before))
        needs, headers = (tuple(notes.get(name, "").split()) for name in ("needs", "headers"))
        not_run = notes.get("not run", "").strip()
        yield Block(page, number + 1, language, text, title, notes.get("with", ""), not_run, needs, headers)
        before = []
        number = end + 1


def _notes(before: str) -> dict[str, str]:
    """The comments at the very end of what comes before a block."""
    notes = {}
    text = before.rstrip()
    while text.endswith("-->"):
        start = text.rfind("<!--")
        found = _COMMENT.fullmatch(text[start:])
        if found:
            notes[found[1]] = found[2].strip("\n")
        text = text[:start].rstrip()
    return notes


def _indented_code(before: list[str]) -> bool:
    """Whether an indented line after these is code, as Markdown has it: after a blank line, and not in a list."""
    if not before or before[-1]:
        return False
    above = next((line for line in reversed(before) if line and not line.startswith(" ")), "")
    return not re.match(r"[*-] |\d+\. |<!--", above)
