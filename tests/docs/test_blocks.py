"""Every block of code in README.md and docs/ does what it says: Python and shell run, C, C++ and Fortran compile."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import launching
from pages import ROOT, Block, blocks, pages

from weft.cli.launch import is_open_mpi

pytestmark = [
    pytest.mark.any_mpi,
    pytest.mark.skipif(not is_open_mpi(), reason="the pages' blocks are tested with Open MPI"),
]


#: Where other libraries' headers and modules are looked for, beside the system's.
INCLUDED = [f"-I{folder}" for folder in os.environ.get("WEFT_TEST_INCLUDE", "").split(os.pathsep) if folder]


def test_python_needs_nothing_that_is_hidden() -> None:
    """Readers paste it into Python."""
    hidden = [str(block) for page in pages() for block in blocks(page) if block.language == "python" and block.setup]
    assert not hidden


@pytest.mark.timeout(300)  # of one page: a dozen programs, which may run beside other tests
@pytest.mark.parametrize("page", pages())
def test_blocks(page: str, tmp_path: Path) -> None:
    """In one folder for the page, in their order. What a page's blocks need and do not show is in comments: pages.py."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/weft"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m weft "$@"\n')
    command.chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    missing, failures = set(), []
    for block in blocks(page):
        absent = {module for module in block.needs if find_spec(module) is None}
        absent |= {header for header in block.headers if not _is_found(header)}
        missing |= absent
        if not (block.not_run or absent) and (said := _failure(block, folder)):
            failures.append(f"{block}\n{said}")
    assert not failures, "\n\n".join(failures)
    if missing:
        pytest.skip(
            f"blocks that need {', '.join(sorted(missing))} were left out, which is not installed; the others passed"
        )


def _failure(block: Block, folder: Path) -> str:
    """Tries a block; what it said if it failed."""
    if block.title:
        (folder / block.title).write_text(block.text)
        return ""
    if block.language == "toml":
        tomllib.loads(block.text)
        return ""
    commands = {
        "python": _python,
        "sh": _shell,
        "c": _c,
        "cpp": _cpp,
        "fortran": _fortran,
    }
    if block.language not in commands:
        return ""
    path = os.pathsep.join([str(folder.parent / "bin"), os.environ["PATH"]])
    cache = str(folder.parent / "cache")  # where the tuner keeps files
    environment = launching.clean_environment(
        PATH=path, XDG_CACHE_HOME=cache, MPLBACKEND="agg", OMPI_MCA_hwloc_base_binding_policy="none"
    )
    done = launching.run(commands[block.language](block, folder), folder, environment=environment)
    return "" if done.code == 0 else f"exit code {done.code}\n{done.out}{done.err}"


def _python(block: Block, folder: Path) -> list[str]:
    program = folder / f"block{block.line}.py"
    program.write_text(f"{block.setup}\n{block.text}")
    return [sys.executable, str(program)]


def _shell(block: Block, folder: Path) -> list[str]:
    return ["bash", "-euo", "pipefail", "-c", f"{block.setup}\n{block.text}"]


def _c(block: Block, folder: Path) -> list[str]:
    return [_compiler("mpicc"), "-std=c99", *_checked(block, folder, "c")]


def _cpp(block: Block, folder: Path) -> list[str]:
    return [_compiler("mpicxx"), "-std=c++20", *_checked(block, folder, "cpp")]


def _checked(block: Block, folder: Path, suffix: str) -> list[str]:
    """The rest of a compiler's command; statements that are in no function come into one."""
    lines = [*block.setup.splitlines(), *block.text.splitlines()]
    if not re.search(r"\bmain\(", block.text):
        includes = [line for line in lines if line.startswith("#include")]
        rest = [line for line in lines if not line.startswith("#include")]
        lines = [*includes, "int main(int argc, char **argv) {", "(void)argc; (void)argv;", *rest, "}"]
    source = folder / f"block{block.line}.{suffix}"
    source.write_text("\n".join(lines) + "\n")
    return ["-fsyntax-only", f"-I{ROOT / 'include'}", *INCLUDED, str(source)]


def _fortran(block: Block, folder: Path) -> list[str]:
    modules = next(iter((ROOT / "build/openmpi").glob("fortran/*/*/weft.mod")), None)
    if modules is None:
        pytest.skip("Weft was built without its Fortran module")
    lines = [*block.setup.splitlines(), *block.text.splitlines()]
    if not any(line.startswith("program ") for line in lines):
        uses = [line for line in lines if line.startswith("use")]
        rest = [line for line in lines if not line.startswith("use")]
        procedure = block.text.startswith("subroutine")
        lines = ["program block", *uses, "implicit none", *["contains"] * procedure, *rest, "end program"]
    source = folder / f"block{block.line}.f90"
    source.write_text("\n".join(lines) + "\n")
    return [_compiler("mpifort"), "-fsyntax-only", f"-I{modules.parent}", *INCLUDED, str(source)]


def _is_found(name: str) -> bool:
    """Whether a program can use this header, or module of Fortran, of another library."""
    if name.endswith(".mod"):
        return any((Path(folder.removeprefix("-I")) / name).is_file() for folder in INCLUDED)
    command = [_compiler("mpicxx"), "-E", "-x", "c++", *INCLUDED, "-"]
    return subprocess.run(command, input=f"#include <{name}>\n", text=True, capture_output=True).returncode == 0


def _compiler(name: str) -> str:
    """That of Open MPI: Debian, which may have several MPI libraries, has it under a longer name, too."""
    return shutil.which(f"{name}.openmpi") or name
