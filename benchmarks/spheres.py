"""Spheres of plane waves: Weft against SpFFT and against Weft's own transform of the full box, interleaved.

    mpiexec -n 2 python benchmarks/spheres.py --sizes 64,128 --bands 1,16

A sphere of radius n/4 in a box of n^3 (boxcut 2), columns dealt by Weft, the same columns and planes for all. Each round
runs every contestant once; a time is the slowest rank's, the median of the rounds counts. SpFFT (libspfft, for Open MPI;
Debian and Ubuntu: apt install libspfft1) is loaded where it is there.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray
from racing.rivals import Missing, find_spfft
from racing.spfft import SpFFT

import weft

COMM = MPI.COMM_WORLD


class FullBox:
    """The same by Weft's transform of the full box: zeroes, scatter, backward, multiply, forward, gather."""

    def __init__(self, n: int, mine: NDArray[np.int64], strategy: str) -> None:
        # The spectrum is left in slabs along y: every rank fills in the part of the sphere that lies in its own.
        self._fft = weft.FFT((n, n, n), COMM, transposed=True, strategy=strategy)
        self._spectrum = self._fft.empty_output()
        self._space = self._fft.empty_input()
        _, y, _ = self._fft.output_slice
        everywhere = np.concatenate(COMM.allgather(mine)) % n
        x, ys, z = everywhere[(everywhere[:, 1] >= y.start) & (everywhere[:, 1] < y.stop)].T
        self._at = np.ravel_multi_index((z, ys - y.start, x), self._spectrum.shape)
        self._values = np.ones(len(self._at), complex)

    def round_trip(self, bands: int, v: NDArray[np.float64] | None = None) -> None:
        """With `v` times it in space."""
        flat = self._spectrum.reshape(-1)
        for _ in range(bands):
            flat[:] = 0
            flat[self._at] = self._values
            self._fft.backward(self._spectrum, self._space)
            if v is not None:
                np.multiply(self._space, v, out=self._space)
            self._fft.forward(self._space, self._spectrum)
            np.take(flat, self._at, out=self._values)
            self._values[:] = 1

    def close(self) -> None:
        self._fft.close()


def sphere_of(n: int, gamma: bool) -> NDArray[np.int64]:
    """This rank's plane waves of a sphere of radius n/4, by length, as plane-wave codes have them."""
    a = 2 * np.pi
    ecut = (n // 4) ** 2 / 2
    mine = weft.cutoff_sphere((n, n, n), a * np.eye(3), ecut, gamma=gamma, ranks=COMM.size, rank=COMM.rank)
    return mine[np.argsort((mine**2).sum(axis=1), kind="stable")]


def race(n: int, bands: int, gamma: bool, rounds: int, strategies: list[str], spfft: bool) -> dict[str, Any]:
    """Median milliseconds a band of each contestant, and how many times as fast Weft's best is."""
    mine = sphere_of(n, gamma)
    rng = np.random.default_rng(COMM.rank)
    c = rng.random((bands, len(mine))) + 1j * rng.random((bands, len(mine)))
    out = np.empty_like(c)
    works: dict[str, Callable[[], object]] = {}
    closing: list[Callable[[], None]] = []
    for strategy in strategies:
        sphere = weft.SphereFFT((n, n, n), mine, COMM, gamma=gamma, howmany=min(bands, 4), strategy=strategy)
        psi = np.zeros((bands, *sphere.space_shape), float if gamma else complex)
        v = np.ones(sphere.space_shape)
        rho = np.zeros(sphere.space_shape)
        works[f"weft {strategy}"] = lambda s=sphere, p=psi: s.forward(s.backward(c, p), out)  # type: ignore[misc]
        works[f"weft {strategy}, v psi"] = lambda s=sphere, v=v: s.apply(v, c, out)  # type: ignore[misc]
        works[f"weft {strategy}, density"] = lambda s=sphere, r=rho: s.density(c, out=r)  # type: ignore[misc]
        closing.append(sphere.close)
        if not gamma and bands % 2 == 0:
            pairs = weft.SphereFFT(
                (n, n, n), mine, share=sphere, howmany=min(bands, 4), strategy=strategy, spinors=True
            )
            matrix = np.ones((4, *sphere.space_shape))
            works[f"weft {strategy}, V of spinors"] = lambda s=pairs, v=matrix: s.apply(v, c, out)  # type: ignore[misc]
            closing.append(pairs.close)
    planes = sphere.space_shape[0]
    if spfft:
        rival, band = SpFFT((n, n, n), gamma, mine, planes), np.zeros_like(psi[0])

        def round_trip() -> None:
            for waves, result in zip(c, out):
                rival.to_space(waves, band)
                rival.to_waves(band, result)

        works["spfft"] = round_trip
        closing.append(rival.close)
    if not gamma:
        box = FullBox(n, mine, strategies[0])
        works["full box"] = lambda: box.round_trip(bands)
        works["full box, v psi"] = lambda: box.round_trip(bands, v)
        closing.append(box.close)
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            COMM.Barrier()
            begin = time.perf_counter()
            work()
            mine_took = time.perf_counter() - begin
            took = COMM.allreduce(mine_took, MPI.MAX)
            if turn > 0:
                seconds[name].append(took)
    for close in closing:
        close()
    times = {name: 1e3 * float(np.median(taken)) / bands for name, taken in seconds.items()}
    result: dict[str, Any] = {"n": n, "bands": bands, "gamma": gamma, "ranks": COMM.size, "ms": times}
    best = min(times[f"weft {s}"] for s in strategies)
    best_apply = min(times[f"weft {s}, v psi"] for s in strategies)
    for rival_name, ours in (("spfft", best), ("full box", best), ("full box, v psi", best_apply)):
        if rival_name in times:
            result.setdefault("times_as_fast_as", {})[rival_name] = times[rival_name] / ours
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="64,128", help="extents n of the boxes, separated by commas")
    parser.add_argument("--bands", default="1,16", help="bands of a call, separated by commas")
    parser.add_argument("--rounds", type=int, default=9, help="measured rounds (default: 9)")
    parser.add_argument("--strategies", default="shared", help="of Weft, separated by commas")
    parser.add_argument("--json", type=Path, help="file for the results")
    arguments = parser.parse_args()
    spfft = find_spfft()
    if COMM.rank == 0 and isinstance(spfft, Missing):
        print(spfft, file=sys.stderr)
    results = []
    for n in map(int, arguments.sizes.split(",")):
        for bands in map(int, arguments.bands.split(",")):
            for gamma in (False, True):
                result = race(
                    n, bands, gamma, arguments.rounds, arguments.strategies.split(","), isinstance(spfft, str)
                )
                results.append(result)
                if COMM.rank != 0:
                    continue
                print(f"{n}^3, {bands} bands, {'real' if gamma else 'complex'} in space, {COMM.size} ranks; ms a band:")
                for name, ms in result["ms"].items():
                    print(f"  {name:28} {ms:9.2f}")
                for rival, ratio in result.get("times_as_fast_as", {}).items():
                    print(f"  Weft is {ratio:.2f} times as fast as {rival}")
                sys.stdout.flush()
    if COMM.rank == 0 and arguments.json:
        about = {"machine": platform.processor() or platform.machine(), "mpi": MPI.Get_library_version().split("\0")[0]}
        temporary = arguments.json.with_suffix(".part")
        temporary.write_text(json.dumps({"about": about, "results": results}, indent=1) + "\n")
        temporary.replace(arguments.json)


if __name__ == "__main__":
    main()
