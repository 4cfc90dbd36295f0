"""Transforms of a sphere of plane waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _arguments, _core, _mpi, _tuning
from ._arguments import Box, Corner
from ._collective import Collective
from ._ends import Statistics
from ._errors import Error
from ._html import of_plan
from ._memory import empty
from ._side import host_array
from ._tuning import TunedSphere

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class SphereFFT(Collective[_core.Sphere]):
    """Wave functions between a sphere of plane waves and space; lines of zeroes are neither transformed nor sent.

    With G = (x, y, z) and the point r = (i, j, k) of the grid of n_x x n_y x n_z::

        backward:  psi(r) = sum over G of c(G) exp(+2 pi i (x i / n_x + y j / n_y + z k / n_z))
        forward:   c(G)   = sum over r of psi(r) exp(-2 pi i (...)),    for the G of the sphere only

    Arrays in space are ``[z, y, x]``, x fastest, as plane-wave codes have them; each rank holds some planes of z or,
    with the option ``process_grid`` and by itself on more ranks than planes, some rows (y) of some planes. (For arrays ``[x, y, z]`` give the grid and the indices with x and z swapped.) Creation and execution are collective over
    the communicator; arguments other than waves, planes and arrays must be the same on all ranks.

    Parameters
    ----------
    grid : three integers
        n_x, n_y, n_z.
    indices : integers of shape (n, 3)
        x, y, z of this rank's plane waves, each from -n/2 to n-1 (negative ones and those from n/2 on mean the same),
        in any order. All waves with the same x and y, a column, must be on one rank. A rank may have none.
    results : integers of shape (n, 3), optional
        Other plane waves that `forward` and `apply` give than `backward`, `apply` and `density` take, on all ranks or on none:
        of another cutoff, k-point or order. A column of both must be on one rank.
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default. It is duplicated.
    gamma : bool
        Real in space, ``c(-G) == conj(c(G))``: of each pair one is given, whichever.
    precision, dtype
        As for `weft.FFT`.
    howmany : int
        Bands that stream through one execution. Calls may have any number of bands.
    normalization : {'none', 'forward', 'backward', 'ortho'}
        Where the factor 1 / (n_x n_y n_z) is put.
    padded : two integers, optional
        Points of a row and rows of a plane that arrays in space have in memory, at least those that there are (0: these):
        their shape is then (planes, rows, points), of which ``[:, :n_y, :n_x]`` is used. What lies beyond is neither read
        nor written. As ABINIT has them (n4, n5), or FFTW with ``nembed``.
    spinors : bool
        Bands 2s and 2s + 1 are the components of spinor s; `apply` and `density` then have four fields (not with gamma). An
        odd `howmany` is taken as the next even number.
    planes : int, optional
        How many whole planes of z this rank has, in the order of ranks; dealt evenly if no rank gives it.
    share : SphereFFT, optional
        Another one, over the same communicator (`comm` is then not given), with which exchange buffers and scratch are
        had in common, and with all that it shares already: for many spheres, one for each k-point, of which never two
        are executed at the same time (by threads). Buffers are as large as the largest of them needs, and end with the
        last. The option ``node_size`` must be that of the other.
    backward, forward : mapping, optional
        Options of one direction only: ``forward={'tile': 4}``. `apply` and `density` have those of backward.
    tune : {'estimate', 'measure', 'patient'} or mapping, optional
        Have Weft choose the options that are not given, for each direction by itself: see `weft.tune_sphere`. What was
        chosen is in `tuned`.
    **options
        Library options by name, of both directions, of those that apply to a sphere: see `weft.options`.

    Raises
    ------
    weft.Error
        On every rank alike, naming plane wave and rank, or the bad argument, its value and what is allowed.

    Examples
    --------
    >>> lattice = 10.2 * np.eye(3)
    >>> grid = weft.sphere_grid(lattice, ecut=10)
    >>> mine = weft.cutoff_sphere(grid, lattice, 10, ranks=comm.size, rank=comm.rank)
    >>> sphere = weft.SphereFFT(grid, mine, comm)
    >>> psi = sphere.backward(c)                       # c: (bands, len(mine))
    """

    def __init__(
        self,
        grid: Sequence[int],
        indices: Any,
        comm: Intracomm | None = None,
        *,
        results: Any = None,
        gamma: bool = False,
        precision: str | None = None,
        dtype: DTypeLike | None = None,
        howmany: int = 1,
        normalization: str = "none",
        padded: Sequence[int] | None = None,
        spinors: bool = False,
        planes: int | None = None,
        share: SphereFFT | None = None,
        backward: Mapping[str, Any] | None = None,
        forward: Mapping[str, Any] | None = None,
        tune: str | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if share is not None:
            if not isinstance(share, SphereFFT):
                raise Error(f"share is {share!r}; a weft.SphereFFT is needed")
            if comm is not None:
                raise Error("share and comm are given; with share, the communicator is that of the other transform")
        other, agreement = (None, _mpi.agreement(comm)) if share is None else share._alive()

        def check() -> tuple[Any, ...]:
            there, back = _options(options, backward, "backward"), _options(options, forward, "forward")
            arguments = _arguments.sphere(
                *(grid, indices, gamma, precision, dtype, howmany, normalization, padded, spinors),
                *(there, back, planes),
            )
            others = None if results is None else _arguments.wave_indices(results, "results")
            return _tuning.wishes_of(tune, there | back), others, *arguments

        wishes, others, *arguments = _mpi.agreed(agreement, check)
        # What chooses which code the library runs.
        _mpi.require_same(agreement, "weft.SphereFFT", precision=arguments[0].precision, tune=_mpi.given(tune))
        self.tuned: TunedSphere | None = None
        """What `tune` has chosen, and why."""
        if wishes is not None:
            self.tuned = _tuning.tuned_sphere(agreement, arguments, wishes)
            arguments[2:4] = [dict(self.tuned.backward.options), dict(self.tuned.forward.options)]
        sphere = _core.Sphere(agreement if other is None else other, *arguments, others)
        self._held = sphere, agreement
        self._waves, self._results = len(arguments[1]), len(arguments[1] if others is None else others)
        self._plan = sphere.plan
        self._check = self._plan.option("check") == "true"
        first = sphere.bands_here(agreement.size)
        self._groups = agreement.size // max(1, first[1] - first[0])  # of as many bands as ranks, each has as many
        double = self._plan.precision == "double"
        self._real = np.dtype(np.float64 if double else np.float32)
        self._complex = np.dtype(np.complex128 if double else np.complex64)

    # ---- execution

    def backward(self, c: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """To space. Collective.

        Parameters
        ----------
        c : complex array of shape (waves,) or (bands, waves)
            This rank's coefficients, in the order of `indices`. Bands may be further apart than their length. Here and
            elsewhere arrays of other libraries will do, too, as for `weft.FFT.forward`.
        out : array of `space_shape`, or (bands, *space_shape), optional
            Where to write; allocated if not given.

        Returns
        -------
        array
            `out`: complex, or real with ``gamma``.
        """

        def prepare() -> tuple[Any, ...]:
            waves = host_array(c, "c")
            bands, waves_apart = self._bands(waves, (self.waves,), self._complex, "c")
            here = self._bands_here(bands)
            target = self._target(out, here, self.space_shape, self._space_dtype)
            points_apart = self._bands(target, self.space_shape, self._space_dtype, "out", here)[1]
            return waves, target, (_count(bands), waves_apart, points_apart)

        waves, target, call = self._agreed(prepare)
        self._alive()[0].backward(_address(waves), _address(target), *call)
        return target if out is None else out

    def forward(self, psi: NDArray[Any], out: NDArray[Any] | None = None, *, accumulate: bool = False) -> NDArray[Any]:
        """To the plane waves of the sphere. Collective.

        Parameters
        ----------
        psi : array of `space_shape`, or (bands, *space_shape)
            Complex, or real with ``gamma``.
        out : complex array of shape (results,) or (bands, results), optional
            Where to write; allocated if not given.
        accumulate : bool
            Add to what is in `out`, which must be given.

        Returns
        -------
        array
            `out`.
        """

        def prepare() -> tuple[Any, ...]:
            self._sum(accumulate, out)
            points = host_array(psi, "psi")
            here, points_apart = self._bands(points, self.space_shape, self._space_dtype, "psi")
            if out is None and self._groups > 1:
                raise Error(f"out is not given; with groups={self._groups} it tells how many bands there are in all")
            target = self._target(out, here, (self.results,), self._complex)
            bands, waves_apart = self._bands(target, (self.results,), self._complex, "out")
            if here != self._bands_here(bands):
                raise Error(
                    f"psi has shape {points.shape}; {_count(self._bands_here(bands))} bands are needed on this rank"
                )
            return points, target, (_count(bands), waves_apart, points_apart)

        points, target, call = self._agreed(prepare)
        self._alive()[0].forward(_address(points), _address(target), *call, accumulate)
        return target if out is None else out

    def apply(
        self, v: NDArray[Any], c: NDArray[Any], out: NDArray[Any] | None = None, *, accumulate: bool = False
    ) -> NDArray[Any]:
        """A local potential: ``forward(v * backward(c))``, without an array in space. Collective.

        Parameters
        ----------
        v : array of `space_shape`
            Real, or complex (not with `gamma`). With `spinors`, real of shape (4, *`space_shape`): V11, V22, Re V12 and
            Im V12 of the Hermitian matrix by which the two components are multiplied at a point (of a potential v and a
            magnetic field B: v + B_z, v - B_z, B_x, -B_y).
        c : complex array of shape (waves,) or (bands, waves)
        out : complex array of shape (results,) or (bands, results), optional
            May be `c` itself, if it has as many numbers; allocated if not given.
        accumulate : bool
            Add to what is in `out`, which must be given: ``hpsi += v psi``.

        Returns
        -------
        array
            `out`.
        """

        def prepare() -> tuple[Any, ...]:
            self._sum(accumulate, out)
            potential, waves = host_array(v, "v"), host_array(c, "c")
            complex_too = potential.dtype == self._complex and not self.gamma and not self.spinors
            self._exactly(potential, self._field_shape, self._complex if complex_too else self._real, "v")
            bands, apart = self._bands(waves, (self.waves,), self._complex, "c")
            target = self._target(out, bands, (self.results,), self._complex)
            results_apart = self._bands(target, (self.results,), self._complex, "out", bands)[1]
            return potential, waves, target, (_count(bands), apart, results_apart)

        potential, waves, target, call = self._agreed(prepare)
        is_complex = potential.dtype == self._complex
        self._alive()[0].apply(_address(potential), is_complex, _address(waves), _address(target), *call, accumulate)
        return target if out is None else out

    def density(
        self,
        c: NDArray[Any],
        weights: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
        imaginary_weights: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Adds ``weights[b] * abs(backward(c[b]))**2`` for all bands to `out`. Collective.

        Parameters
        ----------
        c : complex array of shape (waves,) or (bands, waves)
        weights : a number for each band, optional
            1 if not given; the same on all ranks. Of a spinor's two bands the first one's counts.
        out : real array of `space_shape`, optional
            Zeroes if not given. With `spinors`, of shape (4, *`space_shape`), of the density matrix
            ``psi_a * conj(psi_b)``: n11, n22, Re n12 and Im n12 (the density is n11 + n22, the magnetisation 2 Re n12,
            -2 Im n12, n11 - n22).
        imaginary_weights : a number for each band, optional
            Of the squares of imaginary parts; `weights` are then those of the real parts: of two real functions that a band
            holds. Not with gamma.

        Returns
        -------
        array
            `out`.
        """

        def prepare() -> tuple[Any, ...]:
            waves = host_array(c, "c")
            bands, apart = self._bands(waves, (self.waves,), self._complex, "c")
            factors = [
                _weights(weights, "weights", _count(bands)),
                _weights(imaginary_weights, "imaginary_weights", _count(bands)),
            ]
            target = np.zeros(self._field_shape, self._real) if out is None else host_array(out, "out")
            self._exactly(target, self._field_shape, self._real, "out")
            if not target.flags.writeable:
                raise Error("out is read-only; a writable array is needed")
            return waves, factors, target, (_count(bands), apart)

        waves, factors, target, call = self._agreed(prepare)
        weights_at = [0 if one is None else _address(one) for one in factors]
        self._alive()[0].density(_address(waves), *weights_at, _address(target), *call)
        return target if out is None else out

    def bands_here(self, count: int) -> slice:
        """Which bands of a call with so many this rank has in space: all, but with the option ``groups``.

        That spreads bands over groups of consecutive ranks (task groups; their number divides that of the ranks), and
        space over the ranks of a group.
        """
        return slice(*self._alive()[0].bands_here(_arguments.integer(count, "count", 0)))

    def _bands_here(self, bands: int | None) -> int | None:
        if bands is None and self._groups == 1:
            return None
        here = self.bands_here(_count(bands))
        return int(here.stop - here.start)

    def _agreed(self, prepare: Any) -> Any:
        sphere, agreement = self._alive()
        return _mpi.agreed(agreement, prepare, sphere.raise_any) if self._check else prepare()

    def _bands(
        self, x: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any], name: str, bands: int | str | None = "any"
    ) -> tuple[int | None, int]:
        """The bands of an array (None if it has no such axis), and how far apart they are in numbers."""
        if x.dtype != dtype:
            raise Error(f"{name} has dtype {x.dtype}; {dtype} is needed")
        single = x.shape == shape
        wanted = "any" if bands == "any" else "one" if bands is None else bands
        fits = single or (x.ndim == len(shape) + 1 and x.shape[1:] == shape)
        if not fits or (wanted != "any" and (single != (bands is None) or (not single and x.shape[0] != bands))):
            axes = {"any": f"{shape} or (bands, {', '.join(map(str, shape))})", "one": f"{shape}"}
            raise Error(
                f"{name} has shape {x.shape}; {axes.get(str(wanted), str((bands, *shape)))} is needed: this rank's part"
            )
        if single or x.shape[0] == 0:
            inner, step = x, 0
        else:
            inner, step = x[0], x.strides[0] if x.shape[0] > 1 and x.size else 0
        # The library takes a distance of 0 for bands that lie one after the other.
        if not inner.flags.c_contiguous or (x.size > inner.size and (step % x.itemsize or step < inner.nbytes)):
            raise Error(
                f"{name} of shape {x.shape} has strides {x.strides}; each band must be C-contiguous and apart from the others "
                "(numpy.ascontiguousarray makes a copy that is)"
            )
        return (None if single else x.shape[0]), step // x.itemsize

    def _target(self, out: Any, bands: int | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        if out is None:
            return empty(shape if bands is None else (bands, *shape), dtype)
        target = host_array(out, "out")
        if not target.flags.writeable:
            raise Error("out is read-only; a writable array is needed")
        return target

    @staticmethod
    def _sum(accumulate: bool, out: Any) -> None:
        if _arguments.flag(accumulate, "accumulate") and out is None:
            raise Error("accumulate is True, but out is not given; it is what is added to")

    @staticmethod
    def _exactly(x: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> None:
        if x.dtype != dtype or x.shape != shape or not x.flags.c_contiguous:
            raise Error(
                f"{name} is {x.dtype} of shape {x.shape}; a C-contiguous {dtype} array of shape {shape} is needed"
            )

    # ---- what this rank holds

    @property
    def plan(self) -> _core.SpherePlan:
        """What this rank does, as data: ``print(sphere.plan)`` explains it. With ``groups``, of this rank's group."""
        return self._plan

    @property
    def grid(self) -> Corner:
        """n_x, n_y, n_z."""
        return self._plan.grid

    @property
    def gamma(self) -> bool:
        """Whether wave functions are real in space."""
        return self._plan.gamma

    @property
    def spinors(self) -> bool:
        """Whether pairs of bands are spinors."""
        return self._plan.spinors

    @property
    def _field_shape(self) -> tuple[int, ...]:
        """Of the fields that points are multiplied by, or summed into."""
        return (4, *self.space_shape) if self.spinors else self.space_shape

    @property
    def waves(self) -> int:
        """Plane waves of this rank."""
        return self._waves

    @property
    def results(self) -> int:
        """Plane waves that `forward` and `apply` give."""
        return self._results

    @property
    def space_box(self) -> Box:
        """This rank's part of the arrays in space: ``(lo, hi)`` along z, y, x."""
        return self._plan.space_box

    @property
    def space_shape(self) -> Corner:
        """Shape of this rank's part: (planes, rows, n_x), or with what `padded` puts beyond; rows are n_y, but where ranks
        share planes."""
        return self._plan.space_extents

    @property
    def _space_dtype(self) -> np.dtype[Any]:
        return self._real if self.gamma else self._complex

    @property
    def statistics(self) -> Statistics:
        """What executions have cost so far on this rank; exchanges of backward, forward, apply and density."""
        return Statistics.of(self._alive()[0].statistics())

    def reset_statistics(self) -> None:
        """Start counting anew."""
        self._alive()[0].reset_statistics()

    def _repr_html_(self) -> str:
        return of_plan(self._plan.explain(), repr(self))

    def __repr__(self) -> str:
        plan = self._plan
        size = " x ".join(map(str, plan.grid))
        kind = "real" if plan.gamma else "complex"
        return f"<weft.SphereFFT {size}, {kind} in space, {plan.precision}, rank {plan.rank} of {plan.ranks}>"


def cutoff_sphere(
    grid: Sequence[int],
    lattice: Any,
    ecut: float,
    *,
    k: Sequence[float] = (0, 0, 0),
    gamma: bool = False,
    ranks: int = 1,
    rank: int = 0,
    sharing: int = 1,
) -> NDArray[np.int64]:
    """This rank's plane waves of a sphere, |k + G|^2 / 2 <= ecut, dealt by whole columns, the longest first.

    Parameters
    ----------
    grid : three integers
        n_x, n_y, n_z; the sphere must fit.
    lattice : three vectors
        a1, a2, a3 in bohr.
    ecut : float
        Hartree.
    k : three numbers
        In units of the reciprocal lattice vectors.
    gamma : bool
        One of each pair G, -G only, and G = 0: those with x > 0, or x = 0 and y > 0, or x = y = 0 and z >= 0.
    ranks, rank : int
        Over how many ranks the columns are dealt, and whose are wanted.
    sharing : int
        How many ranks will share planes, Q of ``process_grid="PxQ"``: columns are dealt by x first, so that the first exchange
        is among P ranks and not among all.

    Returns
    -------
    int64 array of shape (n, 3)
    """
    grid = _arguments.triple(grid, "grid", 1)
    ranks, rank = _arguments.small(ranks, "ranks", 1), _arguments.small(rank, "rank", 0)
    if rank >= ranks:
        raise Error(f"rank is {rank}; allowed are 0 to {ranks - 1}")
    waves = _core.plane_waves(*_cutoff(lattice, ecut, k), _arguments.flag(gamma, "gamma"))
    most = np.abs(waves).max(axis=0, initial=0)
    for n, reach, axis in zip(grid, most, "xyz"):
        if 2 * reach >= n + (n == 1):
            raise Error(f"grid has {n} points along {axis}; the sphere needs at least {2 * reach + 1}")
    return _core.deal_columns(waves, ranks, _arguments.small(sharing, "sharing", 1))[rank]


def sphere_grid(lattice: Any, ecut: float, *, k: Sequence[float] = (0, 0, 0), box_cut: float = 2) -> Corner:
    """The smallest grid (n_x, n_y, n_z) with prime factors 2, 3, 5, 7 that is `box_cut` times as large as the sphere.

    Extents are at least ``2 * box_cut * m + 1`` for indices up to m: 1 holds the sphere, 2 all products of two of its
    functions.
    """
    return _core.sphere_grid(*_cutoff(lattice, ecut, k), _arguments.number(box_cut, "box_cut"))


def sphere_plan(
    grid: Sequence[int],
    indices: Sequence[Any],
    rank: int = 0,
    *,
    gamma: bool = False,
    precision: str | None = None,
    dtype: DTypeLike | None = None,
    howmany: int = 1,
    normalization: str = "none",
    padded: Sequence[int] | None = None,
    spinors: bool = False,
    results: Sequence[Any] | None = None,
    backward: Mapping[str, Any] | None = None,
    forward: Mapping[str, Any] | None = None,
    **options: Any,
) -> _core.SpherePlan:
    """Plan a sphere's transforms for any number of ranks, without MPI and without allocating bands.

    `indices` holds the plane waves of each rank, and so does `results`; everything else is as for `SphereFFT`.
    """
    return _core.dry_sphere(
        _arguments.sphere_problem(grid, gamma, precision, dtype, howmany, normalization, padded, spinors),
        [_arguments.wave_indices(waves) for waves in _arguments.items(indices, "indices")],
        _options(options, backward, "backward"),
        _options(options, forward, "forward"),
        _arguments.small(rank, "rank"),
        [_arguments.wave_indices(waves, "results") for waves in _arguments.items(results, "results")]
        if results is not None
        else [],
    )


def _options(common: Mapping[str, Any], own: Mapping[str, Any] | None, argument: str) -> dict[str, str]:
    if own is not None and not isinstance(own, Mapping):
        raise Error(f"{argument} is {own!r}; a mapping of options is needed")
    return _arguments.option_texts({**common, **(own or {})}, _arguments.OF_SPHERES)


def _cutoff(lattice: Any, ecut: Any, k: Any) -> tuple[list[list[float]], float, list[float]]:
    vectors = _arguments.numbers(lattice, "lattice", (3, 3), "three vectors")
    energy = _arguments.number(ecut, "ecut")
    if not 0 < energy < np.inf:
        raise Error(f"ecut is {energy:g}; a positive number of hartree is needed")
    point = _arguments.numbers(k, "k", (3,), "three numbers")
    return [[float(x) for x in vector] for vector in vectors], energy, [float(x) for x in point]


def _address(x: NDArray[Any]) -> int:
    address: int = x.__array_interface__["data"][0]
    return address


def _weights(given: ArrayLike | None, name: str, bands: int) -> NDArray[np.float64] | None:
    if given is None:
        return None
    found = np.ascontiguousarray(given, dtype=np.float64)
    if found.shape != (bands,):
        raise Error(f"{name} has shape {found.shape}; ({bands},) is needed, one for each band of c")
    return found


def _count(bands: int | None) -> int:
    return 1 if bands is None else bands
