"""pfft-python's interface against NumPy: meshes of one to four axes on grids of ranks of any dimensions, both ends transposed or not,
in place and not; and what pmesh asks of its objects."""

import gc

import numpy as np
import pytest
from checking import COMM, run_checks, same_error

import weft
from weft import pfft
from weft.pfft import Direction, Flags, LocalBuffer, Partition, Plan, ProcMesh, Type

ONE, TWO = [COMM.size], list(pfft.split_size_2d(COMM.size))
MESHES = [
    ((6, 7), ONE), ((5, 4), TWO), ((4, 6, 5), ONE), ((4, 6, 5), TWO), ((4, 3, 5), [1, *TWO]), ((4, 3, 2, 5), ONE),
    ((4, 3, 2, 5), TWO), ((3, 5, 4), TWO[::-1]), ((2, 1, 3), ONE),
]  # fmt: skip


def whole_of(type_, n, seed):
    """A field of all ranks, and its spectrum."""
    rng = np.random.default_rng(seed)
    real = rng.standard_normal(n)
    if type_ % 4 == Type.C2C:
        field = real + 1j * rng.standard_normal(n)
        return field, np.fft.fftn(field)
    return real, np.fft.rfftn(real)


def round_trip(forward, n, mesh, flags, in_place, seed):
    single = forward > Type.R2R
    field, spectrum = whole_of(forward, n, seed)
    partition = Partition(forward, n, mesh, flags)
    i = LocalBuffer(partition)
    o = i if in_place else LocalBuffer(partition)
    there = Plan(partition, Direction.PFFT_FORWARD, i, o, flags=flags | Flags.PFFT_ESTIMATE)
    back = Plan(partition, Direction.PFFT_BACKWARD, o, i)
    assert (there.type, back.type) == (forward, forward.inverse)
    assert there.inplace == back.inplace == in_place
    # Every point is somebody's, once.
    for slices, points in ((partition.local_i_slice, partition.ni), (partition.local_o_slice, partition.no)):
        seen = np.zeros(points, int)
        seen[slices] = 1
        assert (COMM.allreduce(seen) == 1).all()
    x, y = i.view_input(), o.view_output()
    assert x.dtype == partition.i_dtype == (("f4", "c8") if single else ("f8", "c16"))[forward % 4 == Type.C2C]
    x[...] = field[partition.local_i_slice]
    there.execute(i, o)
    near = {"rtol": 0, "atol": np.abs(spectrum).max() * (1e-5 if single else 1e-13)}
    np.testing.assert_allclose(y, spectrum[partition.local_o_slice], **near)
    if not in_place:
        np.testing.assert_array_equal(x, field[partition.local_i_slice].astype(x.dtype))
        x[...] = 0
    back.execute(o, i)
    np.testing.assert_allclose(x / np.prod(n), field[partition.local_i_slice], rtol=0, atol=1e-5 if single else 1e-13)


def check_all_partitions():
    seed = 0
    for n, np_ in MESHES:
        mesh = ProcMesh(np_, COMM)
        for type_ in (Type.PFFT_C2C, Type.PFFT_R2C, Type.PFFTF_C2C, Type.PFFTF_R2C):
            pads = [Flags(0), Flags.PFFT_PADDED_R2C | Flags.PFFT_PADDED_C2R]
            for padded in pads if len(np_) < len(n) and type_ % 4 == Type.R2C else pads[:1]:
                for transposed in (Flags(0), Flags.PFFT_TRANSPOSED_OUT):
                    for in_place in (False, True):
                        seed += 1
                        # Single precision takes the same way: a part of it is enough.
                        if type_ > Type.R2R and seed % 3:
                            continue
                        round_trip(type_, n, mesh, padded | transposed, in_place, seed)


