"""Transforms of spheres against NumPy's transforms of the full box."""

import numpy as np
from checking import COMM, moving_cores, run_checks, same_bits, same_error

import weft

LATTICE = np.array([[7.0, 0, 0], [0, 6.0, 0], [1.0, 0, 8.0]])
ECUT = 4.0


def spheres(gamma=False, **options):
    grid = weft.sphere_grid(LATTICE, ECUT)
    mine = weft.cutoff_sphere(grid, LATTICE, ECUT, gamma=gamma, ranks=COMM.size, rank=COMM.rank)
    return weft.SphereFFT(grid, mine, COMM, gamma=gamma, **options), mine


def coefficients(mine, bands, gamma, dtype=np.complex128):
    """Numbers that depend on the wave and the band only."""
    phase = mine @ np.array([0.3, 1.1, 2.3])
    c = np.stack([np.exp(1j * (band + 1) * phase) * (1 + band) for band in range(bands)])
    if gamma:
        c[:, (mine == 0).all(axis=1)] = 0.5
    return c.astype(dtype)


def in_space(grid, c, mine, gamma):
    """The whole field of each band, by NumPy."""
    nx, ny, nz = grid
    everywhere = np.concatenate(COMM.allgather(mine))
    values = np.concatenate(COMM.allgather(c), axis=1)
    box = np.zeros((len(c), nz, ny, nx), complex)
    x, y, z = everywhere.T
    box[:, z % nz, y % ny, x % nx] = values
    if gamma:
        box[:, -z % nz, -y % ny, -x % nx] = values.conj()
    return np.fft.ifftn(box, axes=(1, 2, 3), norm="forward")


def check_against_numpy():
    for gamma in (False, True):
        for precision, dtype, tolerance in (("double", "complex128", 1e-11), ("single", "complex64", 2e-3)):
            sphere, mine = spheres(gamma, precision=precision, howmany=2, normalization="forward")
            with sphere:
                c = coefficients(mine, 3, gamma, dtype)
                whole = in_space(sphere.grid, c, mine, gamma)
                lo, hi = sphere.space_box
                expected = whole[:, lo[0] : hi[0]]
                psi = sphere.backward(c)
                assert psi.shape == (3, *sphere.space_shape)
                assert psi.dtype.kind == ("f" if gamma else "c")
                np.testing.assert_allclose(psi, expected, atol=tolerance)
                np.testing.assert_allclose(sphere.forward(psi), c, atol=tolerance)
                np.testing.assert_allclose(sphere.backward(c[1]), expected[1], atol=tolerance)
                v = np.random.default_rng(lo[0]).random(sphere.space_shape).astype(c.real.dtype)
                applied = sphere.apply(v, c)
                np.testing.assert_allclose(applied, sphere.forward(v * psi), atol=tolerance)
                turned = (v * (1 - 2j)).astype(dtype)
                if gamma:
                    same_error(
                        f"v is {dtype} of shape .*; a C-contiguous", lambda f=sphere, v=turned, c=c: f.apply(v, c)
                    )
                else:
                    np.testing.assert_allclose(sphere.apply(turned, c), sphere.forward(turned * psi), atol=tolerance)
                again = c.copy()
                assert sphere.apply(v, again, out=again) is again
                np.testing.assert_array_equal(again, applied)
                assert sphere.apply(v, c, out=again, accumulate=True) is again
                np.testing.assert_allclose(again, 2 * applied, atol=tolerance)
                sphere.forward(psi, out=again, accumulate=True)
                np.testing.assert_allclose(again, 2 * applied + c, atol=tolerance)
                rho = sphere.density(c, [1, 0.5, 2])
                wanted = np.einsum("b,bzyx->zyx", [1, 0.5, 2], abs(expected) ** 2)
                np.testing.assert_allclose(rho, wanted, rtol=1e-3 if precision == "single" else 1e-11)
                np.testing.assert_allclose(sphere.density(c, out=rho), wanted + sphere.density(c), rtol=1e-3)


