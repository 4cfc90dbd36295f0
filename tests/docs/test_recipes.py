"""The recipes in packaging say what CMakeLists.txt and pyproject.toml say; Spack, conda and Debian's tools are not needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types
from typing import Any

import pytest
from pages import ROOT

from weft._toml import tomllib

pytestmark = pytest.mark.any_mpi

CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(\s*weft\s+VERSION (\S+)", CMAKE)[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

#: What CMake looks for, and what Spack, conda and Debian call it; "" is part of every compiler, or is not built from recipes.
LIBRARIES = {
    "CLI11": ("cli11", "cli11", "libcli11-dev"),
    "FFTW": ("fftw", "fftw", "libfftw3-dev"),
    "GTest": ("", "", ""),
    "Highway": ("highway", "libhwy", "libhwy-dev"),
    "MPI": ("mpi", "{{ mpi }}", "libopenmpi-dev"),
    "OneMKL": ("intel-oneapi-mkl", "", ""),
    "OpenMP": ("", "", ""),
    "Python": ("python", "python", ""),
    "Threads": ("", "", ""),
    "TomlPlusPlus": ("tomlplusplus", "tomlplusplus", "libtomlplusplus-dev"),
    "nanobind": ("py-nanobind", "nanobind", ""),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann-json3-dev"),
}


def requirement(text: str) -> tuple[str, str]:
    """Name and least version, of the three ways in which they are written: mpi4py>=3.1, mpi4py >=3.1, py-mpi4py@3.1:."""
    name, least = re.match(r"(\{\{.*?\}\}|[\w-]+)\s*(?:(?:>=|@)([\d.]+))?(?:[\s:;,].*)?$", text).groups()
    return name, least or ""


def of_pip(part: str) -> dict[str, str]:
    texts = PYPROJECT["build-system"]["requires"] if part == "build" else PYPROJECT["project"]["dependencies"]
    return dict(map(requirement, texts))


def sought() -> set[str]:
    """What CMake's files look for."""
    found = set()
    paths = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("Weft*.cmake")]
    for folder in ("src", "model", "tuner", "tools", "bindings"):
        paths += (ROOT / folder).rglob("CMakeLists.txt")
    for path in paths:
        text = re.sub(r"#.*", "", path.read_text())
        found |= set(re.findall(r"find_package\((\w+)", text)) | set(re.findall(r"find_path\((\w+)_INCLUDE_DIR", text))
    return found


@pytest.fixture(scope="module")
def spack() -> types.SimpleNamespace:
    """Spack's recipe, run by a Spack that only writes down what it is told."""
    seen = types.SimpleNamespace(versions=[], variants={}, needs={}, conditions=[], package=None)

    class CMakePackage:
        def __init__(self, on: set[str]) -> None:
            self.on = on
            mpi = types.SimpleNamespace(mpicxx="mpicxx", mpicc="mpicc")
            self.spec = type("Spec", (dict,), {"satisfies": lambda _, text: text[1:] in on})(mpi=mpi)

        def define(self, name: str, value: Any) -> tuple[str, Any]:
            return name, value

        def define_from_variant(self, name: str, variant: str) -> tuple[str, Any]:
            assert variant in seen.variants
            return name, variant in self.on

    class When:
        def __init__(self, condition: str) -> None:
            seen.conditions.append(condition)

        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    def depends_on(spec: str, type: Any = None, when: str = "") -> None:
        name, least = requirement(spec)
        seen.needs.setdefault(name, least)
        seen.conditions.append(when)

    def variant(name: str, default: bool, description: str) -> None:
        seen.variants[name] = default

    words = types.ModuleType("spack.package")
    words.__dict__.update(
        version=seen.versions.append,
        license=lambda name: None,
        variant=variant,
        depends_on=depends_on,
        extends=depends_on,
        conflicts=lambda spec, when="", msg="": seen.conditions.append(when),
        when=When,
        run_after=lambda phase, when="": lambda function: function,
    )
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = CMakePackage
    modules = {"spack": types.ModuleType("spack"), "spack.package": words, cmake.__name__: cmake}
    modules |= {
        name: types.ModuleType(name)
        for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")
    }
    path = ROOT / "packaging" / "spack" / "packages" / "weft" / "package.py"
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        content: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), content)
    seen.package = content["Weft"]
    return seen


