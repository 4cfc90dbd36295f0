"""Times transforms between arrays that begin with a cache line, and so many bytes behind one, where most arrays begin.

mpiexec -n 2 python benchmarks/beside_lines.py 256x256x256 c2c
"""

from __future__ import annotations

import argparse
import statistics
from time import perf_counter

import numpy as np
from mpi4py import MPI

import weft


def beside(array, count):
    """An array like another, so many bytes behind the beginning of a cache line."""
    memory = np.zeros(array.nbytes + 128, np.uint8)
    first = (count - memory.ctypes.data) % 64
    return memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", type=lambda text: tuple(int(n) for n in text.split("x")))
    parser.add_argument("kind", nargs="?", default="c2c", choices=["c2c", "r2c"])
    parser.add_argument("--precision", default="double", choices=["double", "single"])
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    comm = MPI.COMM_WORLD

    def seconds(call):
        comm.barrier()
        begin = perf_counter()
        call()
        return comm.allreduce(perf_counter() - begin, MPI.MAX)

    places = [(0, 0), (16, 0), (0, 16), (16, 16), (32, 32), (48, 48)]
    times: dict = {place: ([], []) for place in places}
    with weft.FFT(given.shape, comm, kind=given.kind, precision=given.precision, transposed=True) as fft:
        arrays = [(beside(fft.empty_input(), x), beside(fft.empty_output(), y)) for x, y in places]
        for number in range(given.rounds + 1):
            for place, (x, y) in zip(places, arrays):
                took = seconds(lambda: fft.forward(x, y)), seconds(lambda: fft.backward(y, x))  # noqa: B023
                x[...] = 1
                for one, all_ in zip(took, times[place]):
                    if number > 0:
                        all_.append(1e3 * one)
    if comm.rank == 0:
        print("| input behind a line, bytes | output | forward, ms | backward, ms |\n|---:|---:|---:|---:|")
        for (x, y), (there, back) in times.items():
            print(f"| {x} | {y} | {statistics.median(there):.2f} | {statistics.median(back):.2f} |")


if __name__ == "__main__":
    main()
