"""What a trace of a sphere with groups of ranks must be: of all ranks, or refused."""

from __future__ import annotations

import pytest
from launching import run_script

from weft.cli.trace.events import read


@pytest.mark.xfail(strict=True, reason="the first rank of each group replaces the same file with its group's trace")
def test_a_trace_of_a_sphere_with_groups_has_all_ranks(tmp_path):
    outcome = run_script("sphere_groups_trace.py", 4, str(tmp_path / "trace.json"))
    assert outcome.code == 0, outcome.err
    if outcome.out.startswith("refused: "):
        # As with transforms of boxes: the same Error on all ranks, which names both options.
        assert "groups" in outcome.out
        assert "trace" in outcome.out
        return
    for direction in ("backward", "forward"):
        (path,) = tmp_path.glob(f"*{direction}*.json")
        found = {(item.rank, item.name) for item in read(path).executions}
        assert found == {(rank, direction) for rank in range(4)}
