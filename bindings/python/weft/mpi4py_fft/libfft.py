"""Serial transforms over some axes of a rank's array, with padding by the 3/2 rule where that is asked for."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._errors import Error
from . import fftw, serial
from .pencil import axis_of

#: A transform between two arrays: input, output, whether to scale.
Kernel = Callable[[NDArray[Any], NDArray[Any], bool], None]
#: Shape and type of an array.
End = tuple[tuple[int, ...], np.dtype[Any]]


class Arrays:
    """The two arrays of a transform and its inverse, made when they are first asked for."""

    def __init__(self, shapes: Sequence[Sequence[int]], dtypes: Sequence[DTypeLike]) -> None:
        self.shapes = tuple(tuple(shape) for shape in shapes)
        self.dtypes = tuple(np.dtype(dtype) for dtype in dtypes)
        #: Whose spectrum is the array in space.
        self.before: Arrays | None = None

    @cached_property
    def space(self) -> NDArray[Any]:
        if self.before is not None:
            return self.before.spectrum
        return fftw.aligned(self.shapes[0], dtype=self.dtypes[0], fill=0)

    @cached_property
    def spectrum(self) -> NDArray[Any]:
        return fftw.aligned(self.shapes[1], dtype=self.dtypes[1], fill=0)


class Direction:
    """A serial transform in one direction.

    Attributes
    ----------
    input_array, output_array
        What it reads and writes where a call names no arrays. The other direction has the same two.
    """

    def __init__(self, arrays: Arrays, run: Kernel, forward: bool) -> None:
        self._arrays, self._run, self._forward = arrays, run, forward

    @property
    def ends(self) -> tuple[End, End]:
        """Shape and type of input and output."""
        space, spectrum = zip(self._arrays.shapes, self._arrays.dtypes)
        return (space, spectrum) if self._forward else (spectrum, space)

    @property
    def input_array(self) -> NDArray[Any]:
        return self._arrays.space if self._forward else self._arrays.spectrum

    @property
    def output_array(self) -> NDArray[Any]:
        return self._arrays.spectrum if self._forward else self._arrays.space

    def __call__(
        self,
        input_array: NDArray[Any] | None = None,
        output_array: NDArray[Any] | None = None,
        normalize: bool | None = None,
        **options: Any,
    ) -> NDArray[Any]:
        """Transform `input_array`, or what `self.input_array` holds, and return the array that was written.

        Arrays of the right shape and type are read and written where they are, and inputs never changed. Forward is divided by
        the number of points unless ``normalize=False``, backward if ``normalize=True``. Other options are those of mpi4py-fft's
        plans, and change nothing.
        """
        given, wanted = self.ends
        out = output_array if output_array is not None and fits(output_array, wanted) else self.output_array
        if input_array is None:
            x = self.input_array
        elif fits(input_array, given) and not np.may_share_memory(input_array, out):
            x = input_array
        else:
            x = self.input_array
            x[...] = input_array
        self._run(x, out, self._forward if normalize is None else bool(normalize))
        if output_array is None:
            return out
        if out is not output_array:
            output_array[...] = out
        return output_array


def by_group(transforms: Any, dimensions: int) -> dict[tuple[int, ...], Any]:
    """The caller's transforms, by groups of axes counted from the front."""
    if transforms is None:
        return {}
    pairs: Any = transforms.items() if isinstance(transforms, Mapping) else [(None, None)]
    found = {}
    for group, pair in pairs:
        good = isinstance(group, tuple) and group and isinstance(pair, (tuple, list)) and len(pair) == 2
        if not good or not all(callable(one) for one in pair):
            raise Error(
                f"transforms is {transforms!r}; a mapping from tuples of axes to pairs of functions, forward and backward, "
                "is needed"
            )
        found[tuple(axis_of(axis, dimensions, "transforms' axis") for axis in group)] = pair
    return found


def field_type(dtype: Any) -> np.dtype[Any]:
    """The type of a field in space, in this machine's order of bytes."""
    try:
        found = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        found = np.dtype(object)
    if found.char not in "fdgFDG":
        raise Error(f"dtype is {dtype!r}; one of the types f, d, g, F, D, G is needed")
    return found


def fits(array: Any, end: End) -> bool:
    """Whether an array can be read and written in place of one of this shape and type."""
    return isinstance(array, np.ndarray) and array.flags.writeable and (array.shape, array.dtype) == end


