"""The distributed transform as mpi4py-fft has it: serial transforms and exchanges in turn, or Weft's own in their place."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _arguments, _core, _mpi
from .._errors import Error
from .._side import hosted
from . import native, serial
from .libfft import FFT, Direction, by_group, field_type, fits
from .pencil import Pencil, Subcomm, Transfer, axis_of, extents_of, grid_of, spanning

if TYPE_CHECKING:
    from .distarray import DistArray

_log = logging.getLogger("weft.mpi4py_fft")


class Transform:
    """Serial transforms with an exchange after each but the last.

    Parameters
    ----------
    xfftn : sequence of serial transforms
        Callables with `input_array` and `output_array`, such as `FFT.forward`.
    transfer : sequence of callables
        Called with the output array of a transform and the input array of the next one, such as `Transfer.forward`.
    pencil : two Pencils
        How input and output are split.
    agreement : optional
        Of the ranks, which then agree on arguments before they begin.
    plans : sequence of callables, optional
        What plans the exchanges, on which the ranks agree before the first call.
    """

    _agreement: _core.Agreement | None = None
    _plans: tuple[Callable[[], None], ...] = ()

    def __init__(
        self,
        xfftn: Sequence[Any],
        transfer: Sequence[Any],
        pencil: Sequence[Pencil],
        agreement: _core.Agreement | None = None,
        plans: Sequence[Callable[[], None]] = (),
    ) -> None:
        if len(xfftn) != len(transfer) + 1 or len(pencil) != 2:
            raise Error(
                f"xfftn, transfer and pencil have {len(xfftn)}, {len(transfer)} and {len(pencil)} items; "
                "one transfer less than transforms, and two pencils, are needed"
            )
        self._xfftn, self._transfer, self._pencil = tuple(xfftn), tuple(transfer), tuple(pencil)
        self._agreement, self._plans = agreement, tuple(plans)

    @property
    def input_array(self) -> NDArray[Any]:
        """What is transformed where a call names no input."""
        array: NDArray[Any] = self._xfftn[0].input_array
        return array

    @property
    def output_array(self) -> NDArray[Any]:
        """Where results are where a call names no output."""
        array: NDArray[Any] = self._xfftn[-1].output_array
        return array

    @property
    def dtypes(self) -> tuple[np.dtype[Any], np.dtype[Any]]:
        """Types of input and output."""
        first, last = self._xfftn[0], self._xfftn[-1]
        return (
            first.ends[0][1] if isinstance(first, Direction) else first.input_array.dtype,
            last.ends[1][1] if isinstance(last, Direction) else last.output_array.dtype,
        )

    @property
    def input_pencil(self) -> Pencil:
        """How input is split."""
        return self._pencil[0]

    @property
    def output_pencil(self) -> Pencil:
        """How output is split."""
        return self._pencil[1]

    def __call__(
        self, input_array: NDArray[Any] | None = None, output_array: NDArray[Any] | None = None, **options: Any
    ) -> NDArray[Any]:
        """Transform. Collective.

        Parameters
        ----------
        input_array, output_array : arrays, optional
            `self.input_array` and `self.output_array` by default. A given input is not changed. Arrays of other libraries will
            do, too, as for `weft.FFT.forward`.
        normalize : bool, optional
            Whether to divide by the number of points: by default forward does and backward does not.
        **options
            Further ones are handed to the serial transforms.

        Returns
        -------
        array
            `output_array`, or `self.output_array`, which the next call writes again.
        """
        first, last = self._xfftn[0], self._xfftn[-1]
        ends: list[dict[str, Any]] = [{}, {}]

        def prepare() -> tuple[Any, Any]:
            given, wanted = hosted(input_array, "input_array"), hosted(output_array, "output_array")
            if wanted is not None:
                shape = self.output_pencil.subshape
                if np.shape(wanted) != shape:
                    raise Error(f"output_array has shape {np.shape(wanted)}; {shape} is needed")
                if isinstance(wanted, np.ndarray) and not wanted.flags.writeable:
                    raise Error("output_array is read-only; it is written")
                if isinstance(last, Direction) and fits(wanted, last.ends[1]):
                    ends[1]["output_array"] = wanted
            if given is not None:
                result = ends[1].get("output_array")
                direct = isinstance(first, Direction) and fits(given, first.ends[0])
                if direct and not np.may_share_memory(given, self.output_array if result is None else result):
                    ends[0]["input_array"] = given
                else:
                    self.input_array[...] = given
            return given, wanted

        # Arrays of other libraries stay as long as their memory is used.
        if self._agreement is None:
            _given, wanted = prepare()
        else:
            if self._plans:
                # A part of the ranks plans each exchange: what it cannot plan is an error on all.
                _mpi.agreed(self._agreement, lambda: [plan() for plan in self._plans])
                self._plans = ()
            _given, wanted = _mpi.agreed(self._agreement, prepare)
        count = len(self._xfftn)
        for place, transform in enumerate(self._xfftn):
            # Arrays are named only where they are a caller's.
            transform(**(ends[0] if place == 0 else {}), **(ends[1] if place == count - 1 else {}), **options)
            if place < count - 1:
                self._transfer[place](transform.output_array, self._xfftn[place + 1].input_array)
        if output_array is None:
            return self.output_array
        if not ends[1]:
            wanted[...] = self.output_array
        return output_array


class PFFT:
    """A distributed transform and its inverse, `forward` and `backward`. Making one is collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm or Subcomm
        A Subcomm says how the field in space is split; it has a communicator for each axis.
    shape : sequence of integers
        Of the global array: of the field in space without padding.
    axes : integer, or sequence of integers or of groups of them, optional
        The axes to transform; the last is transformed first (and halved where the field is real), and the field is whole along
        it. The axes of a group are transformed in one serial call; they must be whole at that time. All axes by default.
    dtype : one of the types f, d, g, F, D, G
        Of the field in space. Real fields have half spectra.
    grid : sequence of integers, optional
        Ranks along each axis of the field in space, from the first axis on, 0 or -1 for any; missing ones are 1.
    padding : False, number, or one number for each axis
        How many times as many points, rounded down, the field has in space as in the spectrum. Axes in groups are not padded.
    collapse : bool
        Make a group of neighbours in `axes` that are whole at the same time. Serial calls are fewer; layouts may differ.
    backend : {'fftw', 'pyfftw', 'numpy', 'scipy', 'mkl_fft'}
        Whose serial transforms: see `libfft.FFT`.
    transforms : mapping, optional
        Serial transforms to use for groups of axes: see `libfft.FFT`.
    darray : DistArray, optional
        Shape, type and layout of the field in space, in place of `comm`, `shape`, `dtype`, `grid` and `padding`.
    slab : bool or int
        Split one axis only: this one, or the one behind the axis transformed first.
    engine : {'weft', 'serial'}, optional
        weft: Weft's own transforms, or an error that says why they will not do. serial: serial transforms between exchanges.
        By default weft where it will do. Layouts and results are the same.
    options : mapping, optional
        Options of `weft.FFT` by name, for the engine weft.
    **kw
        What mpi4py-fft hands on to FFTW (``threads``, ``planner_effort``, ``overwrite_input``): see `libfft.FFT`.

    Attributes
    ----------
    forward, backward : callables
        See `Transform`.
    engine : str
        weft or serial.
    reason : str
        Why the engine is serial; empty if it is not.
    axes : tuple of tuples of integers
        The groups, first to last, after `collapse`.
    pencil : list of two Pencils
        How the field in space and the spectrum are split.
    subcomm : sequence of communicators
        Which split the axes of the field in space.
    xfftn, transfer : lists
        The serial transforms and the exchanges between them, in the order of forward. The engine weft does not use them.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument.
    """

    _native: native.Native | None = None
    _arranged: native.Arrangement | None = None

    def __init__(
        self,
        comm: Any,
        shape: Sequence[int] | None = None,
        axes: Any = None,
        dtype: DTypeLike = float,
        grid: Sequence[int] | None = None,
        padding: Any = False,
        collapse: bool = False,
        backend: str = "fftw",
        transforms: Mapping[tuple[int, ...], Any] | None = None,
        darray: DistArray | None = None,
        *,
        slab: bool | int | None = False,
        engine: str | None = None,
        options: Mapping[str, Any] | None = None,
        **kw: Any,
    ) -> None:
        agreement = _agreement(comm, darray)
        asked = _mpi.agreed(
            agreement,
            lambda: _Asked.checked(
                agreement.size,
                (comm, shape, axes, dtype, grid, padding, collapse, backend, transforms, darray, slab, engine, options),
            ),
        )
        _mpi.require_same(agreement, "PFFT", **asked.by_argument())
        self.subcomm: Sequence[Any]
        if darray is not None:
            self.subcomm = darray.subcomm[darray.rank :]
        else:
            self.subcomm = comm if asked.dims is None else Subcomm.dealt(comm, asked.dims)
        self.collapse = asked.collapse
        self._input_shape = asked.extents
        self.xfftn: list[FFT] = []
        self.transfer: list[Transfer] = []
        self.forward: Any
        self.backward: Any
        _mpi.agreed(agreement, lambda: self._plan(asked, transforms, kw))
        self._output_shape = self.pencil[1].shape
        self.engine = "serial" if self.reason else "weft"
        if self._arranged is not None:
            # A part of the ranks may transform by itself: what it cannot make is an error on all.
            self._native = _mpi.agreed(
                agreement,
                lambda: native.Native(self._arranged, self.pencil, asked.modes, asked.field, asked.options, agreement),
            )
            self.forward, self.backward = self._native.forward, self._native.backward
        else:
            stages, moves = self.xfftn, self.transfer
            self.forward = Transform(
                [stage.forward for stage in stages],
                [move.forward for move in moves],
                self.pencil,
                agreement,
                [partial(move.plan, True) for move in moves],
            )
            self.backward = Transform(
                [stage.backward for stage in stages[::-1]],
                [move.backward for move in moves[::-1]],
                self.pencil[::-1],
                agreement,
                [partial(move.plan, False) for move in moves],
            )
        if agreement.rank == 0:
            why = f"serial FFTs between exchanges, because {self.reason}" if self.reason else "Weft's own transform"
            _log.info("%s: %s", self, why)

    def _plan(self, asked: _Asked, transforms: Any, kw: Mapping[str, Any]) -> None:
        """The groups, the serial transforms between exchanges, and why Weft's own will not do."""
        groups = asked.groups
        if any(self.subcomm[axis].Get_size() > 1 for axis in groups[-1]):
            raise Error(
                f"axes has the group {groups[-1]}, which is transformed first, but the field is split along an axis of it"
            )
        own = by_group(transforms, len(asked.extents))
        self.axes = _collapsed(groups, self.subcomm, asked.factors, own) if asked.collapse else groups
        flat = {axis for group in self.axes for axis in group}
        used = {axis for group in self.axes if group in own for axis in group}
        for group in own:
            # A mapping may have all the groups that some number of ranks makes: another one has the axes then.
            if flat.intersection(group) and not used.intersection(group):
                raise Error(f"transforms has the group {group}, but the groups that are transformed are {self.axes}")
        padding = asked.factors if asked.padded else False
        self._plan_stages(asked.extents, asked.field, padding, asked.backend, own, kw)
        self.reason = "the engine serial is asked for" if asked.engine == "serial" else ""
        if not self.reason:
            found = native.arrangement(self.axes, self.pencil, asked.field, asked.backend, own, asked.modes)
            self.reason, self._arranged = (found, None) if isinstance(found, str) else ("", found)
        if asked.engine == "weft" and self.reason:
            raise Error(f"engine is 'weft', but {self.reason}")

    def _plan_stages(
        self,
        extents: Sequence[int],
        dtype: np.dtype[Any],
        padding: Any,
        backend: str,
        transforms: Mapping[tuple[int, ...], Any] | None,
        kw: Mapping[str, Any],
    ) -> None:
        """The serial transforms, the exchanges between them, and the pencils at both ends."""
        pencil = Pencil(self.subcomm, extents, self.axes[-1][-1])
        self.pencil = [pencil]
        for group in self.axes[::-1]:
            if self.xfftn:
                following = pencil.pencil(group[-1])
                self.transfer.append(pencil.transfer(following, dtype))
                pencil = following
            split = [axis for axis in group if pencil.subcomm[axis].Get_size() > 1]
            if split:
                raise Error(f"axes has the group {group}, but axis {split[0]} is split when it is to be transformed")
            stage = FFT(pencil.subshape, group, dtype, padding, backend, transforms, **kw)
            if self.transfer and self.transfer[-1].comm.Get_size() == 1:
                stage.follow(self.xfftn[-1])
            self.xfftn.append(stage)
            local, dtype = stage.forward.ends[1]
            shape = list(pencil.shape)
            for axis in group:
                shape[axis] = local[axis]
            if shape != list(pencil.shape):
                pencil = Pencil(pencil.subcomm, shape, pencil.axis)
        self.pencil.append(pencil)

    def destroy(self) -> None:
        """Release communicators and memory. Collective; the object must not be used afterwards."""
        if isinstance(self.subcomm, Subcomm):
            self.subcomm.destroy()
        for move in self.transfer:
            move.destroy()
        if self._native is not None:
            self._native.close()

    def shape(self, forward_output: bool = True) -> tuple[int, ...]:
        """Shape of this rank's part of the spectrum (True) or of the field in space."""
        return self._pencil(forward_output).subshape

    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]:
        """The slices that cut this rank's part out of the global spectrum (True) or field in space."""
        return self._pencil(forward_output).local_slice

    def _pencil(self, forward_output: bool) -> Pencil:
        pencil: Pencil = self.forward.output_pencil if forward_output else self.forward.input_pencil
        return pencil

    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]:
        """Shape of the global spectrum (True) or field in space, padding included."""
        return self._output_shape if forward_output else self._input_shape

    @property
    def dimensions(self) -> int:
        """The number of axes, transformed or not."""
        return len(self._input_shape)

    def dtype(self, forward_output: bool = False) -> np.dtype[Any]:
        """Type of the spectrum (True) or of the field in space."""
        found: np.dtype[Any] = self.forward.dtypes[bool(forward_output)]
        return found

    def __repr__(self) -> str:
        size = " x ".join(map(str, self._input_shape))
        return f"<weft.mpi4py_fft.PFFT {size}, {self.dtype()}, axes {self.axes}, engine {self.engine}>"


