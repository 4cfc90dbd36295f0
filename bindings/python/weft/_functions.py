"""Transforms in one line, as ``scipy.fft`` has them, whose plans are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from ._calls import plans_of, transformed

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def fftn(
    x: ArrayLike,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The FFT of a field of two to eight axes, along all or some of them, as ``numpy.fft.fftn`` does it. Collective.

    Parameters
    ----------
    x : array
        This rank's part of the field: some planes of axis 0, those of rank 0 first; other axes are whole. Ranks may have
        different numbers of planes, and none (an array of length 0). So the field is ``numpy.concatenate`` of all ranks'
        parts, and on one process `x` is all of it. Single precision stays so; other types become double. An
        ``xarray.DataArray`` (on all ranks or on none) gives one back, as for `weft.FFT.labelled`.
    s : integers, optional
        Points of each axis that is transformed, to which `x` is cut or filled up with zeros at the end of the axis; -1 leaves
        it as it is. Without `axes` they are those of the last axes of `x`, and only these are transformed, as in SciPy.
        Planes of axis 0 that are added are the last rank's. Arrays with labels are neither cut nor filled up.
    axes : integers, optional
        The axes to transform; all if not given. Of `rfftn` and `irfftn` the last one is halved; axis 0 only where `x`
        has two or three axes, and then the planes that come out are dealt evenly (so many, and one more on the first ranks). Arrays
        with labels are transformed along all axes.
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which way has the factor 1/N: 'backward' (the default): the inverse; 'forward': this one; 'ortho': each has its root.
    workers : int, optional
        Threads of each rank, the option ``threads``; a negative number counts from that of the processors that the node has
        (-1: all).
    **options
        Library options by name (see `weft.options`), the same on all ranks; not ``in_place``.

    Returns
    -------
    array
        A new one: this rank's part of the spectrum, the same planes of axis 0 (but for `s`); complex64 or complex128.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.

    Notes
    -----
    The plan is kept, and used again for the same shape, planes of each rank, precision, `norm`, options and communicator, by
    `ifftn` as well. A communicator keeps 16 plans; then the one not used for longest goes. `clear_plans` releases all of them,
    and so does ``comm.Free()``.

    In each call the ranks compare their arguments, and the results are new arrays in the layout of the input, which takes two
    exchanges. `weft.FFT` takes arrays of yours, and can leave the spectrum as it comes (``transposed=True``), which takes one.

    Examples
    --------
    >>> weft.fftn(np.ones((4, 4, 4)))[0, 0, 0]             # on one process
    (64+0j)
    """
    return transformed("fftn", "c2c", True, x, s, axes, comm, norm, workers, options)


def ifftn(
    x: ArrayLike,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `fftn`, as ``numpy.fft.ifftn``. Collective. Arguments, result and errors are those of `fftn`."""
    return transformed("ifftn", "c2c", False, x, s, axes, comm, norm, workers, options)


def rfftn(
    x: ArrayLike,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The FFT of a real field, as ``numpy.fft.rfftn``: the half of the spectrum. Collective.

    Arguments and errors are those of `fftn`; complex numbers are an error. Of the result the last axis has ``n // 2 + 1``
    points.
    """
    return transformed("rfftn", "r2c", True, x, s, axes, comm, norm, workers, options)


def irfftn(
    x: ArrayLike,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `rfftn`, as ``numpy.fft.irfftn``: real numbers. Collective.

    Parameters
    ----------
    x : array
        This rank's part of the half spectrum: some planes of axis 0, as for `fftn`.
    s : integers, optional
        As for `fftn`, points of the real field: of the axis that is halved 2m - 2, the default, or 2m - 1, where that of the
        spectrum has m points; of n points the first ``n // 2 + 1`` modes are taken.
    axes, comm, norm, workers, options
        As for `fftn`.

    Returns
    -------
    array
        A new one: this rank's part of the field; float32 or float64.

    Raises
    ------
    weft.Error
        As `fftn`.
    """
    return transformed("irfftn", "r2c", False, x, s, axes, comm, norm, workers, options)


def dctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The cosine transform of a real field along all or some of its two to eight axes, as ``scipy.fft.dctn`` does it.
    Collective.

    Parameters
    ----------
    x : array
        This rank's part of the field, as for `fftn`, of real numbers, without labels.
    type : {2, 1, 3, 4}
        DCT-I to DCT-IV. The first is for axes of at least two points.
    norm : {'backward', 'ortho', 'forward'}, optional
        As for `fftn`; N is the product of 2 n along the axes that are transformed, 2 (n - 1) for type 1, 2 (n + 1) for type 1
        of sines. With 'ortho' the transform is orthogonal: as in SciPy, numbers at the ends of an axis have factors of the
        root of 2 where they need them.
    s, axes, comm, workers, **options
        As for `fftn`.

    Returns
    -------
    array
        A new one: this rank's part, the same planes of axis 0; float32 or float64.

    Raises
    ------
    weft.Error
        As `fftn`.

    Notes
    -----
    Plans are kept as those of `fftn` are. `weft.FFT` takes a kind for each axis: ``kind=("dct2", "dst1", "r2c")``.

    Examples
    --------
    >>> weft.dctn(np.ones((4, 4)))[0, 0]                   # on one process
    64.0
    """
    return transformed("dctn", f"dct{type}", True, x, s, axes, comm, norm, workers, options)


def idctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `dctn` of that type, as ``scipy.fft.idctn``. Collective. Arguments, result and errors are those of
    `dctn`."""
    return transformed("idctn", f"dct{type}", False, x, s, axes, comm, norm, workers, options)


def dstn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The sine transform of a real field, as ``scipy.fft.dstn`` does it. Collective. Arguments, result and errors are those of
    `dctn`; the first type is for any number of points."""
    return transformed("dstn", f"dst{type}", True, x, s, axes, comm, norm, workers, options)


def idstn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    *,
    axes: Sequence[int] | None = None,
    comm: Intracomm | None = None,
    norm: str | None = None,
    workers: int | None = None,
    **options: Any,
) -> NDArray[Any]:
    """The inverse of `dstn` of that type, as ``scipy.fft.idstn``. Collective. Arguments, result and errors are those of
    `dctn`."""
    return transformed("idstn", f"dst{type}", False, x, s, axes, comm, norm, workers, options)


def clear_plans(comm: Intracomm | None = None) -> None:
    """Release the plans that `fftn` and its like have kept for a communicator, MPI.COMM_WORLD by default. Collective."""
    plans_of(comm).clear()
