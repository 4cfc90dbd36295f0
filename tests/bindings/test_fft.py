"""weft.FFT in one process: results against NumPy, arrays, errors, wave numbers."""

from __future__ import annotations

import gc
import json
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import assert_close, pair

import weft

KINDS = ("c2c", "r2c", "c2r")
SHAPES = [(1, 1, 1), (1, 1, 9), (13, 1, 1), (1, 6, 1), (2, 3, 4), (7, 5, 3), (8, 8, 8), (11, 13, 17)]
DTYPES = {
    ("double", False): "complex128",
    ("double", True): "float64",
    ("single", False): "complex64",
    ("single", True): "float32",
}


def make(shape, kind="c2c", precision="double", **options):
    return weft.FFT(shape, kind=kind, precision=precision, effort="estimate", **options)


def check_transform(shape, kind, precision="double", batch=1, **options):
    """Forward and backward against NumPy."""
    field, spectrum = pair(kind, shape, batch)
    with make(shape, kind, precision, batch=batch, **options) as fft:
        x = fft.empty_input()
        x[...] = field
        y = fft.forward(x)
        assert_close(y, spectrum, np.abs(spectrum).max(), precision, shape)
        z = fft.backward(y)
        assert_close(z / fft.scale, field, np.abs(field).max(), precision, shape)
        return fft


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_transforms_agree_with_numpy(shape, kind, precision, in_place):
    check_transform(shape, kind, precision, in_place=in_place)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_batches(kind, in_place):
    fft = check_transform((5, 4, 6), kind, batch=3, in_place=in_place)
    assert fft.input_shape[0] == fft.output_shape[0] == 3


@pytest.mark.parametrize("kind", KINDS)
def test_two_dimensions(kind):
    field, spectrum = pair(kind, (6, 8), 1)
    half = (6, 8) if kind == "c2c" else (6, 5)
    with make((6, 8), kind) as fft:
        assert (fft.shape, fft.spectrum_shape) == ((6, 8), half)
        assert (fft.input_shape, fft.output_shape) == (field.shape, spectrum.shape)
        assert fft.input_box == ((0, 0), field.shape)
        assert fft.input_slice == tuple(slice(0, n) for n in field.shape)
        assert "6 x 8" in repr(fft)
        np.testing.assert_allclose(fft.forward(field), spectrum, atol=1e-12)
        assert [k.shape for k in fft.wavenumbers()] == [(6, 1), (1, half[1])]
    with pytest.raises(weft.Error, match=r"input_box is .*; a pair of corners \(lo, hi\) or two slices"):
        make((6, 8), input_box=(slice(0, 6),))
    with pytest.raises(weft.Error, match="one or two numbers"), make((6, 8)) as fft:
        fft.wavenumbers(lengths=(1, 2, 3))


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_with_padded_rows(kind):
    field, spectrum = pair(kind, (3, 4, 5), 1)
    real = "output" if kind == "c2r" else "input"
    with make((3, 4, 5), kind, padded_rows=True) as fft:
        x, y = fft.empty_input(), fft.empty_output()
        padded = x if real == "input" else y
        assert padded.flags.c_contiguous == (kind == "c2c")
        x[...] = field
        x.flags.writeable = False
        assert fft.forward(x, y) is y
        np.testing.assert_allclose(y, spectrum, atol=1e-12)
        np.testing.assert_allclose(fft.backward(y) / fft.scale, field, atol=1e-12)
        if kind == "c2c":
            return
        tight = np.zeros((3, 4, 5))
        with pytest.raises(weft.Error, match=r"has strides .*; padded rows need \(192, 48, 8\)"):
            fft.forward(tight, y) if real == "input" else fft.forward(x, tight)
        short = np.zeros((3, 4, 6))[:, :, :5]
        assert fft.backward(y, short) is short if real == "input" else fft.forward(x, short) is short


@settings(max_examples=40, deadline=None)
@given(
    shape=st.tuples(*[st.integers(1, 12)] * 3),
    kind=st.sampled_from(KINDS),
    precision=st.sampled_from(["double", "single"]),
    batch=st.integers(1, 3),
    in_place=st.booleans(),
)
def test_random_cases_agree_with_numpy(shape, kind, precision, batch, in_place):
    check_transform(shape, kind, precision, batch, in_place=in_place)


