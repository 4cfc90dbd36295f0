"""Arrays of xarray in and out of transforms: against NumPy on the whole grid. Without xarray nothing is checked."""

from itertools import product

import numpy as np
from checking import COMM, run_checks, same_error

import weft

try:
    import xarray as xr
except ImportError:
    xr = None

SHAPE, LENGTHS, ORIGIN = (6, 5, 8), (2.0, 3.0, 1.0), (-1.0, 0.5, 7.0)


def whole_field(**more):
    """A field on the whole grid. Its coordinates are not what origin + i * spacing would be, to the last bit."""
    axes = [o + np.linspace(0, length, n, endpoint=False) for o, length, n in zip(ORIGIN, LENGTHS, SHAPE)]
    values = np.random.default_rng(3).standard_normal(SHAPE)
    coordinates = {
        "x": ("x", axes[0], {"units": "m"}),
        "y": axes[1],
        "z": axes[2],
        "time": 3.5,
        "name": ("x", list("abcdef")),
    }
    return xr.DataArray(values, coordinates, ("x", "y", "z"), "u", {"units": "m/s"})


def waves(axis, halved=False):
    """Of the whole axis."""
    n = SHAPE[axis]
    return (np.fft.rfftfreq if halved else np.fft.fftfreq)(n, 1 / n) * (2 * np.pi / LENGTHS[axis])


def check_round_trip():
    field = whole_field()
    for kind, transposed, order in product(("c2c", "r2c"), (False, True), (None, (2, 0, 1))):
        options = {"kind": kind, "transposed": transposed, "output_order": order, "normalization": "backward"}
        with weft.FFT(SHAPE, **options) as fft:
            mine = field[fft.input_slice].astype(fft.input_dtype)
            spectrum = fft.forward(mine)
            order = order or (0, 1, 2)
            assert spectrum.dims == tuple(("k_x", "k_y", "k_z")[axis] for axis in order)
            whole = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(field.values)
            np.testing.assert_allclose(spectrum.values, whole[fft.output_slice].transpose(order), atol=1e-12)
            for axis, dim in enumerate(("k_x", "k_y", "k_z")):
                wanted = waves(axis, kind == "r2c" and axis == 2)[fft.output_slice[axis]]
                np.testing.assert_allclose(spectrum[dim], wanted, rtol=1e-12, atol=1e-12)
            assert spectrum.name == "u"
            assert spectrum.attrs == {"units": "m/s"}
            assert float(spectrum.time) == 3.5
            assert "name" not in spectrum.coords
            assert spectrum.k_x.attrs["units"] == "rad/m"
            # xarray compares coordinates bit by bit; a computation keeps what is needed for the way back.
            back = fft.backward(2 * spectrum)
            difference = back - 2 * mine.drop_vars("name")
            assert difference.shape == mine.shape
            assert np.abs(difference.values).max(initial=0) < 1e-12
            assert back.x.attrs == {"units": "m"}
            # Without what was kept there are still lengths.
            bare = xr.DataArray(spectrum.values, {dim: spectrum[dim].values for dim in spectrum.dims}, spectrum.dims)
            back = fft.backward(bare)
            for axis, dim in enumerate("xyz"):
                np.testing.assert_allclose(back[dim], mine[dim] - ORIGIN[axis], atol=1e-12)


