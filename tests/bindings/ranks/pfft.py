"""weft.mpi4py_fft against NumPy, with mpi4py-fft's layouts and factors."""

import functools
import sys
import warnings
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
from checking import COMM, run_checks, same_error

from weft.mpi4py_fft import PFFT, DistArray, Function, HDF5File, NCFile, fftw, generate_xdmf, newDistArray
from weft.mpi4py_fft.libfft import FFT
from weft.mpi4py_fft.mpifft import Transform
from weft.mpi4py_fft.pencil import Pencil, Subcomm

TOLERANCE = {"f": 2e-5, "d": 1e-13, "g": 1e-13}


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=TOLERANCE[a.dtype.char.lower()] * max(1, np.abs(b).max(initial=0)))


def whole_field(shape, dtype):
    rng = np.random.default_rng(sum(shape))
    field = rng.standard_normal(shape)
    return (field + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else field).astype(dtype)


def spectrum_of(field, axes):
    """Scaled by 1/N; the last of `axes` is halved where the field is real."""
    if field.dtype.kind == "c":
        return np.fft.fftn(field, axes=axes, norm="forward")
    return np.fft.rfftn(field, axes=axes, norm="forward")


def compare(fft, field, spectrum):
    """Forward and backward of this rank's parts of the whole field and the whole spectrum."""
    mine, theirs = field[fft.local_slice(False)], spectrum[fft.local_slice(True)]
    assert fft.global_shape(False) == field.shape
    assert fft.global_shape(True) == spectrum.shape
    assert fft.shape(False) == mine.shape
    assert fft.shape(True) == theirs.shape
    u = newDistArray(fft, False)
    u[...] = mine
    u_hat = fft.forward(u, newDistArray(fft))
    assert type(u_hat) is DistArray
    assert u_hat.dtype == fft.dtype(True)
    close(u_hat.v, theirs)
    np.testing.assert_array_equal(u, mine)
    back = fft.backward(u_hat)
    assert back is fft.backward.output_array
    assert back.dtype == fft.dtype(False) == field.dtype
    close(back, mine)
    fft.destroy()


def check_axes_and_types():
    cases = [
        ((6, 7, 8), None, "weft"),
        ((6, 7, 8), (0, 2, 1), "weft"),
        ((7, 6, 5), (1, 2, 0), "weft"),
        ((6, 7, 8), ((0,), (1, 2)), "weft"),
        ((6, 7, 8), ((0, 1), 2), "weft" if COMM.size == 1 else None),  # axis 0 is split
        ((8, 9), None, "weft"),
        ((9, 8), (-1, 0), "weft"),
        ((6, 7, 8), (1, 2), "weft"),
        ((6, 7, 8), (-3, -2), "weft"),
        ((6, 7, 8), (0, 2), "weft"),
        ((6, 7, 8), (2, 0), "weft"),
        *[((6, 7, 8), axis, "weft") for axis in range(3)],
        ((6, 7), 0, "weft"),
        ((6, 7), 1, "weft"),
        ((4, 5, 6, 7), (0, 2), "weft"),
        ((4, 5, 6, 7), (1, 3), "weft"),
        ((4, 5, 6, 7), (3, 0), "weft"),
        ((4, 5, 6, 7), (1, 2), "weft"),
        ((4, 5, 6, 7), 2, "weft"),
        ((3, 4, 2, 5, 3), (1, 2), "weft"),
        ((3, 4, 2, 5, 3), (1, 3), "weft" if COMM.size < 4 else "weft if complex"),  # axis 3 is split
        ((4, 5, 6, 7), None, "weft"),
        ((4, 5, 6, 7), (1, 0, 2, 3), "weft"),
        ((4, 5, 6, 7), (0, 1, 3, 2), "weft if complex" if COMM.size < 4 else "serial"),  # axis 3 is split
        ((4, 5, 6, 7), ((0,), (1, 2, 3)), "weft" if COMM.size == 1 else "serial"),  # axis 3 is split
        ((3, 4, 5, 2, 3), (0, 1, 2, 3, 4), "weft"),
        ((4, 5, 6, 7), (1, 2, 3), "weft"),
        ((4, 5, 6, 7), (1, 0, 2), "weft"),
        ((4, 5, 6, 7), ((1,), (2, 3)), "weft"),
    ]
    for number, (shape, axes, engine) in enumerate(cases):
        if engine is None:
            continue
        groups = range(len(shape)) if axes is None else [axes] if isinstance(axes, int) else axes
        flat = [axis for group in groups for axis in np.ravel(group)]
        for dtype, asked in product(("dF", "Df")[number % 2], (None, "serial")):
            field = whole_field(shape, dtype)
            fft = PFFT(COMM, shape, axes=axes, dtype=dtype, engine=asked)
            wanted = {"weft if complex": "weft" if dtype in "FD" else "serial"}.get(engine, engine)
            assert fft.engine == (asked or wanted), (shape, axes, dtype, fft.reason)
            assert bool(fft.reason) == (fft.engine == "serial")
            if fft.engine == "weft":  # its stages lie in the same layouts: nothing is moved only to begin or to end
                assert " copy;" not in fft._native.explain()
            compare(fft, field, spectrum_of(field, flat))