@pytest.mark.parametrize(("norm", "numpy_norm"), [("forward", "forward"), ("backward", "backward"), ("ortho", "ortho")])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_normalisation_is_numpys(kind, norm, numpy_norm):
    shape = (4, 5, 6)
    field, _ = pair(kind, shape, 1)
    transform = np.fft.fftn if kind == "c2c" else np.fft.rfftn
    with make(shape, kind, normalization=norm) as fft:
        y = fft.forward(field)
        np.testing.assert_allclose(y, transform(field, norm=numpy_norm), atol=1e-12)
        np.testing.assert_allclose(fft.backward(y), field, atol=1e-12)
        assert fft.scale == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_shapes_slices_and_types(kind, precision):
    with make((6, 5, 4), kind, precision) as fft:
        assert fft.shape == (6, 5, 4)
        assert fft.spectrum_shape == ((6, 5, 4) if kind == "c2c" else (6, 5, 3))
        sides = {
            "c2c": (fft.shape, fft.shape),
            "r2c": (fft.shape, fft.spectrum_shape),
            "c2r": (fft.spectrum_shape, fft.shape),
        }
        assert (fft.input_shape, fft.output_shape) == sides[kind]
        assert fft.input_slice == tuple(slice(0, n) for n in fft.input_shape)
        assert fft.input_box == ((0, 0, 0), fft.input_shape)
        assert fft.output_box == ((0, 0, 0), fft.output_shape)
        assert fft.input_dtype == DTYPES[precision, kind == "r2c"]
        assert fft.output_dtype == DTYPES[precision, kind == "c2r"]
        for array, side in ((fft.empty_input(), "input"), (fft.empty_output(), "output")):
            assert array.shape == getattr(fft, f"{side}_shape")
            assert array.dtype == getattr(fft, f"{side}_dtype")
            assert array.flags.c_contiguous
        assert (fft.kind, fft.batch, fft.in_place) == (kind, 1, False)


@pytest.mark.parametrize("dtype", ["float32", "complex64", np.float64, np.complex128])
def test_precision_by_dtype(dtype):
    with weft.FFT((4, 4, 4), dtype=dtype) as fft:
        assert fft.output_dtype.itemsize == (8 if np.dtype(dtype).char in "fF" else 16)


@pytest.mark.parametrize("in_place", [False, True])
def test_large_arrays_begin_with_cache_lines(in_place):
    with weft.FFT((16, 16, 18), kind="r2c", in_place=in_place) as fft:
        for array in (fft.empty_input(), fft.empty_output()):
            assert array.nbytes > 1 << 14
            assert array.ctypes.data % 64 == 0
            assert array.flags.writeable


def test_out_is_written_and_returned_and_the_input_kept():
    field, spectrum = pair("r2c", (4, 6, 5), 1)
    with make((4, 6, 5), "r2c") as fft:
        kept = field.copy()
        field.flags.writeable = False  # a read-only input is as good as any
        out = fft.empty_output()
        assert fft.forward(field, out) is out
        assert fft.forward(field, out=out) is out
        np.testing.assert_allclose(out, spectrum, atol=1e-12)
        np.testing.assert_array_equal(field, kept)
        before = out.copy()
        back = fft.empty_input()
        assert fft.backward(out, back) is back
        np.testing.assert_array_equal(out, before)


