"""The version that CMakeLists.txt gives is the one that texts name."""

from __future__ import annotations

import re

import pytest
from pages import ROOT

import weft

pytestmark = pytest.mark.any_mpi

PROJECT = re.search(r"project\(\s*weft\s+VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())


@pytest.mark.parametrize("file", ["include/weft/weft.hpp", "include/weft/weft.h", "bindings/fortran/src/errors.f90.in"])
def test_of_comments(file):
    assert re.search(r'patch number: "(.*)"', (ROOT / file).read_text())[1] == PROJECT[1]


def test_of_changes():
    """The first section is of the version at hand, or of what comes after it."""
    first = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert first.split(" - ")[0] in (PROJECT[1], "Unreleased")


def test_of_the_package():
    assert weft.__version__ == PROJECT[1]