class FFT:
    """A serial transform and its inverse.

    Parameters
    ----------
    shape : integer or sequence of integers
        Of the array in space, padding included.
    axes : integer or sequence of integers, optional
        All by default. The last one is halved where the field is real.
    dtype : one of the types f, d, g, F, D, G
        Of the array in space.
    padding : False, number or sequence of numbers
        How many times as many points the last axis has in space as in the spectrum; a sequence has one number for each axis
        of the array. Above 1 there must be one axis.
    backend : {'fftw', 'pyfftw', 'numpy', 'scipy', 'mkl_fft'}
        Whose transforms: fftw stands for SciPy's or NumPy's. As in mpi4py-fft, scipy has no half spectra.
    transforms : mapping, optional
        From tuples of axes to pairs of transforms, forward and backward, which are used for these axes: planners of
        `weft.mpi4py_fft.fftw`, with the backend pyfftw its builders, else functions like those of the backend.
    **options
        What mpi4py-fft hands on to FFTW. Planners of `transforms` get ``threads``; nothing else is used.

    Attributes
    ----------
    forward, backward : callables with `input_array` and `output_array`
    """

    def __init__(
        self,
        shape: int | Sequence[int],
        axes: Any = None,
        dtype: DTypeLike = float,
        padding: Any = False,
        backend: str = "fftw",
        transforms: Mapping[tuple[int, ...], Any] | None = None,
        **options: Any,
    ) -> None:
        try:
            given_shape: Any = shape if hasattr(shape, "__iter__") else [shape]
            self.shape = [operator.index(points) for points in given_shape]
        except TypeError:
            self.shape = []
        if not self.shape or min(self.shape) < 0:
            raise Error(f"shape is {shape!r}; integers from 0 are needed")
        given = range(len(self.shape)) if axes is None else axes if hasattr(axes, "__iter__") else [axes]
        self.axes = [axis_of(axis, len(self.shape), "axes") for axis in given]
        if not self.axes or len(set(self.axes)) < len(self.axes):
            raise Error(f"axes is {axes!r}; at least one axis, and none twice, is needed")
        if not all(self.shape[axis] for axis in self.axes):
            raise Error(f"shape is {shape!r}; along the axes {self.axes} one point or more is needed")
        self.dtype = field_type(dtype)
        serial.check_backend(backend)
        self.backend = backend
        last = self.axes[-1]
        self.padding = padding
        try:
            self.padding_factor = 1.0 if padding is False else float(padding[last] if np.ndim(padding) else padding)
        except (TypeError, ValueError, IndexError):
            self.padding_factor = np.nan
        padded = not abs(self.padding_factor - 1) <= 1e-8
        if padded and (not 1 <= self.padding_factor < np.inf or len(self.axes) > 1):
            raise Error(
                f"padding is {padding!r} for the axes {self.axes}; numbers from 1 are needed, and one axis at a time"
            )
        self.real_transform = self.dtype.kind == "f" and backend != "scipy"
        chosen = by_group(transforms, len(self.shape)).get(tuple(self.axes))
        run: tuple[Kernel, Kernel]
        if chosen is None:
            serial.library(backend)
            points = self.shape[last]
            whole = list(self.shape)
            if self.real_transform:
                whole[last] = points // 2 + 1
            result = np.dtype(self.dtype.char.upper())
            names = ("rfftn", "irfftn") if self.real_transform else ("fftn", "ifftn")
            run = (self._default(names[0], points), self._default(names[1], points))
        else:
            whole, result, run = self._chosen(chosen, options)
        self.M = 1.0 / float(np.prod([self.shape[axis] for axis in self.axes]))
        kept = list(whole)
        if padded:
            if result.kind != "c":
                raise Error(f"padding is {padding!r} for a real-to-real transform along axis {last}; False is needed")
            n = round(self.shape[last] / self.padding_factor)
            halved = self.real_transform
            kept[last] = n // 2 + 1 if halved else n
            run = _padded(run, whole, result, last, n, halved)
        self._arrays = Arrays((self.shape, kept), (self.dtype, result))
        self.forward, self.backward = Direction(self._arrays, run[0], True), Direction(self._arrays, run[1], False)

    def follow(self, other: FFT) -> None:
        """Have the spectrum of another transform, of the same shape and type, as the array in space."""
        self._arrays.before = other._arrays

    def _default(self, name: str, points: int) -> Kernel:
        axes, backend, real = tuple(self.axes), self.backend, self.dtype.kind == "f"

        def run(x: NDArray[Any], out: NDArray[Any], scaled: bool) -> None:
            if real and name == "ifftn":  # backend scipy takes real fields through whole spectra
                out[...] = serial.fourier(x, name, axes, points, scaled, backend).real
            else:
                serial.fourier(x, name, axes, points, scaled, backend, out)

        return run

    def _chosen(
        self, chosen: Sequence[Any], options: Mapping[str, Any]
    ) -> tuple[list[int], np.dtype[Any], tuple[Kernel, Kernel]]:
        """Shape and type of the spectrum, and the two transforms, of what a caller gave."""
        forward, backward = chosen
        sizes, axes = tuple(self.shape[axis] for axis in self.axes), tuple(self.axes)
        space = fftw.aligned(self.shape, dtype=self.dtype, fill=0)
        if self.backend in ("fftw", "pyfftw"):
            keywords: dict[str, Any] = {"s": sizes, "axes": axes, "threads": options.get("threads", 1)}
            there = forward(space, **keywords)
            back = backward(there.output_array.copy(), **keywords)
            spectrum = there.output_array
            if self.backend == "fftw":
                run = (
                    _times(partial(there, implicit=False), there.get_normalization()),
                    _times(partial(back, implicit=False), back.get_normalization()),
                )
            else:
                factor = 1 / float(np.prod(sizes))
                # The builders' backward transform would destroy its input.
                run = _times(there, factor), _times(lambda x: back(x.copy(), normalise_idft=False), factor)
            return list(spectrum.shape), spectrum.dtype, run
        # Functions like NumPy's: forward is unscaled, backward divides.
        calls = [_function(function, sizes, axes) for function in (forward, backward)]
        found = calls[0](space)
        points = float(np.prod(sizes))
        dtype = np.dtype(self.dtype.char.upper() if np.iscomplexobj(found) else self.dtype.char)
        return (
            list(found.shape),
            dtype,
            (_times(calls[0], 1 / points), _times(lambda x: calls[1](x) * points, 1 / points)),
        )


