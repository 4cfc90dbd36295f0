"""Makes what is beside the tests importable, and what the tests of the Python package start programs with."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "bindings")]