def test_out_may_be_a_part_of_a_larger_array():
    field, spectrum = pair("c2c", (3, 4, 5), 1)
    larger = np.zeros((3, *field.shape), np.complex128)
    with make((3, 4, 5)) as fft:
        fft.forward(field, larger[1])
    np.testing.assert_allclose(larger[1], spectrum, atol=1e-12)
    assert not larger[0].any()
    assert not larger[2].any()


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], "x is a list; a NumPy array"),
        (np.zeros((4, 6, 5)), "x has dtype float64; complex128"),
        (np.zeros((4, 6, 5), ">c16"), "x has dtype >c16; complex128"),
        (np.zeros((4, 6, 6), complex), r"x has shape \(4, 6, 6\); \(4, 6, 5\) is needed.*\[0:4, 0:6, 0:5\]"),
        (np.zeros((1, 4, 6, 5), complex), r"x has shape \(1, 4, 6, 5\)"),
        (np.zeros((5, 6, 4), complex).T, "C-contiguous"),
        (np.zeros((4, 6, 10), complex)[..., ::2], "C-contiguous"),
    ],
)
def test_bad_inputs_are_named(x, message):
    with make((4, 6, 5)) as fft, pytest.raises(weft.Error, match=message):
        fft.forward(x)


class Foreign:
    """An array of another library, as PyTorch's and JAX's are: it is no NumPy array, and has its memory shown by DLPack."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **wishes):
        return self.array.__dlpack__(**wishes)

    def __dlpack_device__(self):
        return self.device


class OldForeign(Foreign):
    """DLPack's first version, which says nothing about writing."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Interface:
    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


@pytest.mark.parametrize("wrap", [Foreign, Interface])
def test_spheres_take_arrays_of_other_libraries(wrap):
    lattice = 6.0 * np.eye(3)
    grid = weft.sphere_grid(lattice, 4)
    waves = weft.cutoff_sphere(grid, lattice, 4)
    coefficients = np.random.default_rng(2).standard_normal((2, len(waves), 2)).view(complex)[..., 0]
    with weft.SphereFFT(grid, waves, normalization="forward") as sphere:
        space = sphere.backward(coefficients)
        out = wrap(np.zeros_like(space))
        assert sphere.backward(wrap(coefficients), out) is out
        np.testing.assert_array_equal(out.array, space)
        back = wrap(np.zeros_like(coefficients))
        assert sphere.forward(out, back) is back
        np.testing.assert_allclose(back.array, coefficients, atol=1e-13)
        potential, density = np.random.default_rng(3).standard_normal(sphere.space_shape), np.zeros(sphere.space_shape)
        applied = wrap(np.zeros_like(coefficients))
        assert sphere.apply(wrap(potential), wrap(coefficients), applied) is applied
        np.testing.assert_allclose(applied.array, sphere.forward(potential * space), atol=1e-13)
        rho = wrap(density)
        assert sphere.density(wrap(coefficients), out=rho) is rho
        np.testing.assert_allclose(density, (abs(space) ** 2).sum(axis=0), atol=1e-13)
        with pytest.raises(weft.Error, match=r"^c is a list; a NumPy array is needed, or one that has DLPack"):
            sphere.backward([1.0])


@pytest.mark.parametrize("engine", ["weft", "serial"])
@pytest.mark.parametrize("wrap", [Foreign, Interface])
def test_pfft_takes_arrays_of_other_libraries(wrap, engine):
    from mpi4py import MPI

    from weft.mpi4py_fft import PFFT

    field = np.random.default_rng(4).standard_normal((4, 6, 5))
    plan = PFFT(MPI.COMM_WORLD, (4, 6, 5), dtype=float, engine=engine)
    out, back = wrap(np.zeros(plan.shape(True), complex)), wrap(np.zeros((4, 6, 5)))
    assert plan.forward(wrap(field), out) is out
    np.testing.assert_allclose(out.array, np.fft.rfftn(field, norm="forward"), atol=1e-14)
    assert plan.backward(out, back) is back
    np.testing.assert_allclose(back.array, field, atol=1e-14)
    strided = wrap(np.zeros((4, 6, 10))[..., ::2])
    plan.backward(out, strided)
    np.testing.assert_allclose(strided.array, field, atol=1e-14)
    plan.destroy()