def test_the_citation_has_version_and_licence():
    words = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert (words["version"], words["license"]) == (VERSION, PYPROJECT["project"]["license"])


def test_codemeta_says_what_the_citation_says():
    words = (ROOT / "CITATION.cff").read_text()
    data = json.loads((ROOT / "codemeta.json").read_text())
    assert data["version"] == VERSION
    assert data["license"] == f"https://spdx.org/licenses/{PYPROJECT['project']['license']}"
    assert f"- name: {data['author'][0]['name']}" in words
    assert data["keywords"] == re.findall(r"^  - (.+)$", words.split("keywords:")[1], re.MULTILINE)


def test_the_container_has_version_and_packages():
    text = (ROOT / "packaging" / "apptainer" / "weft.def").read_text()
    assert set(re.findall(r"weft-(\d+\.\d+\.\d+)\.tar", text)) == {VERSION}
    assert f"\n    Version {VERSION}\n" in text
    page = (ROOT / "docs" / "tutorial.md").read_text()
    listed = [re.search(r"apt-get install((?:.*\\\n)*.*)", words)[1] for words in (page, text)]
    needed, taken = ({word for word in re.findall(r"[\w+-]+", words) if word[0] != "-"} for words in listed)
    assert needed <= taken


def test_easybuild_has_version_libraries_and_options():
    path = ROOT / "packaging" / "easybuild" / f"Weft-{VERSION}-foss-2024a.eb"
    recipe: dict[str, Any] = {"SOURCELOWER_TAR_GZ": "weft.tar.gz", "SHLIB_EXT": "so"}
    exec(compile(path.read_text(), str(path), "exec"), recipe)
    assert recipe["version"] == VERSION
    found = {name.lower().replace("_", "-"): version for name, version in recipe["builddependencies"]}
    found |= {name.lower(): version for name, version in recipe["dependencies"]}
    in_toolchain, left_out = {"mpi", "fftw"}, {"", "python", "py-nanobind", "intel-oneapi-mkl"}
    assert {LIBRARIES[name][0] for name in sought()} - in_toolchain - left_out <= set(found)
    least = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", CMAKE)[1]
    assert [int(part) for part in found["cmake"].split(".")] >= [int(part) for part in least.split(".")]
    for name in re.findall(r"-D(WEFT_\w+)=", recipe["configopts"]):
        assert re.search(rf"\b{name}\b", CMAKE), name


def test_spack_has_the_version(spack):
    assert spack.versions == [VERSION]


def test_spack_knows_all_libraries(spack):
    wanted = {LIBRARIES[name][0] for name in sought()} - {""}
    assert wanted <= set(spack.needs)
    least = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", CMAKE)[1]
    assert spack.needs["cmake"] == least
    assert (
        spack.needs["mpi"]
        == re.search(r"find_package\(MPI ([\d.]+)", (ROOT / "cmake" / "WeftMPI.cmake").read_text())[1]
    )
    assert spack.needs["py-nanobind"] == of_pip("build")["nanobind"]
    assert spack.needs["python"] == PYPROJECT["project"]["requires-python"].removeprefix(">=")
    assert {name: spack.needs[f"py-{name}"] for name in of_pip("run")} == of_pip("run")


def test_spack_gives_options_that_there_are(spack):
    named = {word for text in spack.conditions for word in re.findall(r"\+(\w+)", text)}
    assert named <= set(spack.variants)
    for on in (set(), set(spack.variants)):
        given = dict(spack.package(on).cmake_args())
        own = {name for name in given if name.startswith("WEFT_")}
        assert own <= set(re.findall(r"(?:option|set)\((WEFT_\w+)", CMAKE))
        assert given["WEFT_BUILD_TESTS"] is False
        assert given["WEFT_BUILD_PYTHON"] is bool(on)
        assert given["WEFT_MKL"] == ("ON" if on else "OFF")


