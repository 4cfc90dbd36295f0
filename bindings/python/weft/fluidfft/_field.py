"""What both plugins are: a transform of weft under the names that fluidfft gives to its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from fluiddyn.calcul.easypyfft import BaseFFT
from fluiddyn.util import mpi
from numpy.typing import NDArray

import weft


class Field(BaseFFT):  # type: ignore[misc]  # fluiddyn has no types
    """Real fields on all processes, in double precision; ``fft`` has the factor 1/N.

    Axes 0 and 1 of the spectrum change places (two axes: 0 and 1, three: the first two of three), as with FFTW-MPI, which saves an
    exchange each way. The variables ``WEFT_*`` are options of the transform. Methods are collective but those that only tell of
    shapes, indices and wave numbers, or make arrays.
    """

    def __init__(self, *shape: int) -> None:
        order = (1, 0) if len(shape) == 2 else (1, 0, 2)
        self.nb_proc, self.rank = mpi.nb_proc, mpi.rank
        if self.nb_proc > 1:
            self.comm = mpi.comm
        self._fft = weft.FFT(
            shape, kind="r2c", normalization="forward", transposed=True, output_order=order, in_place=False
        )
        self._order = order
        self.shapeX, self.shapeK = self._fft.input_shape, self._fft.output_shape
        self._shapeX_loc, self._shapeK_loc = self.shapeX, self.shapeK
        self._shapeX_seq = self._fft.shape
        self._shapeK_seq = tuple(self._fft.spectrum_shape[axis] for axis in order)
        self._is_mpi_lib = self.nb_proc > 1
        #: Waves along the halved axis stand for two, but for the first, and the last of an even number of points.
        halved = len(shape) - 1
        weights = np.full(self._fft.spectrum_shape[-1], 2.0)
        weights[0] = 1.0
        if shape[-1] % 2 == 0:
            weights[-1] = 1.0
        along = [-1 if axis == halved else 1 for axis in order]
        self._weights = weights[self._fft.output_slice[halved]].reshape(along)

    @property
    def _numpy_api(self) -> Any:
        return np

    # ---- transforms

    def fft_as_arg(self, fieldX: NDArray[Any], fieldK: NDArray[Any]) -> None:
        """Transform into the second array."""
        self._fft.forward(np.ascontiguousarray(fieldX), fieldK)

    def ifft_as_arg(self, fieldK: NDArray[Any], fieldX: NDArray[Any]) -> None:
        """Transform back into the second array."""
        self._fft.backward(np.ascontiguousarray(fieldK), fieldX)

    #: Its input may be destroyed, and is not.
    ifft_as_arg_destroy = ifft_as_arg

    def fft(self, fieldX: NDArray[Any]) -> NDArray[Any]:
        """Transform into a new array."""
        return self._fft.forward(np.ascontiguousarray(fieldX))

    def ifft(self, fieldK: NDArray[Any]) -> NDArray[Any]:
        """Transform back into a new array."""
        return self._fft.backward(np.ascontiguousarray(fieldK))

    # ---- which part this process has

    def get_local_size_X(self) -> int:
        """Points of this process in space."""
        return int(np.prod(self.shapeX))

    def get_shapeX_loc(self) -> tuple[int, ...]:
        """Shape of this process's array in space."""
        return self.shapeX

    def get_shapeK_loc(self) -> tuple[int, ...]:
        """Shape of this process's array of the spectrum."""
        return self.shapeK

    def get_shapeX_seq(self) -> tuple[int, ...]:
        """Shape of the whole field."""
        return self._shapeX_seq

    def get_shapeK_seq(self) -> tuple[int, ...]:
        """Shape of the whole spectrum, in the order that its arrays have."""
        return self._shapeK_seq

    def get_seq_indices_first_X(self) -> tuple[int, ...]:
        """Where this process's array begins in the whole field."""
        return tuple(part.start for part in self._fft.input_slice)

    def get_seq_indices_first_K(self) -> tuple[int, ...]:
        """Where this process's array begins in the whole spectrum, in the order that its arrays have."""
        return tuple(self._fft.output_slice[axis].start for axis in self._order)

    def get_k_adim_loc(self) -> tuple[NDArray[np.int64], ...]:
        """Wave numbers of this process along each axis of its arrays; that of half the points is positive."""
        found = []
        for axis in self._order:
            n, part = self._shapeX_seq[axis], self._fft.output_slice[axis]
            k = np.arange(part.start, part.stop)
            found.append(np.where(k > n // 2, k - n, k))
        return tuple(found)

    def create_arrayX(self, value: float | None = None, shape: Any = None) -> NDArray[np.float64]:
        """An array in space, of this process's shape or another, filled with a value if there is one."""
        return _array(self.shapeX if shape is None else shape, np.float64, value)

    def create_arrayK(self, value: complex | None = None, shape: Any = None) -> NDArray[np.complex128]:
        """The same of the spectrum."""
        return _array(self.shapeK if shape is None else shape, np.complex128, value)

    # ---- sums over all processes

    def sum_wavenumbers(self, fieldK: NDArray[Any]) -> Any:
        """The sum over all waves, those that are not kept (their conjugates are) included."""
        return self._summed((self._weights * fieldK).sum())

    def compute_energy_from_X(self, fieldX: NDArray[Any]) -> Any:
        """Half of the mean square of a field."""
        return self._summed((fieldX**2).sum()) / (2 * np.prod(self._shapeX_seq))

    def compute_energy_from_K(self, fieldK: NDArray[Any]) -> Any:
        """The same from its spectrum."""
        return self.sum_wavenumbers(np.abs(fieldK) ** 2) / 2

    compute_energy_from_spatial = compute_energy_from_X
    compute_energy_from_Fourier = compute_energy_from_K

    def _summed(self, mine: Any) -> Any:
        return self.comm.allreduce(mine) if self.nb_proc > 1 else mine

    # ---- the whole field on one process

    def gather_Xspace(self, ff_loc: NDArray[Any], root: int | None = None) -> NDArray[Any] | None:
        """The whole field on the process `root`, on all if it is None; None on others."""
        if self.nb_proc == 1:
            return ff_loc
        mine = self._fft.input_slice, ff_loc
        parts = self.comm.allgather(mine) if root is None else self.comm.gather(mine, root=root)
        if parts is None:
            return None
        whole = np.empty(self._shapeX_seq)
        for where, part in parts:
            whole[where] = part
        return whole

    def scatter_Xspace(self, ff_seq: NDArray[Any] | None, root: int | None = None) -> NDArray[Any]:
        """This process's part of the whole field of the process `root` (0 if it is None)."""
        if self.nb_proc == 1:
            assert ff_seq is not None
            return ff_seq
        root = root or 0
        places = self.comm.gather(self._fft.input_slice, root=root)
        parts = None
        if places is not None:
            assert ff_seq is not None
            parts = [np.ascontiguousarray(ff_seq[where], np.float64) for where in places]
        found: NDArray[Any] = self.comm.scatter(parts, root=root)
        return found


def _array(shape: Any, dtype: Any, value: Any) -> NDArray[Any]:
    return np.empty(shape, dtype) if value is None else np.full(shape, value, dtype)
