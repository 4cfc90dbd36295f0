"""Solvers of Poisson's equation on several ranks: against the differences that they solve, and fields that are known."""

import numpy as np
from checking import COMM, random_bricks, run_checks, same_error

import weft

IS_LAST = COMM.rank == COMM.size - 1
PAIRS = [("periodic", "periodic"), ("even", "even"), ("odd", "odd"), ("even", "odd"), ("odd", "even")]


def beyond(u, axis, solver, walls):
    """u with what its sides say of one more point at both ends of an axis."""
    low, high = solver.sides[axis]
    if low == "periodic":
        return np.concatenate([u.take([-1], axis), u, u.take([0], axis)], axis)
    h, nodes = spacing(solver, axis), solver.points[axis] == "nodes"
    parts = [u]
    for side, end, image, sign in ((low, "low", 1, -1), (high, "high", -2, 1)):
        value = walls.get((axis, end), 0.0)
        mirrored = u.take([image if nodes else (0 if sign < 0 else -1)], axis)
        there = 2 * value - mirrored if side == "odd" else mirrored + sign * value * h * (2 if nodes else 1)
        parts = [there, *parts] if sign < 0 else [*parts, there]
    return np.concatenate(parts, axis)


def spacing(solver, axis):
    between = solver.points[axis] == "nodes" and solver.sides[axis][0] != "periodic"
    return solver.lengths[axis] / (solver.shape[axis] - between)


def laplacian(u, solver, walls):
    """By differences of second order, of the whole field."""
    found = -solver.shift * u
    for axis in range(u.ndim):
        v, n = beyond(u, axis, solver, walls), u.shape[axis]
        low, high = v.take(range(n), axis), v.take(range(2, n + 2), axis)
        found = found + (low + high - 2 * u) / spacing(solver, axis) ** 2
    return found


def any_box(rng, pairs):
    """Sides, points, shape and lengths of a small box; walls on nodes have a node between them."""
    sides = tuple(pairs[rng.integers(len(pairs))] for _ in range(3))
    points = tuple(("cells", "nodes")[rng.integers(2)] for _ in range(3))
    shape = tuple(int(rng.integers(3 if kind == "nodes" else 1, 7)) for kind in points)
    if points[0] == "nodes" and sides[0] != ("odd", "odd"):
        shape = (2, *shape[1:])
    return sides, points, shape, tuple(rng.uniform(0.3, 3, 3))


def check_differences():
    rng = np.random.default_rng(4)
    for number in range(60):
        sides, points, shape, lengths = any_box(rng, PAIRS)
        shift = 0.7 * (number % 2)
        with weft.Poisson(
            shape, sides=sides, points=points, lengths=lengths, stencil="second_order", shift=shift, effort="estimate"
        ) as p:
            walls = {
                (axis, end): rng.uniform(-1, 1)
                for axis in range(3)
                for end, side in zip(("low", "high"), sides[axis])
                if side != "periodic" and rng.integers(3) > 0
            }
            u = rng.uniform(-1, 1, shape)
            for axis in range(3):
                for end, side in zip(("low", "high"), sides[axis]):
                    if (axis, end) in walls:
                        p.set_wall(axis, end, walls[axis, end])
                    if side == "odd" and points[axis] == "nodes":
                        u[(slice(None),) * axis + (0 if end == "low" else -1,)] = walls.get((axis, end), 0)
            f = p.empty_input()
            f[...] = laplacian(u, p, walls)[p.input_slice]
            found = p(f)
            if p.singular:
                assert abs(p.mean(f)) < 1e-10
                corner = COMM.bcast((found - u[p.output_slice]).ravel()[:1])
                found = found - corner
            else:
                assert p.mean(f) == 0
            np.testing.assert_allclose(found, u[p.output_slice], atol=1e-10)


