"""Files of other commands that somebody has changed: one message, exit code 2 or none, and never a traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest
import tomli_w
from espresso_files import Save
from launching import weft_here

import weft
from weft.model.machine_file import path_of

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


def traced() -> dict[str, Any]:
    """As the library writes it: an execution on each of two ranks, with a tile on its way."""
    events: list[dict[str, Any]] = []
    for rank in (0, 1):
        given = {"direction": "forward", "exchange": 0, "tile": 0, "bytes": 8, "messages": 1, "strategy": "pairwise"}
        parts = (
            ("forward", "execution", 0.0, 9.0, {"direction": "forward", "what": "4 x 4 x 4"}),
            ("produce", "compute", 1.0, 2.0, {"direction": "forward", "pass": 0}),
            ("test", "test", 1.5, 0.1, {"direction": "forward", "exchange": 0}),
            ("start", "start", 3.0, 1.0, given),
            ("wait", "wait", 5.0, 1.0, given),
        )
        for name, category, begin, length, arguments in parts:
            common = {"name": name, "cat": category, "pid": rank, "tid": 0}
            events.append({**common, "ph": "X", "ts": begin, "dur": length, "args": arguments})
        tile = {"name": "tile", "cat": "flight", "pid": rank, "tid": 0, "id": f"{rank}.0"}
        events.append({**tile, "ph": "b", "ts": 3.0, "args": given})
        events.append({**tile, "ph": "e", "ts": 6.0})
    events.append({"name": "1 executions were left out", "ph": "i", "pid": 0, "ts": 9.0})
    return {"otherData": {"program": "weft"}, "traceEvents": events}


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


def tuned() -> dict[str, Any]:
    key = {
        "transform": "c2c",
        "precision": "double",
        "shape": [8, 8, 8],
        "ranks": 2,
        "nodes": 1,
        "given": {"tile": "2"},
    }
    times = {"seconds": 1e-3, "predicted": 1e-3, "low": 1e-3, "high": 2e-3, "rounds": 3}
    entry = {
        "key": {**key, "batch": 1},
        "options": {"strategy": "pairwise"},
        "effort": "measure",
        "when": "2026-01-01",
        "seconds": 1e-3,
        "default_seconds": 2e-3,
        "sureness": 0.9,
        "tried": [{"options": {"strategy": "pairwise"}, **times}],
    }
    return {"weft_tuning": 1, "entries": [entry]}


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