def check_bits_are_the_same_where_cores_are_moved():
    for gamma in (False, True):
        with moving_cores():
            sphere, mine = spheres(gamma, howmany=2, normalization="forward")
        with sphere:
            c = coefficients(mine, 3, gamma)
            v = np.random.default_rng(COMM.rank).random(sphere.space_shape)
            same_bits(lambda s=sphere, c=c: s.backward(c), lambda s=sphere, v=v, c=c: s.apply(v, c))
            psi = sphere.backward(c)
            same_bits(lambda s=sphere, psi=psi: s.forward(psi), lambda s=sphere, c=c: s.density(c))


def check_bands_may_be_apart():
    sphere, mine = spheres()
    c = coefficients(mine, 4, False)
    wide = np.full((4, len(mine) + 3), 9j)
    wide[:, : len(mine)] = c
    psi = sphere.backward(wide[:, : len(mine)])
    np.testing.assert_allclose(psi, sphere.backward(c))
    np.testing.assert_allclose(sphere.backward(c[::2]), psi[::2])
    v = np.ones(sphere.space_shape)
    np.testing.assert_allclose(sphere.apply(v, wide[:, : len(mine)]), sphere.apply(v, c))
    # On one rank only, and not where the memory has no room for the bands.
    given = wide[:, : len(mine)] if COMM.rank == 0 else c
    applied = sphere.apply(v, given)
    assert applied.flags.c_contiguous
    np.testing.assert_allclose(applied, sphere.apply(v, c))
    for bands in (np.broadcast_to(c[0], c.shape), np.lib.stride_tricks.as_strided(c, c.shape, (16, 16)), c[::-1]):
        given = bands if COMM.rank == 0 else c
        wrong = r"^{} of shape .* has strides .*; each band must be C-contiguous and apart"
        same_error(wrong.format("c"), lambda given=given: sphere.backward(given))
        same_error(wrong.format("c"), lambda given=given: sphere.density(given))
        same_error(wrong.format("c"), lambda given=given: sphere.apply(v, given))
        target = np.lib.stride_tricks.as_strided(c.copy(), given.shape, given.strides) if COMM.rank == 0 else c.copy()
        same_error(wrong.format("out"), lambda target=target: sphere.forward(psi, target))
    flat = np.broadcast_to(psi[0], psi.shape) if COMM.rank == 0 else psi
    same_error(wrong.format("psi"), lambda: sphere.forward(flat))
    lines = np.broadcast_to(psi[0, :, :, :1], psi.shape) if COMM.rank == 0 else psi
    same_error(wrong.format("psi"), lambda: sphere.forward(lines))