def _agreement(comm: Any, darray: DistArray | None) -> _core.Agreement:
    """Of all ranks that make a plan. Collective."""
    from .distarray import DistArray

    if darray is not None and (not isinstance(darray, DistArray) or darray.pencil is None):
        raise Error(f"darray is {type(darray).__name__}; a DistArray with two axes or more is needed")
    comms = comm if darray is None else darray.subcomm
    if comms is None:
        raise Error("comm is None; a communicator of mpi4py is needed, e.g. MPI.COMM_WORLD")
    if not isinstance(comms, (tuple, list)):
        return _mpi.agreement(comms)
    if not comms or not all(isinstance(one, _mpi.mpi().Intracomm) for one in comms):
        raise Error(f"comm is {comm!r}; a communicator of mpi4py is needed, or one for each axis")
    with spanning(comms) as everyone:
        return _mpi.agreement(everyone)


class _Asked(NamedTuple):
    """The arguments of a PFFT, as far as all ranks must have the same."""

    extents: tuple[int, ...]
    """In space."""
    modes: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    field: np.dtype[Any]
    dims: list[int] | None
    """Ranks along each axis; None if the caller has dealt them."""
    padded: bool
    factors: list[float]
    collapse: bool
    backend: str
    own: list[tuple[int, ...]]
    """Groups with transforms of the caller's."""
    engine: str | None
    options: Mapping[str, Any]

    def by_argument(self) -> dict[str, Any]:
        """By the arguments of PFFT that they come from."""
        known = {"extents": "shape", "groups": "axes", "field": "dtype", "dims": "grid", "factors": "padding"}
        known["own"] = "transforms"
        return {known.get(name, name): value for name, value in self._asdict().items()}

    @classmethod
    def checked(cls, ranks: int, arguments: tuple[Any, ...]) -> _Asked:
        """Without a look at other ranks."""
        comm, shape, axes, dtype, grid, padding, collapse, backend, transforms, darray, slab, engine, options = (
            arguments
        )
        if engine not in (None, "weft", "serial"):
            raise Error(f"engine is {engine!r}; 'weft', 'serial' or None is needed")
        if shape is None:
            if darray is None:
                raise Error("neither shape nor darray is given; one of them is needed")
            shape = darray.pencil.shape
        elif darray is not None and tuple(extents_of(shape)) != darray.pencil.shape:
            raise Error(f"shape is {shape!r}, but darray has the shape {darray.pencil.shape}; give one of them")
        extents = modes = extents_of(shape)
        groups = _groups(axes, len(extents), None if darray is None else darray.alignment)
        if darray is not None:
            if padding is not False:
                raise Error(
                    f"padding is {padding!r}, but darray is given, whose shape is that in space; False is needed"
                )
            dtype = darray.dtype
        factors = [1.0] * len(extents)
        if padding is not False:
            factors, extents = _padded(padding, extents, groups)
        field = field_type(dtype)
        dims = None if darray is not None else _dims(comm, ranks, len(extents), groups[-1], grid, slab)
        _arguments.flag(collapse, "collapse")
        serial.check_backend(backend)
        own = by_group(transforms, len(extents))
        if options is not None and not (
            isinstance(options, Mapping) and all(isinstance(name, str) for name in options)
        ):
            raise Error(f"options is {options!r}; a mapping from names to values is needed")
        chosen = dict(options or {})
        try:
            texts = _arguments.option_texts(chosen)
            _core.check_words("c2c", "double", "none", texts)
        except Error as error:
            raise Error(f"options: {error}") from None
        if texts.get("in_place") == "true":
            raise Error("options has in_place, but input and output of PFFT are two arrays")
        return cls(
            tuple(extents),
            tuple(modes),
            groups,
            field,
            dims,
            padding is not False,
            factors,
            bool(collapse),
            backend,
            list(own),
            engine,
            chosen,
        )