def check_other_ways():
    mesh = ProcMesh(TWO, COMM)
    n = (4, 6, 5)
    field, spectrum = whole_of(Type.C2C, n, 1)
    # Complex fields may be transposed in space, and the exponent be the other one.
    partition = Partition(Type.C2C, n, mesh, Flags.TRANSPOSED_IN)
    i, o = LocalBuffer(partition), LocalBuffer(partition)
    plan = Plan(partition, Direction.BACKWARD, i, o, type=Type.C2C, flags=Flags.TRANSPOSED_IN)
    i.view_input()[...] = spectrum[partition.local_i_slice]
    plan.execute(i, o)
    np.testing.assert_allclose(o.view_output() / np.prod(n), field[partition.local_o_slice], atol=1e-13)
    # A partition made for the way back.
    partition = Partition(Type.C2R, n, mesh, Flags.TRANSPOSED_IN | Flags.PADDED_C2R)
    real, half = whole_of(Type.R2C, n, 2)
    i, o = LocalBuffer(partition), LocalBuffer(partition)
    i.view_input()[...] = half[partition.local_i_slice]
    Plan(partition, Direction.BACKWARD, i, o, type=Type.C2R, flags=partition.flags).execute(i, o)
    np.testing.assert_allclose(o.view_output() / np.prod(n), real[partition.local_o_slice], atol=1e-13)
    # One axis, on one rank.
    alone = ProcMesh([], COMM.Split(COMM.rank))
    for type_ in (Type.C2C, Type.R2C):
        field, spectrum = whole_of(type_, (9,), 3)
        partition = Partition(type_, [9], alone, Flags.TRANSPOSED_OUT | Flags.PADDED_R2C)
        buffer = LocalBuffer(partition)
        buffer.view_input()[...] = field
        Plan(partition, Direction.FORWARD, buffer).execute(buffer)
        np.testing.assert_allclose(buffer.view_output(), spectrum, atol=1e-13)
    alone.comm.Free()