def check_uneven_points():
    """Finite volumes by hand, with values at the walls."""
    rng = np.random.default_rng(6)
    for number in range(30):
        axis, nodes = number % 3, number % 2 == 1
        shape = tuple(int(n) for n in rng.integers(3, 7, 3))
        sides = [("periodic", "periodic")] * 3
        sides[axis] = PAIRS[1 + number % 4]
        points = ["cells"] * 3
        points[axis] = "nodes" if nodes else "cells"
        given = rng.uniform(0.5, 1.5, shape[axis] - nodes)
        spacings: list = [None, None, None]
        spacings[axis] = given if number % 4 else list(given)
        shift = 0.3 * (number % 5)
        with weft.Poisson(
            shape, sides=sides, points=points, spacings=spacings, stencil="second_order", shift=shift, effort="estimate"
        ) as p:
            np.testing.assert_allclose(p.lengths[axis], given.sum())
            x = p._problem.coordinates(axis)
            edges = np.concatenate([[0], np.cumsum(given)])
            np.testing.assert_allclose(x, edges if nodes else (edges[1:] + edges[:-1]) / 2)
            u = np.moveaxis(rng.uniform(-1, 1, shape), axis, 0)  # a view of the field: of the axis first
            ends = dict(zip(("low", "high"), rng.uniform(-1, 1, 2)))
            # Flows through the faces of the volumes around the points; those at walls of nodes are not asked for, if odd.
            flows = np.zeros((shape[axis] + 1, *u.shape[1:]))
            volumes = np.diff(np.concatenate([[0], (edges[1:] + edges[:-1]) / 2, edges[-1:]])) if nodes else given
            for end, at, side, sign in (("low", 0, sides[axis][0], 1), ("high", -1, sides[axis][1], -1)):
                p.set_wall(axis, end, ends[end])
                if side == "odd" and nodes:
                    u[at] = ends[end]
                elif side == "odd":
                    flows[at] = sign * (u[at] - ends[end]) / (given[at] / 2)
                else:
                    flows[at] = ends[end]
            flows[1:-1] = np.diff(u, axis=0) / np.diff(x)[:, None, None]
            f = np.moveaxis(np.diff(flows, axis=0) / volumes[:, None, None] - shift * u, 0, axis)
            u = np.moveaxis(u, 0, axis)
            for other in set(range(3)) - {axis}:
                h = 1 / shape[other]
                f = f + (np.roll(u, 1, other) + np.roll(u, -1, other) - 2 * u) / h**2
            part = p.empty_input()
            part[...] = f[p.input_slice]
            found = p(part)
            if p.singular:
                assert abs(p.mean(part)) < 1e-10
                found = found - COMM.bcast((found - u[p.output_slice]).ravel()[:1])
            np.testing.assert_allclose(found, u[p.output_slice], atol=1e-10)
    with weft.Poisson((5, 6), sides="even", points="nodes", spacings=(None, np.arange(1, 6)), shift=1) as p:
        f = p.empty_input()
        f[...] = 3
        np.testing.assert_allclose(p(f), -3)
        np.testing.assert_allclose(p.lengths, (1, 15))


def check_differences_in_open_boxes():
    rng = np.random.default_rng(8)
    with weft.Poisson(
        (6, 7, 5), sides=("open", ("odd", "open"), "open"), stencil="second_order", lengths=(6, 7, 5)
    ) as p:
        f = p.empty_input()
        f[...] = rng.uniform(-1, 1, p.shape)[p.input_slice]
        p.set_wall(1, "low", 0.3)
        u, right = np.zeros(p.shape), np.zeros(p.shape)
        u[p.output_slice], right[p.input_slice] = p(f), f
        COMM.Allreduce(np.copy(u), u)
        COMM.Allreduce(np.copy(right), right)
        u = np.concatenate([0.6 - u[:, :1], u], 1)
        inside = u[1:-1, 1:-1, 1:-1]
        sums = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        sums += u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6 * inside
        np.testing.assert_allclose(sums, right[1:-1, :-1, 1:-1], atol=1e-12)