@pytest.mark.parametrize("wrap", [Foreign, Interface])
def test_arrays_of_other_libraries_are_used_where_they_are(wrap):
    field, spectrum = pair("r2c", (4, 6, 5), 1)
    with make((4, 6, 5), "r2c") as fft:
        out = wrap(np.zeros(fft.output_shape, complex))
        assert fft.forward(wrap(field), out) is out
        assert_close(out.array, spectrum, np.abs(spectrum).max(), "double", (4, 6, 5))
        again = fft.backward(out)
        assert type(again) is np.ndarray
        assert_close(again / fft.scale, field, np.abs(field).max(), "double", (4, 6, 5))
    with make((4, 6, 5), in_place=True) as fft:
        x = field + 1j * field
        assert np.shares_memory(fft.forward(wrap(x)), x)
        assert_close(x, np.fft.fftn(field + 1j * field), np.abs(spectrum).max(), "double", (4, 6, 5))
    layout = weft.Layout.slab((4, 6, 5), 1, 0)
    with weft.Redistribution((4, 6, 5), layout, layout, "float64") as move:
        target = wrap(np.zeros((4, 6, 5)))
        assert move(wrap(field), target) is target
        np.testing.assert_array_equal(target.array, field)
    assert_close(weft.rfftn(wrap(field)), spectrum, np.abs(spectrum).max(), "double", (4, 6, 5))


def test_arrays_of_other_libraries_that_cannot_be_used_are_named():
    x = np.zeros((4, 6, 5), complex)
    with make((4, 6, 5)) as fft:
        np.testing.assert_array_equal(fft.forward(OldForeign(x)), x)
        for message, call in (
            (
                "x is a Foreign on a device .DLPack's number 2.; an array in the memory of the host",
                [Foreign(x, (2, 0))],
            ),
            ("x is a Foreign that NumPy cannot take over", [Foreign(x.astype(">c16"))]),
            ("x has dtype complex64", [Foreign(x.astype("complex64"))]),
            ("x of shape .* C-contiguous", [Foreign(np.zeros((5, 6, 4), complex).T)]),
            ("out overlaps x", [Foreign(x), Foreign(x)]),
            ("out is read-only", [x, OldForeign(x.copy())]),
        ):
            with pytest.raises(weft.Error, match=message):
                fft.forward(*call)
    with pytest.raises(weft.Error, match="x is a Foreign on a device"):
        weft.fftn(Foreign(x, (2, 0)))


def test_bad_outputs_are_named():
    x = np.zeros((4, 6, 5), complex)
    with make((4, 6, 5)) as fft:
        with pytest.raises(weft.Error, match="out has dtype complex64"):
            fft.forward(x, x.astype("complex64"))
        with pytest.raises(weft.Error, match="out has shape"):
            fft.backward(x, np.zeros((4, 6, 4), complex))
        with pytest.raises(weft.Error, match="out overlaps x"):
            fft.forward(x, x)
        with pytest.raises(weft.Error, match="out overlaps y"):
            fft.backward(x, x)
        fixed = x.copy()
        fixed.flags.writeable = False
        with pytest.raises(weft.Error, match="out is read-only"):
            fft.forward(x, fixed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [1, 2])
def test_in_place_uses_one_memory(kind, batch):
    shape = (3, 4, 5)
    field, spectrum = pair(kind, shape, batch)
    with make(shape, kind, batch=batch, in_place=True) as fft:
        x = fft.empty_input()
        x[...] = field
        y = fft.forward(x)
        assert np.shares_memory(x, y)
        assert y.shape == fft.output_shape
        np.testing.assert_allclose(y, spectrum, atol=1e-11)
        z = fft.backward(y)
        assert np.shares_memory(y, z)
        assert z.__array_interface__["data"] == x.__array_interface__["data"]
        np.testing.assert_allclose(x / fft.scale, field, atol=1e-11)
        # Arrays made for the other side are as good.
        y = fft.empty_output()
        y[...] = spectrum
        np.testing.assert_allclose(fft.backward(y) / fft.scale, field, atol=1e-11)