def _times(function: Callable[[NDArray[Any]], NDArray[Any]], factor: float) -> Kernel:
    def run(x: NDArray[Any], out: NDArray[Any], scaled: bool) -> None:
        found = function(x)
        out[...] = found if np.iscomplexobj(out) or not np.iscomplexobj(found) else found.real
        if scaled:
            out *= factor

    return run


def _function(function: Callable[..., Any], sizes: tuple[int, ...], axes: tuple[int, ...]) -> Callable[[Any], Any]:
    """A function of an array alone. SciPy's older ones call the sizes shape."""
    try:
        name = "shape" if "shape" in inspect.signature(function).parameters else "s"
    except ValueError:
        name = "s"
    return lambda x: function(x, **{name: sizes}, axes=axes)


def _padded(
    run: tuple[Kernel, Kernel], whole: Sequence[int], dtype: np.dtype[Any], axis: int, n: int, halved: bool
) -> tuple[Kernel, Kernel]:
    """Transforms between a padded field and the spectrum of `n` points, by way of the padded spectrum of shape `whole`.

    The highest wavenumber of an even `n` stands for both signs: each gets half of it in the padded spectrum, and their sum
    comes back.
    """
    padded = Arrays((whole, whole), (dtype, dtype))

    def along(start: int | None, stop: int | None) -> tuple[slice, ...]:
        return (*[slice(None)] * axis, slice(start, stop))

    middle = n // 2
    low, high, nyquist = along(0, middle + 1), along(-middle, None), along(middle, middle + 1)

    def forward(x: NDArray[Any], out: NDArray[Any], scaled: bool) -> None:
        long = padded.spectrum
        run[0](x, long, scaled)
        out[low] = long[low]
        if halved:
            if n % 2 == 0:
                out[nyquist] = 2 * out[nyquist].real
        elif middle:
            out[along(middle + 1, None)] = 0
            out[high] += long[high]

    def backward(x: NDArray[Any], out: NDArray[Any], scaled: bool) -> None:
        long = padded.spectrum
        long[low] = x[low]
        long[along(middle + 1, None if halved else whole[axis] - middle)] = 0
        if not halved and middle:
            long[high] = x[high]
        if n % 2 == 0:
            long[nyquist] = (long[nyquist].real if halved else long[nyquist]) * 0.5
            if not halved:
                long[along(-middle, -middle + 1 or None)] *= 0.5
        run[1](long, out, scaled)

    return forward, backward