def check_long_doubles():
    field = whole_field((5, 6, 7), "g")
    spectrum = spectrum_of(field, (0, 1, 2))
    fft = PFFT(COMM, field.shape, dtype="g")
    assert fft.engine == "serial"
    compare(fft, field, spectrum)


def check_layouts():
    # As mpi4py-fft deals: the first parts have the extra planes; alignment and axis change places.
    fft = PFFT(COMM, (9, 10, 11), dtype=complex)
    sizes = [comm.Get_size() for comm in fft.subcomm]
    assert sizes == {1: [1, 1, 1], 2: [2, 1, 1], 3: [3, 1, 1], 4: [2, 2, 1]}[COMM.size]
    assert [comm.Get_size() for comm in fft.forward.output_pencil.subcomm] == [1, *sizes[:2]]
    assert fft.forward.input_pencil is fft.backward.output_pencil is fft.pencil[0]
    lengths = COMM.allgather(fft.shape(True))
    assert (
        lengths
        == {
            1: [(9, 10, 11)],
            2: [(9, 5, 11)] * 2,
            3: [(9, 4, 11), (9, 3, 11), (9, 3, 11)],
            4: [(9, 5, 6), (9, 5, 5)] * 2,
        }[COMM.size]
    )
    fft.destroy()
    for dtype, keywords, wanted in (
        ("d", {"grid": (-1,)}, [COMM.size, 1, 1]),
        ("D", {"grid": (1, -1)}, [1, COMM.size, 1]),
        ("D", {"slab": True}, [COMM.size, 1, 1]),
        ("d", {"slab": 1}, [1, COMM.size, 1]),
        ("d", {"axes": (0, 2, 1), "grid": (1, 1, -1)}, [1, 1, COMM.size]),
    ):
        field = whole_field((9, 10, 11), dtype)
        fft = PFFT(COMM, field.shape, dtype=dtype, **keywords)
        assert [comm.Get_size() for comm in fft.subcomm] == wanted
        compare(fft, field, spectrum_of(field, keywords.get("axes", (0, 1, 2))))
    field = whole_field((9, 10, 11), "d")
    compare(PFFT(Subcomm(COMM, (0, 0, 1)), field.shape), field, spectrum_of(field, (0, 1, 2)))
    few = whole_field((2, 3, 5), "D")  # fewer points than ranks
    compare(PFFT(COMM, few.shape, dtype="D", grid=(1, -1)), few, spectrum_of(few, (0, 1, 2)))
    compare(PFFT(COMM, few.shape, axes=(1, 2), dtype="D", grid=(-1,)), few, spectrum_of(few, (1, 2)))