def check_boxes_that_are_turned():
    """A box with its axes in another order, or seen from the other side, has the same field in it."""
    rng = np.random.default_rng(2)
    pairs = [*PAIRS, ("open", "open"), ("open", "even"), ("even", "open"), ("open", "odd"), ("odd", "open")]

    def solved(f, sides, points, lengths, shift):
        with weft.Poisson(f.shape, sides=sides, points=points, lengths=lengths, shift=shift, effort="estimate") as p:
            part = p.empty_input()
            part[...] = f[p.input_slice]
            whole = np.zeros(p.shape)
            for (lo, hi), u in COMM.allgather((p.output_box, p(part))):
                whole[tuple(map(slice, lo, hi))] = u
            return whole

    for number in range(25):
        sides, points, shape, lengths = any_box(rng, pairs)
        f, shift, axis, axes = rng.uniform(-1, 1, shape), 2.0 * (number % 2), number % 3, rng.permutation(3)
        u = solved(f, sides, points, lengths, shift)
        limit = 1e-10 * max(1, np.abs(u).max())
        turned = [tuple(each[one] for one in axes) for each in (sides, points, lengths)]
        np.testing.assert_allclose(solved(f.transpose(axes), *turned, shift), u.transpose(axes), atol=limit)
        if sides[axis][0] == "periodic":
            continue
        mirrored = tuple(pair[::-1] if one == axis else pair for one, pair in enumerate(sides))
        seen = solved(np.flip(f, axis), mirrored, points, lengths, shift)
        np.testing.assert_allclose(np.flip(seen, axis), u, atol=limit)


def check_known_fields_of_open_boxes():
    for shape, sides in (
        ((36, 40), "open"),
        ((34, 32, 36), "open"),
        ((40, 4, 6), ("open", "periodic", "odd")),
        ((6, 36, 38), ("even", ("open", "odd"), ("even", "open"))),
    ):
        with weft.Poisson(shape, sides=sides, points="nodes" if shape[0] == 6 else "cells", dtype="float64") as p:
            u, laplacian_of_u = np.ones((1,) * len(shape)), 0
            factors = [field(pair, x) for pair, x in zip(p.sides, p.coordinates())]
            for axis in range(len(shape)):
                term = 1.0
                for other, (value, second) in enumerate(factors):
                    term = term * (second if other == axis else value)
                laplacian_of_u = laplacian_of_u + term
                u = u * factors[axis][0]
            f = p.empty_input()
            f[...] = laplacian_of_u
            np.testing.assert_allclose(p(f), u, atol=1e-7)


def field(sides, x):
    """A field with these sides on a length of 1, and its second derivative."""

    def gauss(t):
        s = t / 0.055
        return np.exp(-(s**2) / 2), np.exp(-(s**2) / 2) * (s**2 - 1) / 0.055**2

    if "open" not in sides:
        turns = {"periodic": 2, "even": 1, "odd": 1}[sides[0]] * np.pi
        value = np.sin(turns * x) if sides[0] == "odd" else np.cos(turns * x)
        return value, -(turns**2) * value
    if sides == ("open", "open"):
        return gauss(x - 0.48)
    x, wall = (x, sides[0]) if sides[1] == "open" else (1 - x, sides[1])
    sign = 1 if wall == "even" else -1
    return tuple(a + sign * b for a, b in zip(gauss(x - 0.35), gauss(x + 0.35)))


def check_layouts_batches_and_precisions():
    boxes = random_bricks((7, 8, 9), COMM.size, 3)
    rng = np.random.default_rng(1)
    whole = rng.uniform(-1, 1, (2, 7, 8, 9))
    common = {"sides": ("odd", "even", "periodic"), "points": ("nodes", "cells", "nodes"), "batch": 2}
    with weft.Poisson((7, 8, 9), **common) as plain:
        f = plain.empty_input()
        f[...] = whole[(slice(None), *plain.input_slice)]
        before, u = f.copy(), plain(f)
        np.testing.assert_array_equal(f, before)
        wanted = np.zeros_like(whole)
        for (lo, hi), part in COMM.allgather((plain.output_box, u)):
            wanted[(slice(None), *map(slice, lo, hi))] = part
    for options in ({"in_place": True}, {"strategy": "pairwise"}, {"dtype": "float32"}):
        with weft.Poisson(
            (7, 8, 9),
            **common,
            input_box=boxes[COMM.rank],
            output_layout=weft.Layout.slab((7, 8, 9), COMM.size, 2),
            **options,
        ) as p:
            f = p.empty_input()
            f[...] = whole[(slice(None), *p.input_slice)]
            limit = 1e-5 if p.input_dtype == np.float32 else 1e-12
            np.testing.assert_allclose(p(f), wanted[(slice(None), *p.output_slice)], atol=limit)