def check_labels_are_made():
    with weft.FFT(SHAPE, kind="r2c", batch=2, interleaved=True, normalization="backward") as fft:
        field = fft.labelled(dims=("a", "b", "c"), spacing=0.25, origin=(1, 2, 3))
        assert field.dims == ("a", "b", "c", "batch")
        assert field.dtype == np.float64
        assert not field.values.any()
        np.testing.assert_array_equal(field.a, 1 + 0.25 * np.arange(SHAPE[0])[fft.input_slice[0]])
        field = field.rename(batch="component").assign_coords(component=["u", "v"])
        field += np.random.default_rng(COMM.rank).standard_normal(field.shape)
        spectrum = fft.forward(field)
        assert spectrum.dims == ("k_a", "k_b", "k_c", "component")
        assert list(spectrum.component.values) == ["u", "v"]
        for found, k in zip((spectrum.k_a, spectrum.k_b, spectrum.k_c), fft.wavenumbers(spacing=0.25)):
            np.testing.assert_allclose(found, k.ravel(), rtol=1e-14)
        xr.testing.assert_allclose(fft.backward(spectrum), field)
        made = fft.labelled(spectrum.values, ("a", "b", "c"), spacing=0.25, origin=(1, 2, 3), spectrum=True)
        xr.testing.assert_identical(
            made.drop_vars(["k_a", "k_b", "k_c"]), spectrum.drop_vars(spectrum.coords).rename(component="batch")
        )
        xr.testing.assert_identical(fft.backward(made).a, field.a)


def check_without_coordinates():
    with weft.FFT(SHAPE[:2], kind="r2c") as fft:
        field = fft.labelled(np.ones(fft.input_shape))
        assert not field.coords
        spectrum = fft.forward(field)
        for dim, k in zip(("k_x", "k_y"), fft.wavenumbers()):
            np.testing.assert_array_equal(spectrum[dim], k.ravel())
            assert spectrum[dim].dtype == np.int64
        back = fft.backward(spectrum)
        assert back.dims == ("x", "y")
        assert not back.coords


def check_other_kinds():
    # c2r begins with the spectrum; fewer modes than points; one array for both ends; one point along an axis.
    with weft.FFT(SHAPE, kind="c2r", normalization="backward") as fft:
        spectrum = fft.labelled(lengths=LENGTHS, origin=ORIGIN, spectrum=True)
        field = fft.forward(spectrum)
        assert field.dims == ("x", "y", "z")
        np.testing.assert_allclose(field.z, ORIGIN[2] + np.arange(8)[fft.output_slice[2]] / 8)
        xr.testing.assert_identical(fft.backward(field).k_z.drop_attrs(), spectrum.k_z.drop_attrs())
    with weft.FFT((6, 1, 8), kind="r2c", modes=(4, 1, 1), in_place=True, normalization="forward") as fft:
        field = fft.labelled(lengths=(2, 3, 1), origin=(0, 5, 0))
        kept = field.values
        kept[...] = 1
        spectrum = fft.forward(field)
        assert np.may_share_memory(spectrum.values, kept) or not kept.size
        wanted = np.array([0, 1, -2, -1])[fft.output_slice[0]] * np.pi
        np.testing.assert_allclose(spectrum.k_x, wanted)
        back = fft.backward(spectrum)
        for dim, places in zip("xyz", ([0, 1 / 3, 2 / 3, 1, 4 / 3, 5 / 3], [5], np.arange(8) / 8)):
            np.testing.assert_allclose(back[dim], np.array(places)[fft.input_slice["xyz".index(dim)]])
        np.testing.assert_allclose(back.values, 1)