def _groups(axes: Any, dimensions: int, alignment: int | None) -> tuple[tuple[int, ...], ...]:
    """The groups of axes, first to last. By default every axis is one, and that which is whole comes last."""
    if axes is None:
        turned = 0 if alignment is None else alignment + 1
        axes = [(axis + turned) % dimensions for axis in range(dimensions)]
    given = list(axes) if hasattr(axes, "__iter__") else [axes]
    groups = []
    for group in given:
        items = list(group) if isinstance(group, (tuple, list)) else [group]
        groups.append(tuple(axis_of(axis, dimensions, "axes") for axis in items))
    flat = [axis for group in groups for axis in group]
    if not all(groups) or not flat or len(set(flat)) < len(flat):
        raise Error(f"axes is {axes!r}; axes of which none comes twice are needed, alone or in groups")
    return tuple(groups)


def _collapsed(
    groups: Sequence[tuple[int, ...]],
    subcomm: Sequence[Any],
    factors: Sequence[float],
    own: Collection[tuple[int, ...]],
) -> tuple[tuple[int, ...], ...]:
    """Groups that are whole from the beginning join what is transformed before them, unless they are padded, or the caller has
    transforms for one of them and none for both together."""
    found: list[tuple[int, ...]] = []
    last = len(groups)
    while last:
        first = last - 1
        while first and all(subcomm[axis].Get_size() == 1 and factors[axis] == 1 for axis in groups[first - 1]):
            first -= 1
        if any(factors[axis] != 1 for axis in groups[last - 1]):
            first = last - 1
        runs = {begin: tuple(axis for group in groups[begin:last] for axis in group) for begin in range(first, last)}
        mine = [begin for begin, run in runs.items() if run in own]
        theirs = [begin for begin in runs if groups[begin] in own]
        begin = mine[0] if mine else max(theirs) + 1 if theirs else first
        found.insert(0, runs[begin])
        last = begin
    return tuple(found)


