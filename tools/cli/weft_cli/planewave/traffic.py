"""What the plan of a sphere's transform says of lines, messages and bytes."""

from __future__ import annotations

from typing import Any


def traffic(comm: Any, fft: Any) -> dict[str, Any]:
    """Lines transformed against those of the full box, and messages and bytes of a band, of all ranks. Collective."""
    return {}
