"""``weft tune`` and `weft.tune`: choices are found, kept and looked after."""

from __future__ import annotations

import json
import re

import pytest
from launching import SCRIPTS, passed, weft_here, weft_launch

from weft import model


@pytest.mark.parametrize("ranks", SCRIPTS["tuning"])
def test_from_programs(ranks):
    assert passed("tuning", ranks) == 9


def tuned(tmp_path, *words):
    """As long as it takes, which is a second: what was timed only once is not kept."""
    file = tmp_path / "tuning.json"
    return weft_launch("tune", "-n", 2, "--budget", "20s", "--file", file, *words)


def test_command_finds_keeps_and_tells(tmp_path):
    outcome = tuned(tmp_path, "--shape", 8, 8, 8, "--json", "-")
    facts = outcome.json()
    assert facts["source"] == "timed"
    assert facts["effort"] == "measure"
    # What is told of the choice and of the default is what was measured of them; and that is kept.
    tried = {json.dumps(one["options"], sort_keys=True): one["seconds"] for one in facts["tried"]}
    assert facts["seconds"] == tried[json.dumps(facts["options"], sort_keys=True)]
    assert facts["default_seconds"] == tried["{}"]
    kept = weft_here("tune", "show", 0, "--file", tmp_path / "tuning.json", "--json", "-").json()
    assert [kept[name] for name in ("seconds", "default_seconds")] == [facts["seconds"], facts["default_seconds"]]
    file = tmp_path / "tuning.json"

    found = weft_here("tune", "list", "--file", file, "--json", "-").json()["entries"]
    assert [entry["key"]["shape"] for entry in found] == [[8, 8, 8]]
    assert found[0]["key"]["ranks"] == 2
    outcome = weft_here("tune", "list", "--file", file)
    assert outcome.code == 0
    assert "1 entry" in outcome.out
    assert "c2c double 8x8x8" in outcome.out
    outcome = weft_here("tune", "show", 0, "--file", file)
    assert outcome.code == 0
    assert "measure" in outcome.out
    assert "the defaults" in outcome.out
    # Explaining the problem's plan tells what is known of it.
    choice = weft_here("explain", "--shape", 8, 8, 8, "-n", 2, "--file", file, "--json", "-").json()["choice"]
    assert choice["plans"][0]["measured"] == facts["default_seconds"], "explained without options"
    assert len(choice["known"]) == 1

    # Again: known, nothing is timed.
    assert tuned(tmp_path, "--shape", "8x8x8", "--json", "-").json()["source"] == "file"


def test_what_was_timed_on_a_busy_machine_is_not_kept(tmp_path, monkeypatch):
    """The load is said, not measured."""
    monkeypatch.setenv("WEFT_TEST_BUSY", "0.4")
    facts = tuned(tmp_path, "--shape", 8, 8, 8, "--json", "-").json()
    assert facts["source"] == "timed"
    (warning,) = facts["warnings"]
    assert "too busy to compare them: meanwhile other processes used 40% of the processors" in warning
    assert "it is not kept in the tuning file, unless with `force`" in warning
    outcome = weft_here("tune", "list", "--file", tmp_path / "tuning.json")
    assert "0 entries; there is no such file yet" in outcome.out
    assert tuned(tmp_path, "--shape", 8, 8, 8, "--force", "--json", "-").json()["warnings"] == []
    assert "1 entry\n" in weft_here("tune", "list", "--file", tmp_path / "tuning.json").out


def test_spheres(tmp_path):
    facts = tuned(tmp_path, "--lattice", 6, "--ecut", 6, "--bands", 2, "--json", "-").json()
    assert facts["backward"]["seconds"] > 0
    assert facts["forward"]["seconds"] > 0
    outcome = weft_here("tune", "list", "--file", tmp_path / "tuning.json")
    assert "backward" in outcome.out
    assert "forward" in outcome.out
    assert "bands 2" in outcome.out


def test_operators(tmp_path):
    problem = ["--shape", 8, 8, 8, "--operator", "products", "--values", 2, "--lengths", 1, 2, 0.5]
    facts = tuned(tmp_path, *problem, "--json", "-").json()
    assert facts["source"] == "timed"
    file = tmp_path / "tuning.json"
    assert "operator c2c double 8x8x8 2 to 3 at points" in weft_here("tune", "list", "--file", file).out
    explained = weft_here("explain", *problem, "-n", 2, "--file", file, "--json", "-").json()
    assert explained["at"] == "points"
    assert explained["lengths"] == [1, 2, 0.5]
    assert explained["choice"]["plans"][0]["measured"] == facts["default_seconds"], "explained without options"
    # Another operator is not known.
    other = weft_here(
        "explain", "--shape", 8, 8, 8, "--operator", "cross", "-n", 2, "--file", file, "--json", "-"
    ).json()
    assert other["choice"]["known"] == []


