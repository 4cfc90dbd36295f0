"""Spheres of plane waves of radius n/4 in a box of n^3: Weft's transforms and SpFFT's, from the same columns to the same
planes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import weft

from .contestant import Arrays, Contestant, Maker, nothing, of_batch, view
from .settings import Case
from .spfft import FAMILY as SPFFT
from .spfft import SpFFT
from .weft_contestants import FAMILY as WEFT
from .weft_contestants import cost_of, name_of


@cache
def waves_of(case: Case) -> NDArray[np.int64]:
    """This rank's plane waves, by length, as plane-wave codes have them."""
    n = case.shape[0]
    lattice, cutoff = 2 * np.pi * np.eye(3), (n // 4) ** 2 / 2
    rank = MPI.COMM_WORLD.rank
    mine = weft.cutoff_sphere(case.shape, lattice, cutoff, gamma=case.kind == "gamma", ranks=case.ranks, rank=rank)
    order = np.argsort((mine**2).sum(axis=1), kind="stable")
    by_length: NDArray[np.int64] = mine[order]
    return by_length


class Waves:
    """Random coefficients, the same for all contestants, whose columns are dealt alike. (`field.Field` of a sphere.)"""

    def __init__(self, case: Case) -> None:
        waves = waves_of(case)
        random = np.random.default_rng([2, MPI.COMM_WORLD.rank])
        parts = random.random((2, case.batch, len(waves))) - 0.5
        self._part: NDArray[Any] = parts[0] + 1j * parts[1]
        if case.kind == "gamma":  # what is real in space has a real mean
            self._part[:, (waves == 0).all(axis=1)] = 1
        if case.batch == 1:
            self._part = self._part[0]

    def part(self, slices: Any) -> NDArray[Any]:
        return self._part


def makers(case: Case, configurations: list[dict[str, str]], spfft: bool) -> list[tuple[str, str, Maker]]:
    """Family, name, maker."""
    found: list[tuple[str, str, Maker]] = []
    for options in configurations:
        name = name_of(options, sphere=True)
        found.append((WEFT, name, lambda case, arrays, o=options, n=name: _weft(case, arrays, o, n)))  # type: ignore[misc]
    return [*found, (SPFFT, "band by band", _spfft)] if spfft else found


def _weft(case: Case, arrays: Arrays, options: dict[str, Any], name: str) -> Contestant:
    gamma = case.kind == "gamma"
    sphere = weft.SphereFFT(
        case.shape, waves_of(case), MPI.COMM_WORLD, gamma=gamma, howmany=case.batch, check=False, **options
    )
    found = _contestant(case, arrays, WEFT, name, sphere.space_shape[0])
    waves, space = found.field, found.spectrum
    found.forward, found.backward = lambda: sphere.backward(waves, space), lambda: sphere.forward(space, waves)
    found.close, found.options = sphere.close, options
    found.parts, found.reset_parts = cost_of(sphere), sphere.reset_statistics
    return found


def _spfft(case: Case, arrays: Arrays) -> Contestant:
    planes = -(-(case.shape[0] - MPI.COMM_WORLD.rank) // case.ranks)  # dealt evenly, the first have one more
    rival = SpFFT(case.shape, case.kind == "gamma", waves_of(case), planes, case.threads)
    found = _contestant(case, arrays, SPFFT, "band by band", planes)
    bands = list(zip(found.field, found.spectrum)) if case.batch > 1 else [(found.field, found.spectrum)]

    def to_space() -> None:
        for waves, space in bands:
            rival.to_space(waves, space)

    def to_waves() -> None:
        for waves, space in bands:
            rival.to_waves(space, waves)

    found.forward, found.backward, found.close = to_space, to_waves, rival.close
    return found


def _contestant(case: Case, arrays: Arrays, family: str, name: str, planes: int) -> Contestant:
    batch = (case.batch,) if case.batch > 1 else ()
    comm, n = MPI.COMM_WORLD, case.shape[0]
    count = len(waves_of(case))
    first, begin = comm.exscan(count) or 0, comm.exscan(planes) or 0
    waves = view(arrays.first, (*batch, count), case.complex_type)
    space = view(arrays.second, (*batch, planes, n, n), case.field_type)
    return Contestant(
        family,
        name,
        waves,
        of_batch(case, slice(first, first + count)),
        space,
        of_batch(case, slice(begin, begin + planes), slice(0, n), slice(0, n)),
        nothing,
        nothing,
    )
