"""Random cases of the whole interface of Python against NumPy and direct sums: see README.md."""

import sys
from pathlib import Path

_BINDINGS = Path(__file__).parents[1] / "bindings"
# What the tests of the bindings have: launching, reference, and checking beside the scripts of ranks.
sys.path[:0] = [str(_BINDINGS), str(_BINDINGS / "ranks")]
