"""Makes the helpers beside the tests importable, and ends nothing: the tests import weft from PYTHONPATH."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("WEFT_TEST_BUSY", "0")  # what the tuner keeps must not depend on what else runs


@pytest.fixture(scope="session", autouse=True)
def _shared_by_workers(tmp_path_factory):
    import launching

    if "PYTEST_XDIST_WORKER" in os.environ:
        launching.SHARED = tmp_path_factory.getbasetemp().parent