def check_functions():
    field = whole_field()
    # All of it on the last rank, and on others nothing.
    for cuts in (np.arange(COMM.size + 1) * 6 // COMM.size, [0] * COMM.size + [6]):
        mine = field[cuts[COMM.rank] : cuts[COMM.rank + 1]]
        spectrum = weft.rfftn(mine)
        np.testing.assert_allclose(
            spectrum.values, np.fft.rfftn(field.values)[cuts[COMM.rank] : cuts[COMM.rank + 1]], atol=1e-12
        )
        np.testing.assert_allclose(spectrum.k_x, waves(0)[cuts[COMM.rank] : cuts[COMM.rank + 1]], rtol=1e-12)
        np.testing.assert_allclose(spectrum.k_z, waves(2, True), rtol=1e-12)
        back = weft.irfftn(spectrum)
        xr.testing.assert_allclose(back, mine.drop_vars("name"))
        assert back.indexes["x"].equals(mine.indexes["x"])
        xr.testing.assert_allclose(weft.ifftn(weft.fftn(mine)).real, mine.drop_vars("name"))
    same_error(r"^x has the dimension 'k_x'; the names of a field in space do not begin", lambda: weft.fftn(spectrum))
    if COMM.size > 1:
        plain = np.ones((1, 5, 8))
        labelled = xr.DataArray(plain, dims=("x", "y", "z"))
        same_error(
            r"^x is an array of xarray on rank 0, and not on rank 1",
            lambda: weft.fftn(plain if COMM.rank else labelled),
        )
    weft.clear_plans()


def check_errors():
    last = COMM.rank == COMM.size - 1
    rank = rf" \(rank {COMM.size - 1}\)$" if COMM.size > 1 else "$"
    with weft.FFT(SHAPE) as fft:
        good = whole_field().drop_vars("name").astype(complex)[fft.input_slice]
        spectrum = fft.forward(good)
        uneven = good.z.values.copy()
        uneven[2] += 0.01
        for pattern, call in (
            (
                rf"^x has shape \(\d, 5, 7\); \(\d, 5, 8\) is needed: this rank's part{rank}",
                lambda: fft.forward(good[..., 1:] if last else good),
            ),
            (
                rf"^the coordinate 'z' of x is \[7, 7.125, 7.26, 7.375, ...\]; evenly spaced numbers.*{rank}",
                lambda: fft.forward(good.assign_coords(z=uneven) if last else good),
            ),
            (
                r"^the coordinate 'z' of x goes on by -0.125 from point",
                lambda: fft.forward(good.assign_coords(z=good.z.values[::-1])),
            ),
            (
                rf"^the coordinate 'y' of x has dtype <U1; numbers are needed{rank}",
                lambda: fft.forward(good.assign_coords(y=list("abcde")) if last else good),
            ),
            (r"^y has the dimension 'x'; the names of a spectrum begin with 'k_'", lambda: fft.backward(good)),
            (r"^x has the dimension 'k_x'; the names of a field in space", lambda: fft.forward(spectrum)),
            (
                r"^the coordinate 'k_z' of y is .* at the wave number 0, where 0 is needed",
                lambda: fft.backward(spectrum.assign_coords(k_z=spectrum.k_z.values + 9)),
            ),
            (
                r"^the coordinate 'k_z' of y is \[.*\]; evenly spaced numbers are needed, for \[0, 1, 2, 3, ...\]",
                lambda: fft.backward(spectrum.assign_coords(k_z=np.fft.fftshift(spectrum.k_z.values))),
            ),
            (
                r"^the coordinate 'k_z' of y is \[1, 2, 3, 4, ...\]; the wave numbers \[0, 1,",
                lambda: fft.backward(spectrum.assign_coords(k_z=np.arange(1, 9))),
            ),
            (r"^x has dtype float64; complex128 is needed", lambda: fft.forward(good.real)),
            (r"^dims is 'xyz'; 3 different names are needed", lambda: fft.labelled(dims="xyz")),
        ):
            same_error(pattern, call)
        if COMM.size > 1:
            moved = good.assign_coords(x=good.x.values + (0.1 if last else 0))
            same_error(
                r"^the coordinate 'x' of x is .* points must be evenly spaced over all ranks",
                lambda: fft.forward(moved),
            )
            same_error(
                rf"^x is an array of xarray on rank {COMM.size - 1}, and not on rank 0",
                lambda: fft.forward(good if last else good.values),
            )
            same_error(
                r"^axis 1 of x is 'y' on rank 0 and 'q' on rank",
                lambda: fft.forward(good.rename(y="q") if last else good),
            )
            same_error(
                r"^the coordinate 'y' of x is on rank 0, and on other ranks not",
                lambda: fft.forward(good.drop_vars("y") if last else good),
            )
            # An error of another kind on another rank; a rank's own array does not matter then.
            same_error(
                r"^x has dtype float64; complex128 is needed", lambda: fft.forward(good if last else good.values.real)
            )
        assert np.abs((fft.backward(fft.forward(good)) / fft.scale - good).values).max(initial=0) < 1e-12


run_checks(globals() if xr else {})
