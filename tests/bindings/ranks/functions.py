"""weft.fftn and its like against NumPy's, and the plans that they keep."""

from itertools import product

import numpy as np
from checking import COMM, run_checks, same_error
from mpi4py import MPI
from reference import along_axis, line_matrix, line_scale, with_lengths

import weft
from weft import _calls


def parts(planes, seed):
    """How the planes of axis 0 are dealt: evenly, and at random, so that some ranks may have none."""
    even = [planes * rank // COMM.size for rank in range(COMM.size + 1)]
    cuts = np.sort(np.random.default_rng(seed).integers(0, planes + 1, COMM.size - 1))
    return even, [0, *map(int, cuts), planes]


def whole_field(shape, dtype, seed=5):
    rng = np.random.default_rng(seed)
    field = 8 * rng.standard_normal(shape)
    return (field + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else field).astype(dtype)


def close(found, wanted, mine):
    assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
    tolerance = 1e-4 if wanted.dtype.itemsize == (8 if wanted.dtype.kind == "c" else 4) else 1e-12
    np.testing.assert_allclose(found, wanted[mine], rtol=0, atol=tolerance * max(1, np.abs(wanted).max()))


def check_numpys_results():
    for number, (shape, norm) in enumerate(
        product([(6, 5, 4), (5, 7), (2, 3, 1), (3, 4, 2, 5), (2, 3, 1, 2, 4)], [None, "backward", "ortho", "forward"])
    ):
        for cuts in parts(shape[0], number):
            mine = slice(cuts[COMM.rank], cuts[COMM.rank + 1])
            for dtype in ("Dd", "Ff", "ie")[number % 3]:
                field = whole_field(shape, dtype)
                before = field.copy()
                # NumPy computes half precision in double.
                precise = field.astype("f") if dtype == "e" else field
                close(weft.fftn(field[mine], norm=norm), np.fft.fftn(precise, norm=norm), mine)
                close(weft.ifftn(field[mine], norm=norm), np.fft.ifftn(precise, norm=norm), mine)
                np.testing.assert_array_equal(field, before)
                if field.dtype.kind == "c":
                    continue
                half = np.fft.rfftn(precise, norm=norm)
                close(weft.rfftn(field[mine], norm=norm), half, mine)
                close(
                    weft.irfftn(half[mine], shape, norm=norm),
                    np.fft.irfftn(half, shape, tuple(range(len(shape))), norm),
                    mine,
                )
                if shape[-1] > 1:
                    close(weft.irfftn(half[mine], norm=norm), np.fft.irfftn(half, norm=norm), mine)
    weft.clear_plans()


def check_cosines_and_sines():
    for number, (family, type_, norm) in enumerate(
        product(("dct", "dst"), (1, 2, 3, 4), (None, "backward", "ortho", "forward"))
    ):
        shape = [(6, 5, 4), (5, 7), (4, 3, 2)][number % 3]
        there, back = getattr(weft, f"{family}n"), getattr(weft, f"i{family}n")
        field, scale = whole_field(shape, "fd"[number % 2]), 1.0
        wanted = field.astype("d")
        for axis, n in enumerate(shape):
            line = f"{family}{type_}"
            along = line_matrix(line, n, norm == "ortho")
            if norm == "ortho":
                np.testing.assert_allclose(along @ along.T, np.eye(n), atol=1e-12)
            wanted = along_axis(along, wanted, axis)
            scale *= line_scale(line, n)
        if norm == "forward":
            wanted /= scale
        before = field.copy()
        for cuts in parts(shape[0], number):
            mine = slice(cuts[COMM.rank], cuts[COMM.rank + 1])
            found = there(field[mine], type_, norm=norm)
            close(found, wanted.astype(field.dtype), mine)
            close(back(found, type=type_, norm=norm), field, mine)
            np.testing.assert_array_equal(field, before)
    np.testing.assert_allclose(weft.idctn(weft.dctn(np.ones((1, 3)))), 1)
    weft.clear_plans()


def check_some_axes():
    shape = (6, 5, 4, 3)
    field, real = whole_field(shape, "D"), whole_field(shape, "d")
    for number, axes in enumerate(((0,), (3,), (1, 2), (0, 2), (-1, 0), (2, 1, 3), (3, 2, 1, 0), 1)):
        each = np.atleast_1d(axes)
        for cuts in parts(shape[0], number):
            mine = slice(cuts[COMM.rank], cuts[COMM.rank + 1])
            norm = (None, "ortho", "forward")[number % 3]
            close(weft.fftn(field[mine], axes=axes, norm=norm), np.fft.fftn(field, axes=each, norm=norm), mine)
            close(weft.ifftn(field[mine], axes=axes, norm=norm), np.fft.ifftn(field, axes=each, norm=norm), mine)
            halved = (*(axis for axis in each if axis % 4 != 3), 3)
            half = np.fft.rfftn(real, axes=halved, norm=norm)
            close(weft.rfftn(real[mine], axes=halved, norm=norm), half, mine)
            close(weft.irfftn(half[mine], [shape[axis] for axis in halved], axes=halved, norm=norm), real, mine)
            if each[-1] % 4 != 0:
                half = np.fft.rfftn(real, axes=each, norm=norm)
                close(weft.rfftn(real[mine], axes=axes, norm=norm), half, mine)
                close(weft.irfftn(half[mine], [shape[axis] for axis in each], axes=axes, norm=norm), real, mine)
            wanted = real
            for axis in each:
                along = line_matrix("dct2", shape[axis], True)
                wanted = along_axis(along, wanted, axis)
            found = weft.dctn(real[mine], axes=axes, norm="ortho")
            close(found, wanted, mine)
            close(weft.idctn(found, axes=axes, norm="ortho"), real, mine)
    weft.clear_plans()


def check_cut_and_filled_up():
    """Axes of other lengths, of all planes as well: the last rank has those that are added."""
    for number, (shape, axes, s) in enumerate(
        [
            ((6, 5, 4), None, (4, 6, 3)),
            ((6, 5, 4), None, (9, 4, 8)),
            ((6, 5, 4), None, (2, 7)),
            ((6, 5, 4), (2, 0), (5, 3)),
            ((5, 7), (0,), (12,)),
            ((4, 3, 2, 5), (0, 1, 3), (-1, 5, 6)),
        ]
    ):
        field = whole_field(shape, "D")
        last = axes is None or axes[-1] == len(shape) - 1
        chosen = tuple(range(len(shape) - len(s), len(shape))) if axes is None else axes
        lengths = tuple(shape[axis] if n < 0 else n for axis, n in zip(chosen, s))
        for cuts in parts(shape[0], number):
            given = field[cuts[COMM.rank] : cuts[COMM.rank + 1]]
            planes = dict(zip(chosen, lengths)).get(0, shape[0])
            ends = [min(cut, planes) for cut in cuts[:-1]] + [planes]
            mine = slice(ends[COMM.rank], ends[COMM.rank + 1])
            close(weft.fftn(given, s, axes=axes), np.fft.fftn(field, lengths, chosen), mine)
            close(weft.ifftn(given, s=s, axes=axes, workers=1), np.fft.ifftn(field, lengths, chosen), mine)
            if last:
                close(weft.rfftn(given.real, s, axes=axes), np.fft.rfftn(field.real, lengths, chosen), mine)
                close(weft.irfftn(given, s, axes=axes), np.fft.irfftn(field, lengths, chosen), mine)
            wanted = with_lengths(field.real, chosen, lengths)
            for axis, n in zip(chosen, lengths):
                wanted = along_axis(line_matrix("dst2", n), wanted, axis)
            close(weft.dstn(given.real, 2, s, axes=axes, workers=-1), wanted, mine)
    weft.clear_plans()


def check_the_axis_of_the_planes_is_halved():
    """What comes out has other planes, dealt evenly."""

    def evenly(whole):
        least, more = divmod(len(whole), COMM.size)
        first = COMM.rank * least + min(COMM.rank, more)
        return slice(first, first + least + (COMM.rank < more))

    for number, (shape, axes, s) in enumerate(
        [
            ((6, 5, 4), (2, 0), None),
            ((7, 5, 4), (0,), None),
            ((6, 4), (1, 0), None),
            ((5, 4, 3), (2, 1, 0), (4, 3, 8)),
            ((9, 2, 3), (1, 0), (5, 4)),
        ]
    ):
        field = whole_field(shape, "d")
        half = np.fft.rfftn(field, s=s, axes=axes)
        for cuts in parts(shape[0], number):
            mine = slice(cuts[COMM.rank], cuts[COMM.rank + 1])
            close(weft.rfftn(field[mine], s, axes=axes), half, evenly(half))
        lengths = [shape[axis] for axis in axes] if s is None else s
        back = np.fft.irfftn(half, lengths, axes)
        for cuts in parts(len(half), number):
            mine = slice(cuts[COMM.rank], cuts[COMM.rank + 1])
            close(weft.irfftn(half[mine], lengths, axes=axes), back, evenly(back))
    weft.clear_plans()


def check_plans_are_kept():
    plans = _calls.plans_of(None).kept
    field = whole_field((COMM.size, 3, 4), "d")[COMM.rank : COMM.rank + 1]
    weft.rfftn(field)
    (first,) = plans.values()
    weft.irfftn(weft.rfftn(field[::-1, ::-1]))
    assert list(plans.values()) == [first]
    spectrum = weft.fftn(field, strategy="pairwise", threads=1)
    weft.ifftn(spectrum, strategy="pairwise", threads=1)
    assert len(plans) == 2
    assert list(plans.values())[1].plan["options"]["strategy"] == "pairwise"
    for n in range(1, _calls.MOST_PLANS):
        weft.fftn(np.ones((1, n, 1)))
        weft.rfftn(field)
    assert len(plans) == _calls.MOST_PLANS
    assert first in plans.values()  # used all the time
    weft.clear_plans()
    assert not plans
    np.testing.assert_allclose(weft.irfftn(weft.rfftn(field), s=(COMM.size, 3, 4)), field, atol=1e-12)


def check_communicators():
    half = COMM.Split(COMM.rank % 2, COMM.rank)
    field = whole_field((2 * half.size, 4, 3), "D", seed=COMM.rank % 2)
    mine = slice(2 * half.rank, 2 * half.rank + 2)
    close(weft.fftn(field[mine], comm=half), np.fft.fftn(field), mine)
    copy = half.Dup()
    close(weft.ifftn(field[mine], comm=copy), np.fft.ifftn(field), mine)
    count = len(_calls._plans)
    half.Free()
    assert len(_calls._plans) == count - 1  # its plans went with it
    copy.Free()
    again = COMM.Dup()  # may get the number of the one that was freed
    wave = np.ones((1, 2, 2))
    close(weft.fftn(wave, comm=again), np.fft.fftn(np.ones((COMM.size, 2, 2))), slice(COMM.rank, COMM.rank + 1))
    again.Free()


def check_views_and_empty_parts():
    # Neither contiguous nor of a type that is computed in, and all of it on the last rank.
    field = whole_field((4, 8, 6), "i")[:, ::2, ::-1]
    mine = slice(0, 4) if COMM.rank == COMM.size - 1 else slice(0, 0)
    close(weft.fftn(field[mine].tolist() if COMM.size == 1 else field[mine]), np.fft.fftn(field), mine)


def check_errors():
    last = COMM.rank == COMM.size - 1
    x = np.ones((1, 4, 6))
    rank = rf" \(rank {COMM.size - 1}\)$" if COMM.size > 1 else "$"
    for pattern, call in (
        (
            rf"^norm is 'best'; allowed are 'backward', 'ortho', 'forward'{rank}",
            lambda: weft.fftn(x, norm="best" if last else None),
        ),
        (
            rf"^x has dtype complex128; real numbers are needed \(fftn takes complex ones\){rank}",
            lambda: weft.rfftn(x + 1j * last if last else x),
        ),
        (rf"^x has shape \(6,\); two to 8 axes are needed{rank}", lambda: weft.fftn(x[0, 0] if last else x)),
        (
            rf"^x has shape \(1, 0, 6\); only axis 0 may be empty on a rank{rank}",
            lambda: weft.fftn(x[:, :0] if last else x),
        ),
        (r"^x has dtype <U1; numbers are needed", lambda: weft.fftn(np.array([["a"]]))),
        (r"^s is 7; a sequence is needed", lambda: weft.irfftn(x, 7)),
        (r"^s is \(1, 2, 3, 4\); one to 3 integers", lambda: weft.fftn(x, (1, 2, 3, 4))),
        (
            r"^s is \(1, 2\); 1 integers are needed, one for each of axes=\(0,\)",
            lambda: weft.fftn(x, (1, 2), axes=(0,)),
        ),
        (
            rf"^s is \(4, 0\); numbers from 1 on are needed, or -1, which leaves an axis as it is{rank}",
            lambda: weft.fftn(x, (4, 0) if last else (4, 6)),
        ),
        (r"^s\[0\] is 1.5; an integer is needed", lambda: weft.dctn(x, 2, (1.5,))),
        (r"^x has shape \(1, 4, 1\); s must say", lambda: weft.irfftn(x[..., :1])),
        (r"^workers is 0; it must be at least 1, or from", lambda: weft.fftn(x, workers=0)),
        (r"^workers is 1 and threads is 2; one of them", lambda: weft.fftn(x, workers=1, threads=2)),
        (r"^x has no planes of axis 0 on any rank", lambda: weft.fftn(x[:0])),
        (r"^option in_place is True; fftn makes a new array", lambda: weft.fftn(x, in_place=True)),
        (r"^option 'stratgy' is unknown; did you mean 'strategy'", lambda: weft.fftn(x, stratgy="rma")),
        (r"^strategy is 'best'; allowed are", lambda: weft.fftn(x, strategy="best")),
        (r"^fftn takes no shape; s=", lambda: weft.fftn(x, shape=(1, 4, 6))),
        (r"^fftn takes no axis; axes=", lambda: weft.fftn(x, axis=1)),
        (r"^axes is \(1, 3\); integers from -3 to 2", lambda: weft.fftn(x, axes=(1, 3))),
        (r"^axes is \(1, -2\); each axis .* once", lambda: weft.fftn(x, axes=(1, -2))),
        (
            r"^axes is \(2, 0\); the last one is halved, which cannot be 0 where x has more than three axes",
            lambda: weft.rfftn(np.ones((2, 3, 4, 5)), axes=(2, 0)),
        ),
        (r"^axes is \(\); .* one at least", lambda: weft.dctn(x, axes=())),
        (
            r"^rfftn takes no normalization; norm=",
            lambda: weft.rfftn(x, **({"normalization": "ortho"} if last else {})),
        ),
        (r"^irfftn takes no input_box; weft.FFT takes it", lambda: weft.irfftn(x, input_box=None)),
        (rf"^type is 5; allowed are 1, 2, 3, 4{rank}", lambda: weft.dctn(x, 5 if last else 2)),
        (r"^x has dtype complex128; real numbers are needed", lambda: weft.idstn(x + 1j)),
        (r"^dct1 takes at least 2 points|at least 2", lambda: weft.dctn(x[..., :1], 1)),
        (r"^option 'nrm' is unknown; did you mean 'norm'", lambda: weft.fftn(x, nrm="ortho")),
    ):
        same_error(pattern, call)
    if COMM.size > 1:
        same_error(
            r"^rank 0 calls fftn of double precision, axes after the first \(4, 6\), norm=backward, rank 1 .*\(6, 4\)",
            lambda: weft.fftn(x.reshape(1, 6, 4) if COMM.rank else x),
        )
        same_error(r"^rank 0 calls dctn.*dct2, rank 1 .*dct3", lambda: weft.dctn(x, 3 if COMM.rank else 2))
        same_error(r"^rank 0 calls rfftn.*rank 1 fftn", lambda: (weft.fftn if COMM.rank else weft.rfftn)(x))
    same_error(
        "^comm is MPI.COMM_NULL; an intracommunicator of mpi4py is needed", lambda: weft.fftn(x, comm=MPI.COMM_NULL)
    )


run_checks(globals())