def meta() -> dict[str, list[str]]:
    """conda's recipe: the lists of its sections, without Jinja's work done."""
    sections: dict[str, list[str]] = {}
    name = ""
    for line in (ROOT / "packaging" / "conda" / "meta.yaml").read_text().splitlines():
        text = re.sub(r"  # \[.*", "", line)
        if found := re.fullmatch(r"( *)(\w+):(.*)", text):
            name = found[2]
            sections.setdefault(name, [found[3].strip()] if found[3].strip() else [])
        elif found := re.fullmatch(r" +- (.*)", text):
            sections[name].append(found[1])
    return sections


def test_conda_has_names_and_versions():
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    assert re.search(r'set version = "(.*)"', text)[1] == VERSION
    found = meta()
    assert found["name"] == [PYPROJECT["project"]["name"]]
    assert found["summary"] == [PYPROJECT["project"]["description"]]
    assert found["license"] == [PYPROJECT["project"]["license"]]


def test_conda_knows_all_libraries():
    found = meta()
    host, run = dict(map(requirement, found["host"])), dict(map(requirement, found["run"]))
    wanted = {LIBRARIES[name][1] for name in sought()} - {""}
    assert wanted <= set(host)
    assert of_pip("build").items() <= host.items()
    assert of_pip("run").items() <= run.items()
    assert host["python"] == run["python"] == PYPROJECT["project"]["requires-python"].removeprefix(">=")
    assert "{{ mpi }}" in run


def test_condas_script_is_a_script():
    script = ROOT / "packaging" / "conda" / "build.sh"
    subprocess.run(["bash", "-n", str(script)], check=True)
    options = re.findall(r"-D(WEFT_\w+)=", script.read_text())
    assert options
    assert set(options) <= set(re.findall(r"(?:option|set)\((WEFT_\w+)", CMAKE))


def debian(name: str) -> str:
    return (ROOT / "packaging" / "debian" / name).read_text()


def test_debian_has_version_and_soname():
    assert re.match(r"weft \((.*?)\)", debian("changelog"))[1] == VERSION
    soname = VERSION.rpartition(".")[0]
    packages = re.findall(r"^Package: (.*)$", debian("control"), re.MULTILINE)
    assert {f"libweft-openmpi{soname}", f"libweft-mpich{soname}"} <= set(packages)
    lists = {path.stem for path in (ROOT / "packaging" / "debian").glob("*.install")}
    assert lists == set(packages)


def test_debian_knows_all_libraries_and_options():
    needs = re.split(r",\s*", re.search(r"^Build-Depends:((?:.|\n )*)", debian("control"), re.MULTILINE)[1])
    needed = {re.split(r"\s", need.strip())[0] for need in needs}
    assert {LIBRARIES[name][2] for name in sought()} - {""} <= needed
    least = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", CMAKE)[1]
    assert f"cmake (>= {least})" in {need.strip() for need in needs}
    options = re.findall(r"-D(WEFT_\w+)=", debian("rules"))
    assert options
    assert set(options) <= set(re.findall(r"(?:option|set)\((WEFT_\w+)", CMAKE))


def test_the_table_of_settings_has_all():
    there = set()
    for path in [
        ROOT / "CMakeLists.txt",
        *(ROOT / "cmake").glob("Weft*.cmake"),
        *(ROOT / "tools").rglob("CMakeLists.txt"),
    ]:
        found = re.findall(
            r"^(?:option\((WEFT_\w+)|set\((WEFT_\w+) \S+ CACHE (?!PATH))", path.read_text(), re.MULTILINE
        )
        there |= {name for names in found for name in names if name}
    page = (ROOT / "docs" / "howto" / "install.md").read_text()
    table = re.search(r"\n## Settings of CMake\n\n((?:\|.*\n)+)", page)[1]
    assert set(re.findall(r"^\| `(WEFT_\w+)`", table, re.MULTILINE)) == there