def _padded(padding: Any, extents: Sequence[int], groups: Sequence[tuple[int, ...]]) -> tuple[list[float], list[int]]:
    """For each axis how many times as many points it has in space; and the extents in space."""
    try:
        given = [float(factor) for factor in ([padding] * len(extents) if np.ndim(padding) == 0 else padding)]
    except (TypeError, ValueError):
        given = []
    if len(given) != len(extents) or isinstance(padding, (bool, str)):
        raise Error(f"padding is {padding!r}; False, a number, or {len(extents)} numbers are needed, one for each axis")
    if not all(1 - 1e-6 <= factor < 2**32 for factor in given):
        raise Error(f"padding is {padding!r}; numbers from 1 are needed")
    factors, found = [1.0] * len(extents), list(extents)
    for group in groups:
        for axis in group:
            if given[axis] > 1.0 + 1e-6:
                if len(group) > 1:
                    raise Error(
                        f"padding is {padding!r}, but axes has the group {group}; axes in groups cannot be padded"
                    )
                found[axis] = int(np.floor(extents[axis] * given[axis]))
                factors[axis] = found[axis] / extents[axis]
    return factors, extents_of(found, "shape with padding")


def _dims(comm: Any, ranks: int, dimensions: int, first: tuple[int, ...], grid: Any, slab: Any) -> list[int] | None:
    """Ranks along each axis of the field in space; `first` are the axes transformed first."""
    given = isinstance(comm, (tuple, list))
    if given + (grid is not None) + (slab is not None and slab is not False) > 1:
        raise Error("of a Subcomm as comm, grid and slab more than one is given; one of them is allowed")
    if given:
        if len(comm) != dimensions:
            raise Error(f"comm has {len(comm)} communicators; {dimensions} are needed, one for each axis of shape")
        return None
    if grid is not None:
        if isinstance(grid, str) or not hasattr(grid, "__len__") or not 0 < len(grid) <= dimensions:
            raise Error(f"grid is {grid!r}; at most {dimensions} integers are needed, one for each axis")
        return grid_of(ranks, [*grid, *[1] * (dimensions - len(grid))], "grid")
    if slab is None or slab is False:
        dims = [int(axis in first) for axis in range(dimensions)]
    else:
        axis = (first[-1] + 1) % dimensions if slab is True else axis_of(slab, dimensions, "slab")
        dims = [int(other != axis) for other in range(dimensions)]
    if ranks > 1 and 0 not in dims:
        raise Error(
            f"axes has the group {first}, all axes, which are transformed first and cannot be split among {ranks} ranks"
        )
    return grid_of(ranks, dims)
