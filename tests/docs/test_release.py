"""The list of others' work that a release comes with."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from pages import ROOT

pytestmark = pytest.mark.any_mpi

SCRIPT = ROOT / "scripts" / "sbom.py"


def listed(*files):
    command = [sys.executable, SCRIPT, "1.2.3", "c0ffee", *files]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={"SOURCE_DATE_EPOCH": "86400"}
    ).stdout


def test_files_and_work_of_others_are_listed():
    content = json.loads(listed(ROOT / "LICENSE"))
    assert content["creationInfo"]["created"] == "1970-01-02T00:00:00Z"
    packages = {package["name"]: package for package in content["packages"]}
    assert packages["Weft"]["versionInfo"] == "1.2.3"
    assert len(packages["LICENSE"]["checksums"][0]["checksumValue"]) == 64
    names = {package["SPDXID"] for package in content["packages"]} | {"SPDXRef-DOCUMENT"}
    assert len(names) == len(content["packages"]) + 1
    for relation in content["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= names
    assert listed(ROOT / "LICENSE") == listed(ROOT / "LICENSE")


def test_all_libraries_that_are_compiled_in_are_listed():
    common = re.search(r"PACKAGES_COMMON=\(([^)]*)\)", (ROOT / "scripts" / "packages.sh").read_text())[1].split()
    libraries = {name for name in common if name.endswith("-dev")} - {"python3-dev", "libgtest-dev"}
    assert libraries <= set(re.findall(r'"([\w+-]+-dev)"', SCRIPT.read_text()))
    assert "nanobind" in SCRIPT.read_text()