def check_collapse():
    field = whole_field((5, 6, 7, 8), "d")
    fft = PFFT(COMM, field.shape, collapse=True, grid=(-1,))
    assert fft.axes == (((0, 1, 2, 3),) if COMM.size == 1 else ((0,), (1, 2, 3)))
    assert len(fft.xfftn) == len(fft.transfer) + 1 == len(fft.axes)
    compare(fft, field, spectrum_of(field, (0, 1, 2, 3)))
    fft = PFFT(COMM, (4, 4, 4), collapse=True, padding=1.5)
    assert fft.axes == ((0,), (1,), (2,))  # padded axes stay alone
    fft.destroy()
    # So do groups with transforms of their own, and groups that have become one.
    field = whole_field((5, 6, 7), "d")
    pair = functools.partial(fftw.dctn, type=2), functools.partial(fftw.idctn, type=2)
    for group in ((2,), (-1,), (1, 2)):
        fft = PFFT(COMM, field.shape, transforms={group: pair}, collapse=True, grid=(-1,))
        axes = [axis % 3 for axis in group]
        wanted = field
        for axis in axes:
            matrix = cosines(field.shape[axis], 2) / (2 * field.shape[axis])
            wanted = np.moveaxis(np.tensordot(matrix, wanted, (1, axis)), 0, axis)
        compare(fft, field, spectrum_of(wanted, [axis for axis in range(3) if axis not in axes]))

    # A mapping may have what any number of ranks joins.
    every = {(2,): pair, (1, 2): pair, (0, 1, 2): pair}
    fft = PFFT(COMM, field.shape, transforms=every, collapse=True, grid=(-1,))
    assert fft.axes == (((0, 1, 2),) if COMM.size == 1 else ((0,), (1, 2)))
    fft = PFFT(COMM, field.shape, transforms=every, grid=(-1,))
    assert fft.axes == ((0,), (1,), (2,))


def check_fewer_points_than_ranks():
    """Some groups of ranks have nothing, take part in all exchanges, and hear of every error."""
    pair = fftw.dctn, fftw.idctn
    for shape, keywords in (
        ((1, 8, 6), {"axes": (1, 2)}),
        ((2, 1, 3), {"engine": "serial"}),
        ((1, 1, 3, 2), {"axes": (1, 2, 3)}),
        ((5, 1, 1, 3), {"engine": "serial", "axes": (3, 0)}),
        ((1, 1, 1), {"engine": "serial", "dtype": "D"}),
    ):
        dtype = keywords.setdefault("dtype", "d")
        field = whole_field(shape, dtype)
        compare(PFFT(COMM, shape, **keywords), field, spectrum_of(field, keywords.get("axes", range(len(shape)))))
    field = whole_field((2, 1, 3), "d")
    fft = PFFT(COMM, field.shape, axes=((0,), (1,), (2,)), transforms={(axis,): pair for axis in range(3)})
    u = field[fft.local_slice(False)]
    close(fft.backward(fft.forward(u)), u)
    bad = np.zeros(99) if COMM.rank == COMM.size - 1 else u
    same_error("shape", lambda: fft.forward(bad))
    u = DistArray((1, 3, 2, 5), subcomm=(0, 0, 1, 1))
    u[...] = COMM.rank
    w = u.redistribute(2).redistribute(1)
    np.testing.assert_array_equal(w.redistribute(2).redistribute(3), u)


def check_one_bad_rank():
    """An error of one rank is that of all, where groups of ranks transform or exchange by themselves as well."""
    last = COMM.rank == COMM.size - 1
    fft = PFFT(COMM, (4, 5, 6), axes=(1, 2), grid=(-1,))
    assert fft.engine == "weft"
    x = np.zeros(fft.shape(False))
    same_error("input_array|x has shape", lambda: fft.forward(x[..., 1:] if last else x))
    same_error("output_array|out", lambda: fft.forward(x, np.zeros(3) if last else None))
    locked = np.zeros(fft.shape(), complex)
    locked.flags.writeable = not last
    same_error("read-only|writeable", lambda: fft.forward(x, locked))
    for bad in (
        {"shape": (4, 0, 6)},
        {"axes": (0, 0)},
        {"padding": -1},
        {"padding": float("nan")},
        {"collapse": "x"},
        {"grid": 3},
        {"dtype": "i"},
        {"options": {"nobody": 1}},
        {"transforms": 1},
    ):
        good = {"shape": (4, 5, 6)}
        same_error(next(iter(bad)), lambda: PFFT(COMM, **{**good, **(bad if last else {})}))  # noqa: B023
    same_error("dims", lambda: Subcomm(COMM, [0, "x"] if last else [0, 1]))
    same_error("global_shape", lambda: DistArray((4, -5) if last else (4, 5)))
    u = DistArray((4, 5, 6))
    same_error("axis is 7", lambda: u.redistribute(7 if last else 1))
    same_error("the slice", lambda: u.get((0, 1) if last else (0, 1, slice(None))))
    if COMM.size > 1:
        same_error("must be the same", lambda: PFFT(COMM, (4, 5, 7 if last else 6)))


