"""Random cases of the interface of Python on 1 to 8 ranks; each number of ranks has its own.

The seed is WEFT_TEST_SEED, and where that is not set always the same. README.md says how to run more, and one of them.
"""

from __future__ import annotations

import os

import pytest

from . import cases, finding

SEED = int(os.environ.get("WEFT_TEST_SEED", 1))
#: Cases by the number of ranks: some seconds each on two processors. More ranks than those take turns.
QUICK = {1: 150, 2: 100, 3: 80, 4: 60, 5: 30, 8: 15}
LONG = {1: 1500, 2: 1000, 3: 700, 4: 500, 5: 300, 6: 200, 7: 150, 8: 150}


def run(first: int, count: int, ranks: int) -> None:
    print(f"seed {SEED}, cases {first} to {first + count - 1}")
    chosen = cases.drawn(SEED, first + count, ranks)[first:]
    fault = finding.first_fault(chosen, ranks)
    if fault is not None:
        number = first + fault.number
        whole = f"python tests/differential --seed {SEED} --first {number} --cases 1 -n {ranks}"
        pytest.fail(f"case {number} of seed {SEED} ({whole}): {finding.shrunk(fault)}", pytrace=False)


# The limit of a case is the job's own; then the case is made smaller.
@pytest.mark.timeout(10 * finding.LIMIT)
@pytest.mark.parametrize("ranks", QUICK)
def test_some_cases(ranks):
    run(0, QUICK[ranks], ranks)


@pytest.mark.long
@pytest.mark.timeout(40 * finding.LIMIT)
@pytest.mark.parametrize("ranks", LONG)
def test_more_cases(ranks):
    run(QUICK.get(ranks, 0), LONG[ranks], ranks)


def test_every_subject_is_drawn():
    found = {case["of"] for case in cases.drawn(SEED, QUICK[1], 1)}
    assert found == set(cases.SUBJECTS)


def test_cases_are_lines():
    for case in cases.drawn(SEED, 100, 4):
        assert cases.parsed(cases.text(case)) == case
        assert all(cases.text(other) != cases.text(case) for other in cases.smaller(case))


def test_a_case_that_fails_is_found_and_made_smaller():
    """The tester itself: a transform that is asked for more groups than there are ranks is an error."""
    bad = {"of": "transforms", "shape": [6, 7, 4], "kind": "r2c", "batch": 3, "tile": 2, "groups": 2, "numbers": 5}
    good = {"of": "redistributions", "shape": [2, 3, 4], "source": "slab:0", "target": "slab:1", "dtype": "f8"}
    fault = finding.first_fault([good, bad], 1)
    assert fault is not None
    assert (fault.number, fault.case) == (1, bad)
    assert fault.kind.startswith("Error groups is 2")
    small = finding.shrunk(fault)
    assert small.case == {"of": "transforms", "shape": [1, 1, 1], "kind": "r2c", "groups": 2, "numbers": 0}
    assert "--case 'transforms shape=[1,1,1] kind=\"r2c\" groups=2 numbers=0'" in str(small)
