"""The types that are shipped: the stub of the compiled part says what is there, and type checkers find it."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from launching import run

import weft
from weft import _core

pytestmark = pytest.mark.any_mpi

pytest.importorskip("mypy")

#: What stubtest says of anything that nanobind makes: its functions are of a type of their own, static ones too, classes have
#: its metaclass, and those that cannot be made have the constructor of `object`.
NANOBINDS = re.compile(
    "is not a function$|is a disjoint base at runtime|is inconsistent, metaclass differs$"
    "|is inconsistent, stub is a staticmethod but runtime is not$"
    '|__init__ is inconsistent, stub does not have \\*args parameter "args"$'
)

Parameters = list[tuple[str, bool]]


def parameters(function: ast.FunctionDef) -> Parameters:
    """Names, where callers may use them, and which may be left out."""
    given = function.args
    names = ["" if one.arg != "self" else "self" for one in given.posonlyargs] + [one.arg for one in given.args]
    optional = [False] * (len(names) - len(given.defaults)) + [True] * len(given.defaults)
    plain = list(zip(names, optional))
    plain += [(one.arg, value is not None) for one, value in zip(given.kwonlyargs, given.kw_defaults)]
    return plain + [("*", False)] * (given.vararg is not None) + [("**", False)] * (given.kwarg is not None)


def stub_functions() -> dict[str, Parameters]:
    """Every function and method of the stub but properties, by its name in the module."""
    tree = ast.parse((Path(weft.__file__).parent / "_core.pyi").read_text())
    found = {}
    for outer in tree.body:
        inner = outer.body if isinstance(outer, ast.ClassDef) else [outer]
        prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for item in inner:
            if isinstance(item, ast.FunctionDef) and "property" not in map(ast.unparse, item.decorator_list):
                found[prefix + item.name] = parameters(item)
    return found


def compiled_functions() -> dict[str, Parameters]:
    """The same of the compiled module, from the signatures that nanobind keeps."""
    found = {}

    def add(name: str, function: object) -> None:
        signatures = getattr(function, "__nb_signature__", ())
        assert len(signatures) < 2, f"{name} has overloads, which this test cannot compare"
        for text, _, _ in signatures:
            # Defaults are kept beside the text, as \0, \1..., and what an array must be is no Python.
            text = re.sub(r"ndarray\[[^\]]*\]", "ndarray", re.sub(r"\\\d+", "...", text))
            (parsed,) = ast.parse(f"{text}: ...").body
            assert isinstance(parsed, ast.FunctionDef)
            found[name] = parameters(parsed)

    for name, item in vars(_core).items():
        add(name, item)
        if isinstance(item, type):
            # That objects can be compared and shown nobody needs to be told.
            for member in vars(item):
                if member == "__init__" or not hasattr(object, member):
                    add(f"{name}.{member}", getattr(item, member))
    return found


def test_the_stub_says_what_is_there():
    outcome = run([sys.executable, "-m", "mypy.stubtest", "--concise", "weft._core"])
    lines = [line for line in outcome.out.splitlines() if line.startswith("weft.")]
    assert lines, outcome  # at least what is said of anything that nanobind makes
    assert [line for line in lines if not NANOBINDS.search(line)] == []


def test_functions_take_what_the_stub_says():
    compiled, stub = compiled_functions(), stub_functions()
    assert len(compiled) > 50
    assert stub == compiled


def test_type_checkers_know_the_types(tmp_path):
    script = tmp_path / "user.py"
    script.write_text("import weft\nranks: str = weft.plan((8, 8, 8), 2).ranks\nnames: list[str] = weft.strategies()\n")
    outcome = run([sys.executable, "-m", "mypy", "--no-incremental", str(script)], cwd=tmp_path)
    assert outcome.code == 1, outcome
    errors = [line for line in outcome.out.splitlines() if ": error: " in line]
    (error,) = errors
    assert "user.py:2" in error
    assert 'expression has type "int", variable has type "str"' in error