def check_what_is_dropped():
    """Nothing keeps communicators: those that are made next do not have new places among them each time."""

    def places():
        copies = [COMM.Dup() for _ in range(16)]
        found = {copy.py2f() for copy in copies}
        for copy in copies:
            copy.Free()
        return found

    makers = (
        lambda: PFFT(COMM, (4, 4, 4)),
        lambda: PFFT(COMM, (4, 4, 4), engine="serial").forward(),
        lambda: PFFT(COMM, (4, 4, 4), axes=(1, 2), grid=(-1,)).forward(),
        lambda: newDistArray(PFFT(COMM, (4, 4, 4))).redistribute(2),
        lambda: Subcomm(COMM, 2),
    )
    for make in makers:
        make()
        before, rounds = places(), 16
        for _ in range(rounds):
            make()
        # MPI may give the places in any order, so that some are seen late.
        assert len(places() - before) < rounds
    # What still refers to them keeps them.
    u = newDistArray(PFFT(COMM, (4, 4, 4)), val=COMM.rank)
    Subcomm(COMM, 3)
    assert u.redistribute(1).redistribute(0).shape == u.shape


def resized(spectrum, axis, n):
    """The spectrum on n points instead of m; the highest wavenumber of an even number of points stands for both signs."""
    m = spectrum.shape[axis]
    lines = np.moveaxis(spectrum, axis, -1)
    found = np.zeros((*lines.shape[:-1], n), spectrum.dtype)
    for k in range(-(min(m, n) // 2), min(m, n) // 2 + 1):
        found[..., k % n] += lines[..., k % m] * (0.5 if 2 * abs(k) == m else 1)
    return np.moveaxis(found, -1, axis)


def check_padding():
    shapes = [(6, 7, 8), (5, 10, 9), (4, 6)]
    for number, (shape, dtype, engine) in enumerate(
        [*product(shapes, "dD", ("weft", "serial")), ((7, 6), "f", "weft")]
    ):
        order = tuple(range(len(shape)))[:: -1 if number % 3 else 1]
        given = [1.5] * len(shape)
        fft = PFFT(COMM, shape, axes=order, dtype=dtype, padding=given, engine=engine)
        assert given == [1.5] * len(shape)
        assert fft.engine == engine
        padded = tuple(3 * n // 2 for n in shape)
        assert fft.global_shape(False) == padded
        field = whole_field(padded, dtype)
        kept = np.fft.fftn(field, norm="forward")
        for axis in order[::-1]:
            kept = resized(kept, axis, shape[axis])
        interpolated = kept
        for axis in order:
            interpolated = resized(interpolated, axis, padded[axis])
        back = np.fft.ifftn(interpolated, norm="forward")
        if dtype in "fd":
            kept, back = np.take(kept, range(shape[order[-1]] // 2 + 1), order[-1]), back.real
        kept, back = kept.astype(fft.dtype(True)), back.astype(dtype)
        assert fft.global_shape(True) == kept.shape
        u_hat = fft.forward(field[fft.local_slice(False)]).copy()
        close(u_hat, kept[fft.local_slice(True)])
        close(fft.backward(u_hat), back[fft.local_slice(False)])
        points = np.prod(padded)
        close(fft.forward(normalize=False), u_hat * points)
        fft.destroy()


def cosines(n, number):
    """The matrix of FFTW's unscaled cosine transforms of type 2 and 3."""
    k, j = np.ogrid[:n, :n]
    if number == 2:
        return 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n))
    return np.where(j == 0, 1, 2 * np.cos(np.pi * j * (2 * k + 1) / (2 * n)))


def check_real_to_real():
    shape = (4, 5, 6, 7)
    field = whole_field(shape, "d")
    pair = functools.partial(fftw.dctn, type=3), functools.partial(fftw.idctn, type=3)
    fft = PFFT(COMM, shape, axes=(0, (1,), (2, 3)), transforms={(2, 3): pair, (1,): pair}, grid=(-1,))
    assert fft.engine == "serial"
    assert fft.reason == "axis 0 is halved, and of more than three axes Weft halves the last one"
    wanted = np.einsum("ia,jb,kc,sabc->sijk", *(cosines(n, 3) for n in shape[1:]), field)
    wanted = np.fft.rfft(wanted, axis=0, norm="forward") / np.prod([2 * n for n in shape[1:]])
    compare(fft, field, wanted)

    # Those of fftw are lines of Weft's; others are the caller's own.
    def wrapped(*arguments, **keywords):
        return fftw.dctn(*arguments, **keywords)

    for number, (axes, own, engine) in enumerate(
        [
            ((0, 1, 2), {(axis,): pair for axis in range(3)}, "weft"),
            ((0, (1, 2)), {(1, 2): pair}, "weft"),
            ((2, 0, 1), {(1,): pair}, "weft"),
            ((0, 2), {(2,): pair}, "weft"),
            (1, {(1,): pair}, "weft"),
            ((0, 1), {(1,): (fftw.dctn, functools.partial(fftw.idctn, type=3))}, "serial"),
            ((0, 1), {(1,): (functools.partial(wrapped, type=3), pair[1])}, "serial"),
        ]
    ):
        wanted = mine = field[0].astype("fd"[number % 2])
        fft = PFFT(COMM, shape[1:], axes=axes, transforms=own, dtype=mine.dtype, grid=(-1,) if number % 3 else None)
        assert fft.engine == engine, (axes, fft.reason)
        assert fft.reason == ("" if engine == "weft" else "transforms are given")
        if number == 5:
            continue  # the two are no inverse of each other
        flat = [axis for group in np.atleast_1d(np.array(axes, object)) for axis in np.ravel(group)]
        for axis in [axis for group in own for axis in group]:
            matrix = cosines(wanted.shape[axis], 3) / (2 * wanted.shape[axis])
            wanted = np.moveaxis(np.tensordot(matrix, wanted, (1, axis)), 0, axis)
            flat.remove(axis)
        compare(fft, mine, (spectrum_of(wanted, flat) if flat else wanted).astype(fft.dtype(True)))
    for plan, number in product((fftw.dctn, fftw.dstn), (1, 2, 3, 4)):
        a = fftw.aligned((3, 5, 4), fill=0)
        a[...] = field[0, :3, :5, :4]
        there = plan(a, axes=(0, 1), type=number)
        back = fftw.inverse[plan](there.output_array, axes=(0, 1), type=number)
        close(back(there().copy(), normalize=True), a)
    a = fftw.aligned((3, 5), fill=2)
    close(fftw.dctn(a, axes=(1,), type=2)(), a @ cosines(5, 2).T)
    for kinds in ((fftw.FFTW_R2HC, fftw.FFTW_HC2R), (fftw.FFTW_DHT,) * 2):
        for n in (5, 6):
            x, y = field[0, 0, :3, :n].copy(), np.empty((3, n))
            fftw.get_planned_FFT(x, y, (1,), kinds[0])()
            close(fftw.get_planned_FFT(y, np.empty((3, n)), (1,), kinds[1])() / n, x)


def check_calls():
    for engine in ("weft", "serial"):
        fft = PFFT(COMM, (6, 8, 10), dtype=complex, engine=engine)
        field = whole_field((6, 8, 10), "D")
        mine, theirs = field[fft.local_slice(False)], spectrum_of(field, (0, 1, 2))[fft.local_slice()]
        assert fft.forward.input_array is fft.backward.output_array
        assert fft.forward.output_array is fft.backward.input_array
        fft.forward.input_array[...] = mine
        assert fft.forward() is fft.forward.output_array
        close(fft.forward.output_array, theirs)
        close(fft.backward(), mine)
        close(fft.forward(mine.tolist(), normalize=False) / 480, theirs)
        close(fft.backward(theirs, normalize=True) * 480, mine)
        strided = np.zeros((*theirs.shape, 2), complex)[..., 1]
        assert fft.forward(np.asfortranarray(mine), strided) is strided
        close(strided, theirs)
        single = np.zeros(theirs.shape, np.complex64)
        fft.forward(mine.copy(), single)
        close(single, theirs)
        if fft.shape(True) == fft.shape(False):  # in place
            both = mine.copy()
            assert fft.forward(both, both) is both
            close(both, theirs)
        own = fft.forward.input_array if fft.shape(True) == fft.shape(False) else None
        if own is not None:
            own[...] = mine
            close(fft.forward(own, own), theirs)
        fft.destroy()
    # What solvers do: components of vectors in and out.
    fft = PFFT(COMM, [8, 8, 8], axes=(0, 1, 2), dtype=float)
    u, u_hat = newDistArray(fft, False, rank=1), newDistArray(fft, rank=1, view=True)
    assert type(u_hat) is np.ndarray
    u[...] = np.arange(3)[:, None, None, None]
    for i in range(3):
        u_hat[i] = fft.forward(u[i], u_hat[i])
        mean = i if all(part.start == 0 for part in fft.local_slice()) else 0
        assert abs(np.sum(u_hat[i]) - mean) < 1e-12
        u[i] = fft.backward(u_hat[i], u[i])
        np.testing.assert_allclose(u[i], i)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert Function(fft, False, tensor=3).rank == 1
    assert [item.category for item in caught] == [FutureWarning]


def check_serial_parts_by_themselves():
    # As shenfun uses them: transforms of its own between the exchanges.
    class Doubling:
        def __init__(self, shape):
            self.input_array, self.output_array = np.zeros(shape), np.zeros(shape)

        def __call__(self, **options):
            self.output_array[...] = 2 * self.input_array

    subcomm = Subcomm(COMM, [0, 1])
    first = Pencil(subcomm, (6, 7), 1)
    second = first.pencil(0)
    move = first.transfer(second, float)
    steps = [Doubling(first.subshape), Doubling(second.subshape)]
    transform = Transform(steps, [move.forward], [first, second])
    field = whole_field((6, 7), "d")
    np.testing.assert_array_equal(transform(field[first.local_slice]), 4 * field[second.local_slice])
    move.destroy()
    for backend in ("numpy", "fftw"):
        one = FFT((5, 6), axes=(1,), padding=1.5, backend=backend)
        assert one.forward.output_array.shape == (5, 3)
    # One dimension, which cannot be split.
    line = FFT(8, dtype=complex)
    close(line.forward(np.arange(8.0)), np.fft.fft(np.arange(8.0)) / 8)


def check_transfers():
    for dtype, shape in (("d", (6, 5, 7)), ("G", (5, 6, 4)), ("F", (4, 5, 3, 2, 6)), ("h", (4, 5, 6, 2))):
        for here, there in product(range(len(shape)), repeat=2):
            if here == there or (dtype == "h" and 3 in (here, there)):
                continue
            subcomm = Subcomm(COMM, [int(axis == here) for axis in range(len(shape))])
            first = Pencil(subcomm, shape, here)
            second = first.pencil(there)
            move = first.transfer(second, dtype)
            field = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
            a, b = field[first.local_slice], np.zeros(second.subshape, dtype)
            move.forward(a, b)
            np.testing.assert_array_equal(b, field[second.local_slice])
            a = np.zeros(first.subshape, dtype)
            move.backward(b, a)
            np.testing.assert_array_equal(a, field[first.local_slice])
            move.destroy()
            subcomm.destroy()
    if COMM.size > 1:
        first = Pencil(Subcomm(COMM, [1, 0]), (4, 5), 0)
        move = first.transfer(first.pencil(1), "h")
        same_error("dtype is int16 of 2 bytes", lambda: move.forward(np.zeros(first.subshape, "h"), np.zeros(1, "h")))


def check_dist_arrays():
    field = whole_field((6, 7, 8), "d")
    u = DistArray((6, 7, 8), val=0, alignment=1)
    u[...] = field[u.local_slice()]
    assert u.pencil.subshape == u.shape
    assert u.commsizes[1] == 1
    assert np.prod(u.commsizes) == COMM.size
    assert type(u + 1) is DistArray
    assert (u + 1).alignment == 1
    assert type(np.sin(u)) is DistArray
    assert type(u[0]) is type(u[..., 0]) is type(u[u > 0]) is np.ndarray
    w = u.redistribute(2)
    np.testing.assert_array_equal(w, field[w.local_slice()])
    assert w.alignment == 2
    back = DistArray(u.global_shape, u.subcomm, alignment=1)
    assert w.redistribute(out=back) is back
    np.testing.assert_array_equal(back, u)
    assert u.redistribute(1) is u
    found = u.get((slice(None), 3, slice(None)))
    assert (found is None) == (COMM.rank > 0)
    if COMM.rank == 0:
        np.testing.assert_array_equal(found, field[:, 3])
    t = DistArray((2, 3, 6, 7, 8), rank=2, dtype=complex)
    tensor = np.arange(6).reshape(2, 3, 1, 1, 1) * field
    t[...] = tensor[t.local_slice()]
    assert (t.rank, t[0].rank, t[1, 2].rank) == (2, 1, 0)
    assert type(t[1, 2]) is DistArray
    assert type(t[1, 2, 0]) is np.ndarray
    assert t.substart == (0, 0, *t.pencil.substart)
    moved = t.redistribute(0)
    np.testing.assert_array_equal(moved, tensor[moved.local_slice()])
    assert (moved.rank, moved.alignment) == (2, 0)
    again = PFFT(COMM, darray=moved[0, 0])
    assert again.axes[-1] == (0,)
    assert again.shape(False) == moved[0, 0].shape
    assert DistArray((5,), val=2)[4] == 2


def files(backend, make, ending, types):
    folder = Path(COMM.bcast(sys.argv[1] if len(sys.argv) > 1 else "."))
    field = whole_field((5, 6, 7), "d")
    for rank, dtype in enumerate(types):
        name = str(folder / f"{backend}{dtype}{rank}{ending}")
        u = DistArray((2,) * rank + (5, 6, 7), rank=rank, dtype=dtype, alignment=0)
        values = (np.arange(2**rank).reshape((2,) * rank + (1, 1, 1)) + 1) * field
        u[...] = values[u.local_slice()]
        file = make(name, mode="w", domain=((0, 1), (0, 2), (1, 3)))
        assert file.backend() == backend
        for step in (0, 1, 0):
            file.write(step, {"u": [u, (u, [slice(None), 4, slice(None)])]})
        u.write(name, "u", 1, [2, slice(None), 4])
        u.write(file, "w", 0, as_scalar=True)
        v = DistArray(u.global_shape, rank=rank, dtype=dtype)
        v.read(name, "u", 1)
        np.testing.assert_array_equal(v, values[v.local_slice()])
        last = DistArray((5, 6, 7), dtype=dtype)
        last.read(file, "w" + "1" * rank)
        np.testing.assert_array_equal(last, values[(-1,) * rank][last.local_slice()])
        same_error(name, functools.partial(v.read, name, "nobody"))

        class Picky(DistArray):
            def __getitem__(self, key):
                assert not isinstance(key, tuple) or len(key) > 1
                return super().__getitem__(key)

        file.write(0, {"p": [u.view(Picky)]}, as_scalar=True, forward_output=False)
        last_rank = COMM.rank == COMM.size - 1
        same_error(
            "the slice", functools.partial(file.write, 0, {"q": [(u, [0] if last_rank else [0, 0, slice(None)])]})
        )
        yield name, dtype, rank, values


def check_hdf5():
    if not find_spec("h5py"):
        return
    import h5py

    for name, dtype, rank, values in files("hdf5", HDF5File, ".h5", "dDd"):
        if COMM.rank == 0:
            with h5py.File(name) as file:
                every = (slice(None),) * rank
                np.testing.assert_array_equal(file["u/2D/slice_4_slice/1"], values[(*every, slice(None), 4)])
                np.testing.assert_array_equal(file["u/1D/2_slice_4/1"], values[(*every, 2, slice(None), 4)])
                np.testing.assert_array_equal(file["u/domain/x2"], [1, 3])
                assert file["u"].attrs["rank"] == rank
            if dtype == "d":
                generate_xdmf(name)
                generate_xdmf(name, periodic=False, order="visit")
                text = Path(name[:-3] + ".xdmf").read_text()
                assert ("u/3D/1" in text) == (rank == 0)
                assert text.count("<Grid") == (3 if rank == 0 else 2)
                assert Path(name[:-3] + "_slice_4_slice.xdmf").exists() == (rank == 0)


def check_netcdf():
    if not find_spec("netCDF4"):
        return
    from netCDF4 import Dataset

    for name, _, _, values in files("netcdf4", NCFile, ".nc", "ddd"):
        if COMM.rank == 0:
            with Dataset(name) as file:
                assert file["u"].shape == (2, *values.shape)
                np.testing.assert_array_equal(file["u_2_slice_4"][1], values[..., 2, :, 4])
                np.testing.assert_allclose(file["z"][:], 1 + 3 * np.arange(7) / 7)


def check_beside_mpi4py_fft():
    """The same layouts and spectra as mpi4py-fft itself has, where that is installed."""
    try:
        import mpi4py_fft as theirs
    except ImportError:
        return
    cases = [
        ({}, "d"),
        ({"axes": (1, 2, 0), "grid": (1, -1)}, "D"),
        ({"axes": ((0,), (1, 2)), "collapse": True}, "d"),
        ({"axes": (0, 1)}, "f"),
        ({"padding": [1.5, 1.5, 1.5]}, "D"),
    ]
    for keywords, dtype in cases:
        given = {name: list(value) if name == "padding" else value for name, value in keywords.items()}
        plan = theirs.PFFT(COMM, (8, 9, 10), dtype=dtype, **given)
        fft = PFFT(COMM, (8, 9, 10), dtype=dtype, **keywords)
        assert fft.axes == tuple(map(tuple, plan.axes))
        for end in (False, True):
            assert fft.local_slice(end) == plan.local_slice(end)
            assert fft.global_shape(end) == tuple(plan.global_shape(end))
            assert fft.dtype(end) == plan.dtype(end)
        u = whole_field(fft.global_shape(False), dtype)[fft.local_slice(False)]
        u_hat = fft.forward(u)
        close(u_hat, plan.forward(u.copy()))
        close(fft.backward(u_hat), plan.backward(u_hat.copy()))
        plan.destroy()
        fft.destroy()


def check_errors():
    same_error("shape is", lambda: PFFT(COMM, (4, 0, 4)))
    same_error(r"axes is \(0, 0\)", lambda: PFFT(COMM, (4, 4, 4), axes=(0, 0)))
    same_error("axes is 3; an integer from -3 to 2", lambda: PFFT(COMM, (4, 4, 4), axes=(3,)))
    same_error("dtype is", lambda: PFFT(COMM, (4, 4, 4), dtype=int))
    same_error("padding is", lambda: PFFT(COMM, (4, 4, 4), padding=[1.5, 1.5]))
    same_error("backend is 'nobody'", lambda: PFFT(COMM, (4, 4, 4), backend="nobody"))
    same_error("engine is 'weft', but the type", lambda: PFFT(COMM, (4, 4, 4), dtype="g", engine="weft"))
    same_error("grid is", lambda: PFFT(COMM, (4, 4), grid=(1, 1, 1)))
    for name, values in {
        "transforms": ([1], {0: (len, len)}, {(0,): 3}, {(0, 1): (len, len)}, {(7,): (len, len)}),
        "options": (3, {1: 2}, {"nobody": 1}, {"strategy": "nobody"}, {"in_place": True}),
        "padding": (float("nan"), -1.5, "a", [1.5, float("inf"), 1], True, None, [[1, 2], 3, 4]),
        "grid": (4, (2.5,), "ab", (), ((1, 2), 3), (97,)),
        "collapse": ("x", 2),
        "slab": ("x", 9, 2.5),
        "axes": ("x", (), 1.5, True, (0, (0, 1))),
        "shape": (4, "444", (2**40, 2**40, 4), (4.0, 4)),
        "dtype": ("nobody", object, [1]),
        "backend": ([], None),
    }.items():
        for value in values:
            given = {"shape": (4, 4, 4), name: value}
            same_error(name, functools.partial(PFFT, COMM, **given))
    same_error("axis 0 has 1 point", lambda: fftw.dctn(np.zeros((1, 4)), axes=(0,), type=1))
    same_error("axes is 5", lambda: fftw.dctn(np.zeros((1, 4)), axes=(5,)))
    if COMM.size > 1:
        same_error("the field is split along", lambda: PFFT(COMM, (4, 4, 4), grid=(1, 1, -1)))
    for engine in ("weft", "serial"):
        fft = PFFT(COMM, (8, 8, 8), dtype=complex, engine=engine)
        x = np.zeros(fft.shape(False), complex)
        bad = x[:2, :3] if COMM.rank == COMM.size - 1 else x
        same_error("shape", functools.partial(fft.forward, bad))
        same_error("shape", functools.partial(fft.forward, x, np.zeros(5, complex) if COMM.rank == 0 else None))
        fft.forward(x)
        fft.destroy()


run_checks(globals())
