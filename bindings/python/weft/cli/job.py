"""The MPI job that this process may be part of, as launchers tell it in the environment; MPI itself is not asked."""

from __future__ import annotations

import os
from typing import NamedTuple

#: Variables that tell a process its rank and the size of its job, by launcher.
_JOB_VARIABLES = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", ""),
)


class Job(NamedTuple):
    """The MPI job that this process is part of."""

    rank: int
    size: int | None
    """None where the launcher does not tell."""


def current_job() -> Job | None:
    """The MPI job around us, or None."""
    for rank, size in _JOB_VARIABLES:
        if os.environ.get(rank, "").isdigit():
            text = os.environ.get(size, "")
            return Job(int(os.environ[rank]), int(text) if text.isdigit() else None)
    return None
