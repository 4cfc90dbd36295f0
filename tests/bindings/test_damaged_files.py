"""Files of other commands that somebody has changed: one message, exit code 2 or none, and never a traceback."""

from __future__ import annotations

import copy
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest
import tomli_w
from espresso_files import Save
from hostile import traced, tuned
from launching import HERE, run, weft_here

import weft
from weft.model.machine_file import path_of

pytestmark = pytest.mark.any_mpi

try:
    import tomllib
except ImportError:
    import tomli as tomllib

STRANGE: tuple[Any, ...] = (None, "x", "$x^$", -1, 10**30, float("nan"), float("inf"), 1e300, [], [[]], {}, True)


def some(content: Any, count: int, strange: tuple[Any, ...] = STRANGE) -> list[Any]:
    """Of all changes some, the same in every run."""
    return random.Random(count).sample([*changed(content, strange)], count)


def changed(content: Any, strange: tuple[Any, ...]) -> Iterator[Any]:
    """The content with one of its parts left out or replaced, each in turn."""
    if not isinstance(content, (dict, list)):
        return
    for key, value in list(content.items() if isinstance(content, dict) else enumerate(content)):
        for other in (*strange, *changed(value, strange)):
            one = copy.copy(content)
            one[key] = other
            yield one
        one = copy.copy(content)
        del one[key]
        yield one


def said(path: Path, *arguments: object) -> str:
    """What is complained of; files that are taken all the same are no concern here."""
    outcome = weft_here(*arguments, cwd=path.parent)
    assert outcome.code in (0, 2), (path.read_text(), outcome)
    assert "Traceback" not in outcome.err
    if outcome.code == 2:
        # That a tuning file is damaged and called something else now is said beside what follows from it.
        assert outcome.err.count("weft:") == 1 + outcome.err.count("weft: tuning file"), outcome
    return outcome.err


@pytest.mark.parametrize(("count", "plot"), [(150, "--no-plot"), (10, "--plot")])
def test_traces(count, plot, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(traced()))
    assert said(path, "trace", path) == ""
    for content in some(traced(), count):
        path.write_text(json.dumps(content))
        message = said(path, "trace", path, plot)
        assert not message or "t.json" in message


@pytest.mark.parametrize(
    "text", ["[" * 100000, '{"otherData":{"program":"weft"},"traceEvents":{}}', "\udcff", "1" * 5000]
)
def test_texts_that_are_no_traces(text, tmp_path):
    path = tmp_path / "t.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    assert "t.json" in said(path, "trace", path)


@pytest.mark.parametrize("command", [["tune", "list"], ["tune", "show", "0"], ["explain", "--shape", 8, 8, 8, "-n", 2]])
def test_tuning_files(command, tmp_path):
    path = tmp_path / "t.json"
    for content in (tuned(), *some(tuned(), 100)):
        path.write_text(json.dumps(content))
        said(path, *command, "--file", path)


def test_machine_files(tmp_path):
    path = tmp_path / "m.toml"
    machine = tomllib.loads(path_of(weft.model.machine_names()[0]).read_text(encoding="utf-8"))
    strange = tuple(other for other in STRANGE if other not in (None, "$x^$", 10**30))
    for content in some(machine, 100, strange):
        path.write_text(tomli_w.dumps(content))
        message = said(path, "predict", "--machine", path, "--shape", 4, 4, 4, "-n", "2", "--strategy", "pairwise")
        assert not message or "m.toml" in message
    for text in ("[" * 100000, "\udcff", "x = " + "1" * 5000):
        path.write_bytes(text.encode(errors="surrogateescape"))
        assert "m.toml" in said(path, "predict", "--machine", path, "--shape", 4, 4, 4, "-n", "2")
        assert "m.toml" in said(path, "place", "sort", "--machine", path)


@pytest.mark.parametrize("name", ["wfc1.hdf5", "charge-density.hdf5"])
def test_attributes_of_wave_functions_and_densities(name, tmp_path):
    folder = Save(form="hdf5").write(tmp_path / "x.save")
    path = folder / name
    with h5py.File(path) as file:
        names = [*file.attrs]
    whole = path.read_bytes()
    for attribute in names:
        for strange in ("x", -1, 10**9, float("nan"), [1, 2], [[0.0]]):
            path.write_bytes(whole)
            with h5py.File(path, "r+") as file:
                file.attrs[attribute] = strange
            outcome = weft_here("planewave", "--wfc", folder)
            assert outcome.code in (0, 1, 2), (attribute, strange, outcome)
            if outcome.code == 2:
                assert "x.save" in outcome.err
                assert outcome.err.count("weft:") == 1


def test_descriptions_of_calculations(tmp_path):
    folder = Save().write(tmp_path / "x.save")
    path = folder / "data-file-schema.xml"
    whole = path.read_text()
    for before, after in (
        ("<nelec>", "<nelec>" + "9" * 400),
        ('nr1="', 'nr1="²'),
        ('nr1="', 'nr1="' + "9" * 5000),
        ('nr1="', 'nr1="99999999'),
        ('encoding="', 'encoding="none-'),
        ("<cell>", "<cell>" * 100000),
    ):
        if before not in whole:
            continue
        path.write_text(whole.replace(before, after, 1), encoding="utf-8")
        outcome = weft_here("planewave", "--wfc", folder)
        assert outcome.code == 2, (after[:40], outcome)
        assert outcome.err.count("weft:") == 1


@pytest.mark.parametrize("count", [4, pytest.param(100, marks=pytest.mark.long)])
def test_hostile_files(count, tmp_path):
    """Of every format; a process of its own, since readers may crash."""
    seed = os.environ.get("WEFT_TEST_SEED", "1")
    outcome = run([sys.executable, str(HERE / "hostile.py"), str(tmp_path), str(count), seed], limit=60 + 20 * count)
    assert outcome.code == 0, (outcome.out.splitlines()[-1:], outcome.err)
    assert outcome.out.endswith("done\n")
