"""Makes the helpers beside the tests importable, and ends nothing: the tests import weft from PYTHONPATH."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