def check_shifts_and_means():
    with weft.Poisson((6, 8, 10), sides=("even", "periodic", "even"), batch=2) as p:
        assert p.singular
        f = p.empty_input()
        f[0], f[1] = 2, np.cos(np.pi * p.coordinates()[0]) + 1
        np.testing.assert_allclose(p.mean(f), [2, 1], atol=1e-13)
        u = p(f)
        np.testing.assert_allclose(u[0], 0, atol=1e-13)
        np.testing.assert_allclose(u[1], (1 - f[1]) / np.pi**2, atol=1e-13)
        p.set_shift(4)
        assert (p.shift, p.singular) == (4, False)
        np.testing.assert_allclose(p(f)[0], -0.5, atol=1e-13)
        assert "Helmholtz's equation, shift 4" in p.explain()
    with weft.Poisson((6, 8, 10), mean="refuse") as p:
        f = p.empty_input()
        f[...] = 1
        same_error("f has the mean 1; between sides that are periodic or even", lambda: p(f))


def check_gradients_between_walls():
    # Between plates that hold values, and no flux through the other walls; the second axis gets narrow.
    n = 12
    widths = 1 + np.sin(np.arange(n)) / 2
    with weft.Poisson(
        (n, n, n),
        sides=("odd", ("even", "odd"), "even"),
        points=("nodes", "cells", "cells"),
        spacings=(None, widths, None),
        stencil="second_order",
        result="solution_and_gradient",
    ) as p:
        x, y, _ = p.coordinates()
        above = 2 * (y - widths.sum())

        def set_wall(axis, end, values):
            shape = p.wall_shape(axis, end)  # of ranks that are not at the wall nothing
            p.set_wall(axis, end, np.broadcast_to(values, shape) if np.prod(shape) else np.zeros(shape))

        set_wall(0, "low", above[0])
        set_wall(0, "high", 1 + above[0])
        set_wall(1, "low", 2.0)
        set_wall(1, "high", x[:, 0])
        u, *slopes = p(np.zeros(p.input_shape))
        np.testing.assert_allclose(u, np.broadcast_to(x + above, u.shape), atol=1e-11)
        for slope, wanted in zip(slopes, (1, 2, 0), strict=True):
            np.testing.assert_allclose(slope, wanted, atol=1e-9)
        assert "along axis 1: parabolas" in p.explain()
    # Exact waves, and the same in a plane.
    with weft.Poisson((16, 18), sides=("odd", "periodic"), result="gradient") as p:
        x, y = p.coordinates()
        f = -5 * np.pi**2 * np.sin(np.pi * x) * np.cos(2 * np.pi * y)
        along_x, along_y = p(f)
        np.testing.assert_allclose(along_x, np.pi * np.cos(np.pi * x) * np.cos(2 * np.pi * y), atol=1e-12)
        np.testing.assert_allclose(along_y, -2 * np.pi * np.sin(np.pi * x) * np.sin(2 * np.pi * y), atol=1e-12)


def check_gradients_and_flows():
    n = 12
    with weft.Poisson((n, n), lengths=2 * np.pi, points="nodes", comm=COMM, result="solution_and_gradient") as solve:
        x, y = solve.coordinates()
        out = solve(-2 * np.sin(x) * np.cos(y))
        assert out.shape == (3, *(s.stop - s.start for s in solve.output_slice))
        np.testing.assert_allclose(out[0], np.sin(x) * np.cos(y), atol=1e-13)
        np.testing.assert_allclose(out[1], np.cos(x) * np.cos(y), atol=1e-13)
        np.testing.assert_allclose(out[2], -np.sin(x) * np.sin(y), atol=1e-13)
    with weft.Poisson(
        (n, n, n), lengths=2 * np.pi, points="nodes", comm=COMM, result="velocity", batch=2, output_ghosts=1
    ) as solve:
        x, y, z = solve.coordinates()
        w = solve.empty_input()
        w[:, 0] = np.sin(z) + 3 * np.cos(y) + 0 * x
        w[:, 1] = 2 * np.sin(x) + np.cos(z) + 0 * y
        w[:, 2] = 3 * np.sin(y) + 2 * np.cos(x) + 0 * z
        found = solve(w)
        np.testing.assert_allclose(found[(..., *solve.output_inner[0])], w, atol=1e-13)
        assert solve.mean(w).tolist() == [0, 0]


