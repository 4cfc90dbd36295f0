"""What plans do is counted, so that work that somebody adds is seen (benchmarks/work.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from launching import Outcome, run_on

WORK = Path(__file__).resolve().parents[2] / "benchmarks" / "work.py"
EXPECTED = WORK.with_suffix(".json")


def work(ranks: int, *arguments: str) -> Outcome:
    return run_on(ranks, [sys.executable, "-m", "mpi4py", str(WORK), *arguments])


def test_no_more_work_than_expected():
    outcome = work(4)
    assert outcome.code == 0, outcome
    assert "plans: no more work than expected" in outcome.out


def test_more_work_is_an_error_and_less_is_told(tmp_path):
    expected = json.loads(EXPECTED.read_text())
    names = list(expected)
    expected[names[0]]["bytes read"] //= 2
    expected[names[1]]["tiles"] *= 2
    del expected[names[2]]
    expected["a plan of before"] = {"messages": 1}
    changed = tmp_path / "work.json"
    changed.write_text(json.dumps(expected))

    outcome = work(4, "--file", str(changed))
    assert outcome.code == 1, outcome
    worse, better = outcome.out.split("less than expected, or new:")
    assert f"{names[0]}: bytes read" in worse
    assert "(2.000 times)" in worse
    assert "a plan of before: not counted any more" in worse
    assert f"{names[1]}: tiles" in better
    assert f"{names[2]}: new" in better
    assert "more work than expected" in better

    outcome = work(4, "--accept", "--file", str(changed))
    assert outcome.code == 0, outcome
    assert changed.read_text() == EXPECTED.read_text()


def test_it_needs_its_ranks():
    outcome = work(2)
    assert outcome.code == 2
    assert "2 ranks; 4 are needed" in outcome.err
