"""fluidfft's own tests on the plugins, where upstream.py has fetched it."""

from __future__ import annotations

import pytest
import upstream


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2])
def test_fluidffts_own_tests(ranks):
    if not (upstream.PACKAGES / "fluidfft").is_dir():
        pytest.skip("fluidfft is not there; ./run exec python tests/fluidfft/upstream.py fetches it")
    assert upstream.fetched() == ""
    assert upstream.passed(ranks, limit=100)