def test_in_place_takes_any_array_that_is_large_enough():
    field, spectrum = pair("c2c", (3, 4, 5), 1)
    with make((3, 4, 5), in_place=True) as fft:
        x = field.copy()
        y = fft.forward(x)
        assert np.shares_memory(x, y)
        np.testing.assert_allclose(x, spectrum, atol=1e-12)
        assert fft.forward(field.copy(), None).shape == (3, 4, 5)
    # The padded real rows, made by hand.
    field, spectrum = pair("r2c", (3, 4, 5), 1)
    padded = np.zeros((3, 4, 6))
    padded[..., :5] = field
    with make((3, 4, 5), "r2c", in_place=True) as fft:
        np.testing.assert_allclose(fft.forward(padded[..., :5]), spectrum, atol=1e-12)


def test_in_place_errors():
    with make((3, 4, 5), "r2c", in_place=True) as fft:
        x = fft.empty_input()
        with pytest.raises(weft.Error, match="out is given, but the plan is in place"):
            fft.forward(x, fft.empty_output())
        with pytest.raises(weft.Error, match="strides"):
            fft.forward(np.zeros((3, 4, 5)))
        with pytest.raises(weft.Error, match="dtype"):
            fft.forward(x.astype("f4"))
        x.flags.writeable = False
        with pytest.raises(weft.Error, match="read-only"):
            fft.forward(x)
    with make((3, 4, 1), "r2c", in_place=True) as fft, pytest.raises(weft.Error, match=r"owns .* bytes; .* needs"):
        # Without a second point in a row the strides say nothing, the size does.
        fft.forward(np.lib.stride_tricks.as_strided(np.zeros(23), (3, 4, 1), (64, 16, 8)))


def test_wave_numbers():
    with make((4, 5, 6)) as fft:
        for axis, (k, n) in enumerate(zip(fft.wavenumbers(), (4, 5, 6))):
            assert k.shape == tuple(n if i == axis else 1 for i in range(3))
            assert k.dtype == np.int64
            np.testing.assert_array_equal(k.ravel(), np.rint(np.fft.fftfreq(n, 1 / n)))
        assert sum(fft.wavenumbers()).shape == fft.output_shape


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_wave_numbers_of_half_spectra(kind, n):
    with make((4, 3, n), kind) as fft:
        k = fft.wavenumbers()
        np.testing.assert_array_equal(k[2].ravel(), np.rint(np.fft.rfftfreq(n, 1 / n)))
        np.testing.assert_array_equal(k[1].ravel(), [0, 1, -1])
        assert sum(k).shape == (fft.output_shape if kind == "r2c" else fft.input_shape)


def test_angular_wave_numbers():
    with make((4, 5, 6), precision="single") as fft:
        by_spacing = fft.wavenumbers((0.5, 1.0, 2.0))
        by_lengths = fft.wavenumbers(lengths=(2.0, 5.0, 12.0))
        for a, b, n, h in zip(by_spacing, by_lengths, (4, 5, 6), (0.5, 1.0, 2.0)):
            assert a.dtype == np.float32
            np.testing.assert_allclose(a.ravel(), 2 * np.pi * np.fft.fftfreq(n, h), rtol=1e-6)
            np.testing.assert_allclose(a, b, rtol=1e-6)
        np.testing.assert_allclose(fft.wavenumbers(2.0)[0], fft.wavenumbers([2.0] * 3)[0])
        for bad in (0, -1.0, (1, 2), "wide", float("nan")):
            with pytest.raises(weft.Error, match="spacing is"):
                fft.wavenumbers(bad)
        with pytest.raises(weft.Error, match="spacing and lengths are both given"):
            fft.wavenumbers(1.0, lengths=2.0)


def test_derivative_by_wave_numbers():
    n = 16
    grid = np.arange(n) * 2 * np.pi / n
    x = np.ascontiguousarray(np.broadcast_to(np.sin(3 * grid)[None, :, None], (n, n, n)))
    with make((n, n, n), "r2c") as fft:
        y = fft.forward(x)
        y *= 1j * fft.wavenumbers(lengths=2 * np.pi)[1]
        found = fft.backward(y) / fft.scale
    np.testing.assert_allclose(found, np.broadcast_to(3 * np.cos(3 * grid)[None, :, None], (n, n, n)), atol=1e-12)


