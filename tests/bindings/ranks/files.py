"""Fields in HDF5 files. Without h5py nothing is checked; with an h5py that has MPI its way is taken, else that through rank 0."""

import os
import sys
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from checking import COMM, run_checks, same_error

import weft
from weft import _files

_files._PIECE_BYTES = 300  # so that arrays go in several pieces

try:
    import h5py
except ImportError:
    h5py = None

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else gettempdir())
SHAPE = (5, 4, 6)


def stored(path, name="field"):
    """The whole dataset, when all ranks have written it."""
    COMM.Barrier()
    with h5py.File(path) as file:
        found, attributes = file[name][...], dict(file[name].attrs)
    COMM.Barrier()
    return found, attributes


def check_round_trip():
    path = FOLDER / "fields.h5"
    for number, options in enumerate(
        (
            {},
            {"transposed": True, "output_order": (2, 0, 1)},
            {"batch": 2, "padded_rows": True},
            {"batch": 2, "interleaved": True},
            {"in_place": True},
        )
    ):
        with weft.FFT(SHAPE, kind="r2c", **options) as fft:
            x = fft.empty_input()
            fields = np.random.default_rng(number).standard_normal((2, *SHAPE))
            grid = fields[(slice(None), *fft.input_slice)]
            if fft.batch == 1:
                fields, x[...] = fields[0], grid[0]
            elif options.get("interleaved"):
                fields, x[...] = np.moveaxis(fields, 0, -1), np.moveaxis(grid, 0, -1)
            else:
                x[...] = grid
            fft.write_input(path, x, attributes={"time": 0.5, "spacing": [1.0, 2.0, 3.0]})
            found, attributes = stored(path)
            np.testing.assert_array_equal(found, fields)
            assert attributes["time"] == 0.5
            again = fft.read_input(path)
            assert again.strides == x.strides
            np.testing.assert_array_equal(again, x)
            y = fft.forward(x)
            fft.write_output(path, y, "a/spectrum", mode="a")
            found, _ = stored(path, "a/spectrum")
            axes = (0, 1, 2) if options.get("interleaved") else (-3, -2, -1)
            np.testing.assert_allclose(found, np.fft.rfftn(fields, axes=axes), atol=1e-12)
            np.testing.assert_array_equal(stored(path)[0], fields)
            out = fft.empty_output()
            assert fft.read_output(path, "a/spectrum", out) is out
            np.testing.assert_array_equal(out, y)


def check_other_layouts_and_types():
    # What one transform writes another reads, on planes that some ranks have none of; and an operator has fields, too.
    path = FOLDER / "layouts.h5"
    with weft.FFT((2, 4, 6), precision="single") as fft:
        x = fft.empty_input()
        x[...] = np.arange(48).reshape(2, 4, 6)[fft.input_slice]
        fft.write_input(path, x)
    operator = weft.Operator((2, 4, 6), "laplacian")
    found = operator.read_input(path)
    np.testing.assert_array_equal(found, np.arange(48).reshape(2, 4, 6)[tuple(map(slice, *operator.input_box))])
    operator.write_output(path, operator(found), "laplacian", mode="a")
    assert stored(path, "laplacian")[0].shape == (2, 4, 6)
    operator.close()
    with weft.FFT((4, 6)) as fft:
        fft.write_input(path, np.ones(fft.input_shape, complex))
        np.testing.assert_array_equal(stored(path)[0], np.ones((4, 6)))


def check_errors():
    path, pipe = FOLDER / "errors.h5", FOLDER / "pipe.h5"
    if COMM.rank == 0 and not pipe.exists():
        os.mkfifo(pipe)
    COMM.Barrier()
    with weft.FFT(SHAPE) as fft:
        x = np.ones(fft.input_shape, complex)
        fft.write_input(path, x)
        last = COMM.rank == COMM.size - 1
        for pattern, call in (
            (r"^mode is 'r'; 'w' or 'a' is needed", lambda: fft.write_input(path, x, mode="r")),
            (r"^name is ''; the name of a dataset is needed", lambda: fft.write_input(path, x, "")),
            (r"^path is 3.5; the path of a file is needed", lambda: fft.write_input(3.5, x)),
            (r"^the array has dtype float64; complex128", lambda: fft.write_input(path, x.real.copy() if last else x)),
            (r"^cannot write '.*nowhere.a.h5': ", lambda: fft.write_input(FOLDER / "nowhere" / "a.h5", x)),
            (r"^cannot write '.*errors.h5': ", lambda: fft.write_input(path, x, attributes={"a": object()})),
            (r"^cannot read '.*none.h5': No such file", lambda: fft.read_input(FOLDER / "none.h5")),
            (r"^cannot read '.*pipe.h5': it is no regular file", lambda: fft.read_input(pipe)),
            (r"^cannot read '.*pipe.h5': it is no regular file", lambda: fft.write_input(pipe, x)),
            (
                r"^cannot write 'True': that is no name of a file; a file of that name is './True'",
                lambda: fft.write_input("True", x),
            ),
            (r"^'.*errors.h5' has no dataset 'fields'; it has field", lambda: fft.read_input(path, "fields")),
            (r"^out is read-only", lambda: fft.read_input(path, out=np.broadcast_to(1j, fft.input_shape))),
        ):
            same_error(pattern, call)
        np.testing.assert_array_equal(stored(path)[0], np.ones(SHAPE))  # as it was
        assert not [name for name in os.listdir(FOLDER) if name.endswith(".tmp")]
        if COMM.size > 1:
            same_error("name", lambda: fft.write_input(path, x, f"rank{COMM.rank}"))
    with weft.FFT((5, 4, 7)) as fft:
        same_error(r"has shape \(5, 4, 6\); \(5, 4, 7\) is needed", lambda: fft.read_input(path))
    with weft.FFT(SHAPE, kind="r2c") as fft:
        same_error(r"has dtype complex128; float64 is needed", lambda: fft.read_input(path))


run_checks(globals() if h5py else {})