def check_what_pmesh_asks():
    assert (pfft.split_size_2d(12), pfft.split_size_2d(7), pfft.split_size_2d(1)) == ((3, 4), (1, 7), (1, 1))
    assert tuple(ProcMesh.split(2, COMM)) == tuple(TWO)
    assert list(ProcMesh.split(1)) == ONE
    mesh = ProcMesh(TWO, COMM)
    assert (mesh.rank, mesh.ndim, mesh.np.tolist()) == (COMM.rank, 2, TWO)
    assert mesh.this.tolist() == [COMM.rank // TWO[1], COMM.rank % TWO[1]]
    flags = Flags.PFFT_PADDED_R2C | Flags.PFFT_PRESERVE_INPUT
    straight = Partition(Type.PFFT_R2C, [8, 6, 4], mesh, flags)
    turned = Partition(Type.PFFT_R2C, np.array([8, 6, 4]), mesh, flags | Flags.PFFT_TRANSPOSED_OUT)
    assert straight.alloc_local == turned.alloc_local
    assert (turned.ni.tolist(), turned.no.tolist()) == ([8, 6, 4], [8, 6, 3])
    assert turned.i_edges[0].tolist()[0 :: TWO[0]] == [0, 8]
    assert len(turned.i_edges[1]) == TWO[1] + 1
    assert turned.o_edges[0].tolist() == [0, 8]
    assert len(turned.o_edges[1]) == TWO[0] + 1
    assert turned.local_ni[-1] == 6
    assert turned.local_i_shape[-1] == 4
    assert turned.local_o_strides[0] == 16  # axis 0 is the fastest
    buffer = LocalBuffer(turned)
    assert buffer.view_raw().size == 2 * turned.alloc_local
    assert buffer.view_raw().dtype == "f8"
    other = LocalBuffer(straight, base=buffer)
    assert other in buffer
    assert buffer in other
    assert LocalBuffer(turned) not in buffer
    assert other.address == buffer.address
    assert other.base is buffer

    class Array(np.ndarray):
        pass

    assert type(buffer.view_input(type=Array)) is Array
    buffer.view_input()[...] = 7
    assert (other.view_input() == 7).all()
    plan = Plan(turned, Direction.BACKWARD, buffer, LocalBuffer(turned))
    assert plan.flags & Flags.TRANSPOSED_IN
    assert not plan.flags & Flags.TRANSPOSED_OUT
    assert "C2R" in repr(plan)
    assert "local_ni" in repr(turned)
    # Objects may go on some ranks earlier than on others: what is behind them is the communicator's.
    kept = [Plan(turned, Direction.FORWARD, buffer, LocalBuffer(turned)) for _ in range(3)]
    del kept[COMM.rank % 3 :]
    gc.collect()
    plan.execute(buffer, LocalBuffer(turned))
    # More plans than are kept are made again.
    many = []
    for extent in range(2, 24):
        partition = Partition(Type.C2C, (extent, 3), ProcMesh(ONE, COMM), 0)
        one = LocalBuffer(partition)
        one.view_input()[...] = 1
        many.append((Plan(partition, -1, one), one, partition))
    for number, (made, one, partition) in enumerate(many):
        made.execute(one)
        wanted = np.zeros(tuple(partition.no), complex)
        wanted[0, 0] = 3 * (number + 2)
        np.testing.assert_allclose(one.view_output(), wanted[partition.local_o_slice], atol=1e-12)


def check_errors():
    mesh = ProcMesh(TWO, COMM)
    same_error(
        rf"^np is \[{COMM.size}, 2\]; the product must be the number of ranks", lambda: ProcMesh([COMM.size, 2], COMM)
    )
    same_error("^np is 'two'; integers are needed", lambda: ProcMesh("two", COMM))
    same_error("^ndim is 3; 1 or 2 is needed", lambda: ProcMesh.split(3, COMM))
    for problem, pattern in (
        ((Type.R2R, (4, 4, 4), mesh, 0), "^type is .*C2C, R2C and C2R are needed"),
        ((Type.C2C, (4, 4, 4), mesh, Flags.SHIFTED_OUT), "^flags is .*; fields cannot be shifted"),
        ((Type.C2C, (), mesh, 0), r"^n is \[\]; one to 8 positive numbers"),
        ((Type.C2C, (4, 0, 4), mesh, 0), r"^n is \[4, 0, 4\]; one to 8 positive numbers"),
        ((Type.C2C, (4,), mesh, 0), r"^np is .*; a mesh of 1 axes allows"),
        ((Type.R2C, (4, 4), mesh, Flags.PADDED_R2C), "^flags is .*; rows are padded only where they are whole"),
        ((Type.R2C, (4, 4, 4), mesh, Flags.TRANSPOSED_IN), "^flags is .*; real fields cannot be transposed"),
    ):
        same_error(pattern, lambda problem=problem: Partition(*problem))
    partition = Partition(Type.R2C, (8, 6, 4), mesh, 0)
    i, o = LocalBuffer(partition), LocalBuffer(partition)
    same_error("is not its direction", lambda: Plan(partition, Direction.FORWARD, i, o, type=Type.C2R))
    small = LocalBuffer(Partition(Type.C2C, (1, 1, 1), mesh, 0))
    needed = f"^base has 16 bytes; the partition needs {16 * partition.alloc_local}$"  # which differs
    with pytest.raises(weft.Error, match=needed):
        LocalBuffer(partition, base=small)
    plan = Plan(partition, Direction.FORWARD, i, o)
    # Also where one rank alone has it wrong.
    same_error("^the plan is not in place; two buffers are needed", lambda: plan.execute(i, i if COMM.rank == 0 else o))
    same_error(
        "^o has 16 bytes; the plan needs", lambda: plan.execute(i, o if COMM.rank == 0 and COMM.size > 1 else small)
    )
    plan.execute(i, o)
    if COMM.size > 1:
        deep = ProcMesh([1, 1, COMM.size], COMM)
        partition = Partition(Type.C2C, (4, 4, 4, 4), deep, Flags.TRANSPOSED_OUT)
        i = LocalBuffer(partition)
        same_error("axis 3 would be dealt, only axes 0 to 2 can be", lambda: Plan(partition, Direction.FORWARD, i))


run_checks(globals())
