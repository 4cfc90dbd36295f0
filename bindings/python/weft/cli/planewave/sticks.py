"""Who holds which plane waves: whole z-columns ("sticks"), so that every rank has about as many G-vectors."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray


def columns_of(indices: NDArray[np.integer], grid: tuple[int, int, int]) -> NDArray[np.int64]:
    """The number of each G-vector's column: equal x and y, on the grid, is the same column."""
    x = indices[:, 0].astype(np.int64) % grid[0]
    y = indices[:, 1].astype(np.int64) % grid[1]
    return x + grid[0] * y


def share(indices: NDArray[np.integer], grid: tuple[int, int, int], ranks: int, rank: int) -> NDArray[np.int64]:
    """The positions in the list of one rank's G-vectors, in the order of the list.

    The longest column goes to the rank that has least, and so on: no rank has more than one column's length above the mean.
    Every rank finds the same.
    """
    columns, place, lengths = np.unique(columns_of(indices, grid), return_inverse=True, return_counts=True)
    owner = np.empty(len(columns), np.int64)
    loads = [(0, r) for r in range(ranks)]
    for column in np.argsort(-lengths, kind="stable"):
        load, r = loads[0]
        owner[column] = r
        heapq.heapreplace(loads, (load + int(lengths[column]), r))
    return np.flatnonzero(owner[place.ravel()] == rank)