def entry(number, effort="measure"):
    return {
        "key": {"transform": "c2c", "shape": [number, 4, 4], "ranks": 1},
        "options": {"tile": "1"},
        "seconds": 1.0,
        "default_seconds": 1.5,
        "sureness": 1.0,
        "effort": effort,
        "when": "2026-01-01T00:00:00Z",
    }


def write(path, *entries):
    path.write_text(json.dumps({"weft_tuning": 1, "entries": entries}))


def numbers(path):
    found = weft_here("tune", "list", "--file", path, "--json", "-").json()["entries"]
    return [one["key"]["shape"][0] for one in found]


def test_merge_and_forget(tmp_path):
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    write(ours, entry(1))
    write(theirs, entry(1, "patient"), entry(2), entry(3))
    outcome = weft_here("tune", "merge", theirs, "--file", ours)
    assert outcome.code == 0
    assert "3 taken" in outcome.out
    assert numbers(ours) == [1, 2, 3]
    outcome = weft_here("tune", "merge", theirs, "--file", ours, "--json", "-")
    assert outcome.json() == {"file": str(ours), "taken": {str(theirs): 0}}
    outcome = weft_here("tune", "forget", 0, 2, "--file", ours, "--json", "-")
    assert outcome.json() == {"file": str(ours), "forgotten": [0, 2], "left": 1}
    assert numbers(ours) == [2]
    assert weft_here("tune", "forget", "--all", "--file", ours).code == 0
    assert numbers(ours) == []
    assert numbers(theirs) == [1, 2, 3]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ours.json", "ours.json.lock", "theirs.json"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], r"what shall be transformed\? give --shape"),
        (["--shape", 4, 4, 4, "--ecut", 5], r"--ecut is given; it is for --sphere"),
        (["--shape", 4, 4, 4, "--values", "1"], r"--values is given; it is for --operator"),
        (["--shape", 4, 4, 4, "--operator", "shift", "--values", "1,x"], r"--values is '1,x'"),
        (["--shape", 4, 4, 4, "--lengths", 1, 1, 1], r"--lengths is given; it is for --operator"),
        (["--shape", 4, 4, 4, "--operator", "curl", "--lengths", 1, "x", 1], r"--lengths is '1 x 1'"),
        (["--shape", 4, 4, 4, "--operator", "curl", "--lengths", 1, 0, 1], r"lengths is \[1.0, 0.0, 1.0\]"),
        (["--shape", 4, 4, 4, "--operator", "gradeint"], r"did you mean 'gradient'"),
        (["--lattice", 6, "--ecut", 5, "--operator", "curl"], r"--operator is of a box"),
        (["--shape", 4, 4, 4, "--budget", "soon"], r"--budget is 'soon'"),
        (["--shape", 4, 4, 4, "--budget", "0"], r"--budget is '0'"),
        (["--shape", 4, 4, 4, "--tolerance", "low"], r"--tolerance is 'low'"),
        (["--shape", 4, 4, 4, "--tolerance", "-1e-6"], r"--tolerance is '-1e-6'"),
        (["--shape", 4, 0, 4], r"shape\[1\] is 0"),
        (["--shape", 4, 4, 4, "--machine", "toaster"], r"machine is 'toaster'; allowed are"),
        (["show", 5], r"NUMBER is 5"),
        (["show", "x"], r"NUMBER is 'x'"),
        (["forget"], r"what shall be forgotten"),
        (["forget", "1", "--all"], r"what shall be forgotten"),
        (["merge", "nowhere.json"], r"there is no tuning file 'nowhere.json'"),
    ],
)
def test_bad_arguments(words, message, tmp_path):
    if words and not str(words[0]).startswith("--"):
        words = [*words, "--file", tmp_path / "tuning.json"]
    outcome = weft_here("tune", *words)
    assert outcome.code == 2
    assert re.search(message, " ".join(outcome.err.split())), outcome.err


def test_damaged_files_are_set_aside(tmp_path):
    file = tmp_path / "tuning.json"
    file.write_text("{")
    outcome = weft_here("tune", "list", "--file", file)
    assert outcome.code == 0
    assert "0 entries" in outcome.out
    assert "damaged" in outcome.err
    assert str(file) in "".join(outcome.err.split())
    assert (tmp_path / "tuning.json.damaged-1").read_text() == "{"
    file.write_text("")
    outcome = tuned(tmp_path, "--shape", 4, 4, 4)
    assert outcome.code == 0
    assert "warning: tuning file" in outcome.out
    assert (tmp_path / "tuning.json.damaged-2").exists()


def test_groups_that_are_nodes_are_candidates():
    found = model.candidates(model.Problem((32, 32, 32), batch=6), 24, 4)
    assert {one.get("groups", "1") for one in found} == {"1", "2", "6"}