def check_other_results():
    for gamma in (False, True):
        sphere, mine = spheres(gamma, normalization="forward")
        nz = sphere.grid[2]
        beyond = np.array(sorted({(x, y, nz // 2) for x, y, _ in mine}), np.int64).reshape(-1, 3)
        results = np.concatenate([mine[::2][::-1], beyond])
        two, _ = spheres(gamma, normalization="forward", results=results, howmany=2)
        assert (two.waves, two.results) == (len(mine), len(results)) == (two.plan.waves, two.plan.results)
        c = coefficients(mine, 3, gamma)
        psi = two.backward(c)
        np.testing.assert_allclose(psi, sphere.backward(c), atol=1e-12)
        wanted = np.concatenate([c[:, ::2][:, ::-1], np.zeros((3, len(beyond)))], axis=1)
        np.testing.assert_allclose(two.forward(psi), wanted, atol=1e-12)
        v = np.random.default_rng(COMM.rank).random(two.space_shape)
        # Bands of both apart by numbers of their own.
        wide = np.zeros((3, len(results) + 5), complex)
        out = wide[:, : len(results)]
        assert two.apply(v, c, out) is out
        np.testing.assert_allclose(out, two.forward(v * psi), atol=1e-12)
        np.testing.assert_allclose(two.apply(v, c, out, accumulate=True), 2 * two.forward(v * psi), atol=1e-12)
        np.testing.assert_allclose(two.density(c), sphere.density(c), atol=1e-12)
        same_error(r"out has shape", lambda s=two, p=psi: s.forward(p, np.zeros((3, s.results + 1), complex)))
    same_error(r"results are float64", lambda: spheres(results=np.zeros((2, 3))))
    if COMM.size > 1:
        same_error(r"results=", lambda: spheres(results=results if COMM.rank else None))
        moved = COMM.sendrecv(results, (COMM.rank + 1) % COMM.size, source=(COMM.rank - 1) % COMM.size)
        same_error(r"must be whole on one rank", lambda: spheres(results=moved))
    lists, others = COMM.allgather(mine), COMM.allgather(results)
    plan = weft.sphere_plan(two.grid, lists, COMM.rank, gamma=True, howmany=2, normalization="forward", results=others)
    assert plan.as_dict()["results"] == len(results) == two.plan.as_dict()["results"]
    with np.testing.assert_raises_regex(weft.Error, "results has the plane waves of 1 ranks, and waves those of 2"):
        weft.sphere_plan(two.grid, [lists[0], lists[0][:0]], results=others[:1])


def check_rows_and_planes_may_be_apart():
    for gamma in (False, True):
        sphere, mine = spheres(gamma)
        nx, ny, _ = sphere.grid
        padded, _ = spheres(gamma, padded=(nx + 3, ny + 1), howmany=2)
        planes = sphere.space_shape[0]
        assert padded.space_shape == (planes, ny + 1, nx + 3)
        assert padded.space_box == sphere.space_box
        assert padded.plan.as_dict()["padded"] == [nx + 3, ny + 1]
        inside = (..., slice(ny), slice(nx))
        c = coefficients(mine, 3, gamma)
        psi = sphere.backward(c)
        wide = np.full((3, *padded.space_shape), 7, psi.dtype)
        assert padded.backward(c, wide) is wide
        np.testing.assert_array_equal(wide[inside], psi)
        wide[inside] = 7
        np.testing.assert_array_equal(wide, 7)
        wide[...] = np.nan
        wide[inside] = psi
        np.testing.assert_array_equal(padded.forward(wide), sphere.forward(psi))
        v = np.full(padded.space_shape, np.nan)
        v[inside] = np.random.default_rng(5).random(sphere.space_shape)
        np.testing.assert_array_equal(padded.apply(v, c), sphere.apply(np.ascontiguousarray(v[inside]), c))
        np.testing.assert_array_equal(padded.density(c)[inside], sphere.density(c))
    same_error(r"^v is float64 of shape", lambda: padded.apply(v[inside], c))
    same_error(r"padded is 2 x 0; rows of at least the grid's \d+ points", lambda: spheres(padded=(2, 0)))
    same_error(r"padded is 3; two integers are needed", lambda: spheres(padded=3))
    same_error(r"padded is 0 x 1; planes of at least \d+ rows", lambda: spheres(padded=(0, 1)))


def check_shared_memory():
    """Spheres of several sizes on one memory, of which the first ends first."""
    first, mine = spheres(howmany=2)
    lattice = 1.3 * LATTICE
    grid = weft.sphere_grid(lattice, ECUT)
    larger = weft.cutoff_sphere(grid, lattice, ECUT, ranks=COMM.size, rank=COMM.rank)
    second = weft.SphereFFT(grid, larger, share=first)
    single = weft.SphereFFT(first.grid, mine, share=second, precision="single")
    c, d = coefficients(mine, 2, False), coefficients(larger, 3, False)
    expected = weft.SphereFFT(grid, larger, COMM).density(d)
    for _ in range(3):
        psi = first.backward(c)
        np.testing.assert_array_equal(second.density(d), expected)
        np.testing.assert_allclose(single.backward(c.astype("complex64")), psi, atol=2e-3)
    first.close()
    np.testing.assert_array_equal(second.density(d), expected)
    same_error(r"share and comm are given", lambda: weft.SphereFFT(grid, larger, COMM, share=second))
    same_error(r"share is 5; a weft.SphereFFT is needed", lambda: weft.SphereFFT(grid, larger, share=5))
    same_error(r"node_size is 1", lambda: weft.SphereFFT(grid, larger, share=second, node_size=1))


def in_groups(groups):
    sphere, mine = spheres(groups=groups, normalization="forward")
    c = coefficients(mine, 5, False)
    whole = in_space(sphere.grid, c, mine, False)
    lo, hi = sphere.space_box
    psi = sphere.backward(c)
    np.testing.assert_allclose(psi, whole[sphere.bands_here(5), lo[0] : hi[0]], atol=1e-11)
    np.testing.assert_allclose(sphere.forward(psi, out=np.empty_like(c)), c, atol=1e-11)
    same_error(r"out is not given", lambda: sphere.forward(psi))
    v = np.random.default_rng(lo[0]).random(sphere.space_shape)
    applied, added = sphere.apply(v, c), c.copy()
    np.testing.assert_allclose(sphere.apply(v, c, out=added, accumulate=True), c + applied, atol=1e-11)
    rho = sphere.density(c)
    np.testing.assert_allclose(rho, (abs(whole[:, lo[0] : hi[0]]) ** 2).sum(axis=0), atol=1e-9)
    a, b, here = np.arange(5.0), np.arange(5.0)[::-1] ** 2, whole[:, lo[0] : hi[0]]
    parts = np.einsum("b,bxyz->xyz", a, here.real**2) + np.einsum("b,bxyz->xyz", b, here.imag**2)
    np.testing.assert_allclose(sphere.density(c, a, imaginary_weights=b), parts, atol=1e-9)


def check_groups():
    for groups in range(2, COMM.size + 1):
        if COMM.size % groups == 0:
            in_groups(groups)


def check_errors():
    sphere, mine = spheres()
    c = coefficients(mine, 2, False)
    last = COMM.rank == COMM.size - 1
    same_error(r"c has dtype complex64", lambda: sphere.backward(c.astype("complex64") if last else c))
    same_error(r"c has shape", lambda: sphere.backward(c[:, 1:] if last else c))
    same_error(r"weights has shape \(1,\)", lambda: sphere.density(c, [1.0]))
    same_error(r"imaginary_weights has shape \(3,\)", lambda: sphere.density(c, imaginary_weights=[1.0, 2, 3]))
    same_error(r"v is float64 of shape \(3,\)", lambda: sphere.apply(np.zeros(3), c))
    same_error(
        r"accumulate is True, but out is not given",
        lambda: sphere.apply(np.zeros(sphere.space_shape), c, accumulate=last),
    )
    if COMM.size > 1:
        same_error(r"bands is 1", lambda: sphere.backward(c[:1] if last else c))
    same_error(r"indices are int64 of shape \(2, 2\)", lambda: weft.SphereFFT((8, 8, 8), np.zeros((2, 2), int), COMM))
    same_error(r"is \(0, 0, 99\); along z", lambda: weft.SphereFFT((8, 8, 8), [[0, 0, 99]], COMM))
    same_error(r"strategy", lambda: weft.SphereFFT((8, 8, 8), mine, COMM, strategy="carrier"))
    same_error(r"tile", lambda: weft.SphereFFT((8, 8, 8), mine, COMM, forward={"tile": -1}))
    only = r"it applies to transform, a sphere allows only"
    for wrong, message in (
        ({"leaders": 0}, r"leaders is '0'; allowed are whole numbers from 1"),
        ({"in_place": True}, rf"in_place is true; {only} false"),
        ({"transposed": True}, rf"transposed is true; {only} false"),
        ({"backward": {"grid": (2, 2)}}, rf"grid is 2x2; {only} 0x0"),
        ({"decomposition": "slab"}, rf"decomposition is slab; {only} auto"),
    ):
        same_error(message, lambda wrong=wrong: weft.SphereFFT((8, 8, 8), mine, COMM, **(wrong if last else {})))
    sphere.close()
    same_error(r"closed", lambda: sphere.backward(c))


def with_spinors(**options):
    """Pairs of bands, a matrix at each point, and the density matrix."""
    sphere, mine = spheres(normalization="forward", spinors=True, **options)
    assert sphere.spinors
    assert sphere.plan.howmany == {3: 4}.get(options.get("howmany"), 2)
    c = coefficients(mine, 4, False)
    psi = in_space(sphere.grid, c, mine, False)
    v = np.random.default_rng(3).standard_normal((4, *psi.shape[1:]))
    one, two, v12 = psi[::2], psi[1::2], v[2] + 1j * v[3]
    product = np.empty_like(psi)
    product[::2], product[1::2] = v[0] * one + v12 * two, v12.conj() * one + v[1] * two
    lo, hi = sphere.space_box
    here = (slice(None), *(slice(a, b) for a, b in zip(lo, hi)))
    mine_of_v = np.ascontiguousarray(v[here])
    applied = sphere.apply(mine_of_v, c)
    np.testing.assert_allclose(applied, sphere.forward(np.ascontiguousarray(product[here])), atol=1e-11)
    both, w = one * two.conj(), np.array([0.5, 2.0])
    n = np.einsum("s,fszyx->fzyx", w, np.stack([abs(one) ** 2, abs(two) ** 2, both.real, both.imag]))
    np.testing.assert_allclose(sphere.density(c, np.repeat(w, 2)), n[here], atol=1e-9)
    same_error(r"v is float64 of shape", lambda: sphere.apply(mine_of_v[0], c))
    same_error(r"bands is 3; with spinors", lambda: sphere.density(c[:3]))
    ones = np.ones(4)
    same_error(r"with spinors true squares have one weight", lambda: sphere.density(c, ones, None, ones))
    sphere.close()


def check_spinors():
    rows = next(n for n in (2, 1) if COMM.size % n == 0)
    for options in ({}, {"howmany": 3}, {"process_grid": f"{rows}x{COMM.size // rows}"}):
        with_spinors(**options)
    same_error(r"spinors is true; with gamma true", lambda: spheres(True, spinors=True))
    same_error(r"spinors is 3; ", lambda: spheres(spinors=3))


def check_process_grids():
    """Ranks that share planes; columns dealt for it or not."""
    rows = next(n for n in (2, 1) if COMM.size % n == 0)
    shared = COMM.size // rows
    grid = weft.sphere_grid(LATTICE, ECUT)
    for sharing in (1, shared):
        for gamma in (False, True):
            mine = weft.cutoff_sphere(
                grid, LATTICE, ECUT, gamma=gamma, ranks=COMM.size, rank=COMM.rank, sharing=sharing
            )
            c = coefficients(mine, 2, gamma)
            options = {"gamma": gamma, "normalization": "forward", "process_grid": f"{rows}x{shared}"}
            with weft.SphereFFT(grid, mine, COMM, **options) as sphere:
                lo, hi = sphere.space_box
                here = tuple(slice(a, b) for a, b in zip(lo, hi))
                assert sphere.space_shape == tuple(b - a for a, b in zip(lo, hi))
                expected = in_space(grid, c, mine, gamma)[(slice(None), *here)]
                np.testing.assert_allclose(sphere.backward(c), expected, atol=1e-11)
                np.testing.assert_allclose(sphere.forward(sphere.backward(c)), c, atol=1e-11)
                rho = sphere.density(c, [1.0, 2.0])
                np.testing.assert_allclose(rho, np.abs(expected[0]) ** 2 + 2 * np.abs(expected[1]) ** 2, atol=1e-9)
                assert sum(COMM.allgather(rho.size)) == np.prod(grid)
    same_error(
        f"process_grid is 3x7; the product must be the number of ranks, {COMM.size}",
        lambda: spheres(process_grid="3x7"),
    )
    same_error(
        f"sharing is {COMM.size + 1}; it must divide the number of ranks, {COMM.size}",
        lambda: weft.cutoff_sphere(grid, LATTICE, ECUT, ranks=COMM.size, sharing=COMM.size + 1),
    )
    if COMM.size > 1:
        same_error("and planes is given", lambda: spheres(process_grid=f"1x{COMM.size}", planes=grid[2] // COMM.size))


run_checks(globals())