def test_plan_and_explanation():
    with make((4, 4, 4), "r2c") as fft:
        assert fft.plan["kind"] == "r2c"
        assert isinstance(fft.plan, dict)
        assert str(fft.plan) == fft.explain()
        assert repr(fft.plan).startswith("<weft.Plan r2c")
        assert json.loads(json.dumps(fft.plan)) == fft.plan == pickle.loads(pickle.dumps(fft.plan))
        assert fft.explain() == weft.plan((4, 4, 4), kind="r2c", effort="estimate").explain()
        assert "r2c" in repr(fft)


def test_statistics():
    with make((8, 8, 8)) as fft:
        fft.backward(fft.forward(np.ones(fft.input_shape, complex)))
        found = fft.statistics
        assert found.executions == 2
        assert found.compute > 0
        assert found.bytes_read >= 2 * 8**3 * 16
        assert found.bytes_sent == 0
        fft.reset_statistics()
        assert fft.statistics.executions == 0


def test_closed_transforms_say_so():
    fft = make((4, 4, 4))
    fft.close()
    fft.close()
    with pytest.raises(weft.Error, match="closed"):
        fft.forward(np.zeros((4, 4, 4), complex))
    with pytest.raises(weft.Error, match="closed"):
        _ = fft.statistics
    assert fft.shape == (4, 4, 4)
    assert "closed" in repr(fft)


def test_transforms_are_freed_with_their_last_reference():
    gc.disable()
    try:
        fft = make((4, 4, 4))
        fft.forward(fft.empty_input())
        gone = weakref.ref(fft)
        del fft
        assert gone() is None  # no cycle: ranks free their communicators at the same point of the program
    finally:
        gc.enable()


def test_many_transforms_one_after_the_other():
    # More than the communicators that an MPI library has; each must give its own back.
    for _ in range(3000):
        make((2, 2, 2)).close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"comm": 3}, "comm is a int; a communicator of mpi4py"),
        ({"kind": "c2x"}, "kind is 'c2x'"),
        ({"shape": ()}, "shape is"),
        ({"tile": -1}, "tile is '-1'"),
        ({"nonsense": 1}, "option 'nonsense' is unknown"),
        ({"input_box": ((0, 0, 0), (4, 4, 3))}, "input_box"),
        ({"input_box": 5}, "input_box is 5"),
        ({"input_box": (slice(0, 4), slice(0, 4), slice(None))}, r"input_box lo\[2\] is None"),
        ({"input_box": (slice(0, 4), slice(0, 4), slice(0, 4, 2))}, "step"),
        ({"input_box": ((0, 0, 0), (4, 4, 4)), "input_layout": weft.Layout.slab((4, 4, 4), 1)}, "both given"),
        ({"output_layout": weft.Layout.slab((4, 4, 4), 2)}, "output"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(weft.Error, match=message):
        weft.FFT(**{"shape": (4, 4, 4), **arguments})


def test_real_fields_given_to_complex_transforms():
    with weft.FFT((4, 4, 4)) as fft:
        for real in (np.float64, np.float32, np.int32):
            with pytest.raises(weft.Error, match=r'complex128 is needed \(kind="r2c" transforms real fields\)'):
                fft.forward(np.zeros((4, 4, 4), real))
        with pytest.raises(weft.Error, match=r"complex64; complex128 is needed$"):
            fft.forward(np.zeros((4, 4, 4), np.complex64))
    with weft.FFT((4, 4, 4), kind="r2c") as fft, pytest.raises(weft.Error, match=r"complex128 is needed$"):
        fft.backward(np.zeros((4, 4, 3)))


def test_null_communicator():
    from mpi4py import MPI

    with pytest.raises(weft.Error, match="comm is MPI_COMM_NULL"):
        weft.FFT((4, 4, 4), MPI.COMM_NULL)


def test_boxes_as_corners_and_as_slices():
    field, spectrum = pair("r2c", (4, 3, 6), 1)
    with make((4, 3, 6), "r2c", input_box=((0, 0, 0), (4, 3, 6)), output_box=tuple(np.s_[0:4, 0:3, 0:4])) as fft:
        np.testing.assert_allclose(fft.forward(field), spectrum, atol=1e-12)
