"""Pages that list what there is have all of it, and what they quote is what the library says."""

import re

import pytest
from pages import ROOT

import weft
from weft.cli.launch import is_open_mpi

pytestmark = [
    pytest.mark.any_mpi,
    pytest.mark.skipif(not is_open_mpi(), reason="other MPI libraries have other strategies"),
]

#: What the tests, the build and simulations set, and prefixes.
OTHERS = {"WEFT_MPI", "WEFT_PYTHON", "WEFT_LAB_DATA", "WEFT_LAB_MACHINE", "WEFT_CLI_TERMINALS"}


def rows(page, heading):
    """The cells of the table below a heading."""
    text = (ROOT / page).read_text(encoding="utf-8")
    part = re.split(r"^## ", text.split(f"## {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    found = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found]


def sources():
    for folder in ("src", "model", "tuner", "bindings", "tools"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".cpp", ".hpp", ".py", ".c", ".f90"):
                yield path.read_text(encoding="utf-8")


def test_all_options_are_there() -> None:
    table = rows("docs/reference/options.md", "Options")
    options = weft.options()
    assert [cell[0] for cell in table] == [f"`{option.name}`" for option in options]
    for (name, values, default, applies_to, when), option in zip(table, options):
        known = [word for word in option.values.split(", ") if word != "mkl"]
        assert values.split(", ") == known, name
        assert default == (option.default or "none"), name
        assert applies_to == ", ".join(word[0] for word in option.applies_to.split(", ")), name
        assert len(when) > 20, name


def test_all_variables_are_there() -> None:
    listed = {cell[0].strip("`") for cell in rows("docs/reference/options.md", "Other variables")}
    options = {f"WEFT_{option.name.upper()}" for option in weft.options()}
    read = {name for text in sources() for name in re.findall(r'"(WEFT_[A-Z_]+[A-Z])"', text)}
    needed = {name for name in read - options - OTHERS if not name.startswith("WEFT_TEST_")}
    assert needed <= listed, needed - listed
    known = read | {name for text in sources() for name in re.findall(r"\$?(WEFT_[A-Z_]+[A-Z])", text)}
    assert {name for name in listed if name.startswith("WEFT_")} <= known


def test_messages_are_what_the_library_says() -> None:
    """Those that the page on errors quotes: in its first columns, what has several words."""
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    firsts = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| ")]
    quoted = [text for cell in firsts for text in re.findall(r"`([^`]+)`", cell) if " " in text]
    assert len(quoted) > 5
    # Texts go on over lines.
    said = re.sub(r'"\s*\n\s*(?:f?")', "", "\n".join(sources()))
    said = re.sub(r'", \w+(?:\(\))?, "', "", said)
    for text in quoted:
        assert text in said, text
