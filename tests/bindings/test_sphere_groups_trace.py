"""A trace of a sphere with groups of ranks is of all ranks and both directions, in one file."""

from __future__ import annotations

from launching import run_script

from weft.cli.trace.events import read


def test_a_trace_of_a_sphere_with_groups_has_all_ranks(tmp_path):
    outcome = run_script("sphere_groups_trace.py", 4, str(tmp_path / "trace.json"))
    assert outcome.code == 0, outcome.err
    (path,) = tmp_path.glob("*.json")
    found = {(item.rank, item.name) for item in read(path).executions}
    assert found >= {(rank, direction) for direction in ("backward", "forward") for rank in range(4)}