def images(x, length, sides):
    """Places of the sources at the points x of an axis, with those beyond walls, and their signs: (point, place, sign)."""
    found = [(i, at, 1.0) for i, at in enumerate(x)]
    for side, wall in zip(sides, (0.0, length)):
        if side not in ("even", "odd"):
            continue
        sign = 1.0 if side == "even" else -1.0
        on_wall = [i for i, at in enumerate(x) if abs(at - wall) < 1e-12]
        if side == "odd":
            found = [source for source in found if source[0] not in on_wall]
        found += [(i, 2 * wall - x[i], sign) for i in range(len(x)) if i not in on_wall]
    return found


def check_kernels_of_the_callers():
    rng = np.random.default_rng(8)
    pairs = [("open", "open"), ("open", "even"), ("even", "open"), ("open", "odd"), ("odd", "open")]
    for number in range(16):
        sides, points, shape, lengths = any_box(rng, pairs)
        if number % 4 == 0:
            sides, points, shape, lengths = (part[::2] for part in (sides, points, shape, lengths))
        axes = len(shape)

        def kernel(*r):
            assert all(part.size == part.shape[axis] for axis, part in enumerate(r))
            return np.cos(sum((axis + 1) * part for axis, part in enumerate(r))) / (1 + sum(part**2 for part in r))

        with weft.Poisson(shape, sides=sides, points=points, lengths=lengths, green=kernel, effort="estimate") as p:
            f = rng.standard_normal(shape)
            u = p(np.ascontiguousarray(f[p.input_slice]))
            wanted = np.zeros(shape)
            x = [np.arange(n) * length / (n - 1) if kind == "nodes" else (np.arange(n) + 0.5) * length / n
                 for n, length, kind in zip(shape, lengths, points)]  # fmt: skip
            along = [images(*axis) for axis in zip(x, lengths, sides)]
            for place in np.ndindex(*(len(one) for one in along)):
                sources = [one[i] for one, i in zip(along, place)]
                r = [
                    np.abs(x[a] - sources[a][1]).reshape([-1 if a == b else 1 for b in range(axes)])
                    for a in range(axes)
                ]
                wanted += np.prod([s[2] for s in sources]) * f[tuple(s[0] for s in sources)] * kernel(*r)
            for axis in range(axes):
                n, nodes = shape[axis], points[axis] == "nodes"
                wanted *= lengths[axis] / (n - 1 if nodes else n)
                at = np.arange(n).reshape([-1 if axis == b else 1 for b in range(axes)])
                for side, end in zip(sides[axis], (0, n - 1)):
                    wanted = np.where((at == end) & (side == "odd") & nodes, 0, wanted)
            np.testing.assert_allclose(u, wanted[p.output_slice], atol=1e-11 * np.abs(wanted).max())
    # Between closed sides the kernel is one of wave numbers.
    shape = (6, 5, 8)
    f = rng.standard_normal(shape)
    with weft.Poisson(shape, green=lambda a, b, c: 1 / (2 + a * a + b + c)) as p, weft.Poisson(shape) as q:
        k = [2 * np.pi * np.abs(np.fft.fftfreq(n, 1 / n)).reshape([-1 if a == b else 1 for b in range(3)])
             for a, n in enumerate(shape)]  # fmt: skip
        wanted = np.fft.ifftn(np.fft.fftn(f) / (2 + k[0] ** 2 + k[1] + k[2])).real
        np.testing.assert_allclose(p(np.ascontiguousarray(f[p.input_slice])), wanted[p.output_slice], atol=1e-13)
        assert q.singular
        assert not p.singular
        assert p.mean(np.ascontiguousarray(f[p.input_slice])) == 0
        assert "the caller's kernel" in p.explain()
    # Of thin cells, and of charges that are Gaussians, in both precisions.
    for precision in ("single", "double"):
        with weft.Poisson((4, 4, 4), sides="open", green="integrated", lengths=(1, 1, 0.05), precision=precision) as p:
            assert "integrated over cells" in p.explain()
        with weft.Poisson((8, 8), sides="open", green="regularized", green_order=4, precision=precision) as p:
            assert "regularized by a Gaussian of order 4, two points wide" in p.explain()


