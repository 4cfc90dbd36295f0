"""That other compilers take the sources: the core with its public headers, the model, the tuner, and the bindings; Clang, which
takes less than GCC, the tests as well.

Syntax only, of what the build has compiled, with the same definitions and folders; scripts/tests.sh installs the compilers.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import weft

pytestmark = [pytest.mark.any_mpi, pytest.mark.long]

ROOT = Path(__file__).parents[2]
BUILD = Path(weft.__file__).parents[2]
#: The oldest that are promised, and of Clang any where that is not to be had.
COMPILERS = {"Clang": ("clang++-14", "clang++"), "GCC 11": ("g++-11",)}
FOLDERS = ("src", "model", "tuner", "bindings/c", "bindings/fftw", "bindings/python", "examples/poisson")
MORE_FOLDERS = {"Clang": ("tests",), "GCC 11": ()}
#: Seconds, on machines that are shared with others.
LIMIT = 300


def sources(folders: tuple[str, ...]) -> dict[str, tuple[str, list[str]]]:
    """Files of these folders that were compiled (one may be a file), where, and with which folders, definitions and instructions."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        base = next((base for base in (BUILD, ROOT) if file.is_relative_to(base)), None)
        if base is None or file.suffix not in (".cpp", ".cxx") or not str(file.relative_to(base)).startswith(folders):
            continue
        kept = []
        words = iter(shlex.split(entry["command"])[1:])
        for word in words:
            if word in ("-isystem", "-I"):
                kept += [word, next(words)]
            elif word.startswith(("-I", "-D", "-std=", "-m")):
                kept.append(word)
        found[str(file)] = entry["directory"], kept
    return found


@pytest.mark.timeout(20 * LIMIT)
@pytest.mark.parametrize("name", COMPILERS)
def test_sources_compile(name):
    if not (BUILD / "compile_commands.json").exists():
        pytest.skip(f"{BUILD} has no compile_commands.json")
    compiler = next(filter(None, map(shutil.which, COMPILERS[name])), None)
    if compiler is None:
        pytest.skip(f"no {name}: none of {', '.join(COMPILERS[name])} is installed")
    wanted = sources((*FOLDERS, *MORE_FOLDERS[name]))
    assert any("sphere" in file for file in wanted), sorted(wanted)
    for file, (folder, flags) in wanted.items():
        command = [compiler, "-fsyntax-only", "-w", *flags, file]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr[:4000]}"