def check_errors():
    def refused(pattern, **arguments):
        same_error(pattern, lambda: weft.Poisson(**{"shape": (4, 5, 6), **(arguments if IS_LAST else {})}))

    refused("sides 'evn' is unknown; did you mean 'even'", sides="evn")
    refused("sides is 3; a word, or a word or two", sides=3)
    refused("sides are periodic and odd along axis 1", sides=("odd", ("periodic", "odd"), "odd"))
    refused("points is 5", points=5)
    refused("result 'force' is unknown; allowed are solution, gradient", result="force")
    refused("result is velocity; it needs sides that are periodic or open on both", result="velocity", sides="odd")
    refused("points 'faces' is unknown", points="faces")
    refused("stencil 'third' is unknown; allowed are spectral, second_order", stencil="third")

    def broken(a, b, c):
        if COMM.rank == COMM.size - 1:
            raise KeyError("lost")
        return a + b + c

    refused("green is 3", green=3, sides="open")
    refused("did you mean 'integrated'?", green="integrate", sides="open")
    refused("green is 'own'; the kernel's function is needed", green="own", sides="open")
    refused("green_order is 1; allowed are 2, 4, 6, 8 and 10", green="regularized", green_order=1, sides="open")
    refused("green_width is nan", green="regularized", green_width=float("nan"), sides="open")
    refused("green is integrated; it is for open sides", green="integrated")

    def refused_kernel(pattern, kernel, **arguments):
        same_error(pattern, lambda: weft.Poisson((4, 5, 6), green=kernel, sides="open", **arguments))

    refused_kernel("the kernel: KeyError: 'lost'", broken)
    refused_kernel("the kernel is inf at 0, 0, 0", lambda a, b, c: np.where(a + b + c > 0, 1.0, np.inf))
    refused_kernel("the kernel's values are complex128", lambda a, b, c: 1j + a + b + c)
    refused_kernel("the kernel's values have shape .9,.", lambda a, b, c: np.ones(9))
    refused_kernel("the kernel's values are <U", lambda a, b, c: "none")
    refused_kernel("green is own and shift 2", lambda a, b, c: a + b + c, shift=2)
    refused("shift is -1; with open sides at least 0 is needed", sides="open", shift=-1)
    refused("shift is 'a'; a number is needed", shift="a")
    refused("along axis 0 at least 3 nodes", shape=(2, 4, 4), sides="odd", points="nodes")
    refused("lengths is -1", lengths=-1)
    refused("spacings is 3; None, or None or numbers", spacings=3)
    refused("spacings of axis 1 is 'wide'", spacings=(None, "wide", None))
    refused("spacings of axis 0 are 2; of 4 cells 4 are needed", spacings=([1, 2], None, None), sides="odd")
    refused("spacings of axis 2 have 0; they are positive", spacings=(None, None, [1, 1, 0, 1, 1, 1]), sides="odd")
    refused("spacings of axis 0 are given, and a side of axis 0 is periodic", spacings=([1] * 4, None, None))
    same_error("an eigenvalue", lambda: weft.Poisson((4, 4, 4), lengths=2 * np.pi, shift=-1))
    with weft.Poisson((4, 5, 6), sides="odd", stencil="second_order") as p:
        same_error("axis is 3", lambda: p.set_wall(3 if IS_LAST else 0, "low", 1.0))
        same_error("end is 'left'; allowed are low, high", lambda: p.set_wall(0, "left" if IS_LAST else "low", 1.0))
        same_error("values has shape", lambda: p.set_wall(0, "low", np.zeros(3) if IS_LAST else 1.0))
        same_error("f has shape", lambda: p(np.zeros((1, 1)) if IS_LAST else p.empty_input()))
    same_error("closed", lambda: p.explain())


run_checks(globals())
