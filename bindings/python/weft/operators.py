"""Functions for `weft.Operator`: those that the library has, tables, and functions of one's own.

At wave numbers k = (k0, k1, k2), of spectra u; ``i`` is the imaginary unit. Derivatives of odd order have no Nyquist
frequency: there k is 0 along an axis of even extent.

>>> solve = weft.Operator((128, 128, 128), weft.operators.inverse_laplacian(), kind="r2c")
>>> potential = solve(density)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments, _core
from ._errors import Error

if TYPE_CHECKING:
    from ._operator import Operator

__all__ = [
    "Function",
    "compiled",
    "convolution",
    "correlation",
    "cross",
    "curl",
    "derivative",
    "divergence",
    "gaussian",
    "gradient",
    "heat",
    "inverse_laplacian",
    "laplacian",
    "multiply",
    "products",
    "projection",
    "shift",
    "truncate",
]

Make = Callable[[], _core.PointFunction]


class Function:
    """What `weft.Operator` applies at every point. Made by the functions of this module."""

    #: The same on all ranks.
    text: str = ""

    def outline(self, problem: _core.Problem, at: str, fields: tuple[int, int]) -> _core.PointFunction:
        """Enough of it to plan with; `at` and `fields` are for functions that can be anywhere, and of any number."""
        raise NotImplementedError

    def prepared(self, operator: Operator) -> Make:
        """Checks what it was given, as this rank has it; the result makes the function, which may be collective."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<weft.operators.{self.text}>"


class _Named(Function):
    """One that needs numbers only."""

    def __init__(self, name: str, *values: Any) -> None:
        for value in values:
            if isinstance(value, (bool, str)) or not np.isscalar(value) or np.iscomplexobj(value):
                raise Error(f"{name} is given {value!r}; a number is needed")
        self._name, self._values = name, [float(value) for value in values]
        self.text = f"{name}({', '.join(map(repr, self._values))})"

    def outline(self, problem: _core.Problem, at: str, fields: tuple[int, int]) -> _core.PointFunction:
        return _core.PointFunction.named(problem, self._name, self._values)

    def prepared(self, operator: Operator) -> Make:
        return lambda: _core.PointFunction.named(operator._problem, self._name, self._values)


def named(name: str, *values: float) -> Function:
    """The library's function of that name, with its numbers: ``named("gaussian", 0.1)``. What is wrong is said when there is
    a problem for it."""
    return _Named(name, *values)


class _Multiply(Function):
    """By a table, a factor for each axis, or a function of wave numbers or coordinates that is called once."""

    def __init__(self, table: Any, at: str) -> None:
        self._at = _arguments.word(at, "at")
        self._table = table
        self._separable = isinstance(table, (tuple, list)) and len(table) > 2 and all(np.ndim(f) == 1 for f in table)
        form = "factors" if self._separable else "function" if callable(table) else "table"
        self.text = f"multiply({form}, at={self._at!r})"

    def outline(self, problem: _core.Problem, at: str, fields: tuple[int, int]) -> _core.PointFunction:
        return _core.PointFunction.outline(problem, self._at, 1, 1, True)

    def prepared(self, operator: Operator) -> Make:
        plan = operator.plan
        in_space = plan.at == "points"
        if self._separable:
            grid = operator.middle_grid
            if len(self._table) != len(grid):
                raise Error(f"multiply has {len(self._table)} factors; {len(grid)} are needed, one for each axis")
            factors = [self._numbers(f, f"factor {axis}", operator) for axis, f in enumerate(self._table)]
            for axis, (factor, n) in enumerate(zip(factors, grid)):
                if factor.shape != (n,):
                    what = "coordinate" if in_space else "wave number"
                    raise Error(
                        f"factor {axis} has shape {factor.shape}; ({n},) is needed, one for each {what} of axis {axis}"
                    )
            if not in_space:
                full = [np.ascontiguousarray(factor, operator._complex) for factor in factors]
                return lambda: _core.PointFunction.separable(
                    operator._problem, [_address(f) for f in full], [len(f) for f in full]
                )
            table = np.ones((), operator._real)
            for factor, part in zip(factors, operator.middle_slice):
                table = table[..., None] * factor[part]
        elif callable(self._table):
            places = operator.coordinates() if in_space else operator.wavenumbers()
            table = self._numbers(self._table(*places), "what the function of multiply returned", operator)
            try:
                table = np.broadcast_to(table, operator.middle_shape)
            except ValueError:
                self._check_shape(table, "what the function of multiply returned", operator)
        else:
            table = self._numbers(self._table, "table", operator)
            self._check_shape(table, "table", operator)
        real = table.dtype.kind == "f"
        whole = np.ascontiguousarray(table)
        at = plan.at
        return lambda: _core.PointFunction.table(operator._problem, at, _address(whole), whole.size, real)

    @staticmethod
    def _numbers(value: Any, name: str, operator: Operator) -> np.ndarray[Any, Any]:
        """As real or complex numbers of the operator's precision."""
        found = np.asarray(value)
        if found.dtype.kind not in "biufc":
            raise Error(f"{name} has dtype {found.dtype}; real or complex numbers are needed")
        if found.dtype.kind == "c" and operator.middle_dtype.kind == "f":
            raise Error(f"{name} has dtype {found.dtype}; fields in space are real with kind r2c, and so must it be")
        return found.astype(operator._complex if found.dtype.kind == "c" else operator._real, copy=False)

    @staticmethod
    def _check_shape(table: np.ndarray[Any, Any], name: str, operator: Operator) -> None:
        if table.shape != operator.middle_shape:
            part = ", ".join(f"{s.start}:{s.stop}" for s in operator.middle_slice)
            raise Error(
                f"{name} has shape {table.shape}; {operator.middle_shape} is needed: this rank's part [{part}] of the "
                f"middle layout of {operator.middle_grid} (see the operator's middle_shape and wavenumbers)"
            )


class _Kernel(Function):
    """Times the spectrum of a field, or its conjugate."""

    def __init__(self, kernel: Any, conjugate: bool) -> None:
        self._kernel, self._conjugate = kernel, conjugate
        self.text = "correlation(kernel)" if conjugate else "convolution(kernel)"

    def outline(self, problem: _core.Problem, at: str, fields: tuple[int, int]) -> _core.PointFunction:
        return _core.PointFunction.outline(problem, "wavenumbers", 1, 1, True)

    def prepared(self, operator: Operator) -> Make:
        kernel = operator._kernel_side.check(self._kernel, "kernel", written=False)
        problem, layout = operator._problem, operator._layouts[0]
        agreement = operator._alive()[1]
        return lambda: _core.PointFunction.kernel(
            problem, _address(kernel), kernel.size, self._conjugate, agreement, operator._options, layout
        )


class _Compiled(Function):
    def __init__(self, function: Any, context: Any) -> None:
        self._function = function  # what its code belongs to stays
        self._address = _compiled_address(function)
        if not self._address:
            raise Error(f"function is {function!r}; the address of a compiled function is needed")
        self._context = 0 if context is None else _arguments.integer(context, "context", 0)
        self.text = "compiled(...)"

    def outline(self, problem: _core.Problem, at: str, fields: tuple[int, int]) -> _core.PointFunction:
        return _core.PointFunction.outline(problem, at, *fields, False)

    def prepared(self, operator: Operator) -> Make:
        plan = operator.plan
        return lambda: _core.PointFunction.compiled(
            operator._problem, plan.at, plan.inputs, plan.outputs, self._address, self._context
        )


class _Python(Function):
    def __init__(self, function: Callable[[Any], None]) -> None:
        self._function = function
        self.text = "a function in Python"

    def outline(self, problem: _core.Problem, at: str, fields: tuple[int, int]) -> _core.PointFunction:
        return _core.PointFunction.outline(problem, at, *fields, False)

    def prepared(self, operator: Operator) -> Make:
        plan, views = operator.plan, operator._views()
        return lambda: _core.PointFunction.callable(
            operator._problem, plan.at, plan.inputs, plan.outputs, self._function, views
        )

    def __repr__(self) -> str:
        return repr(self._function)


def laplacian(stencil: str = "spectral") -> Function:
    """``-k^2 u``; or as central differences of that order have it, of second order ``-sum (2 sin(k h / 2) / h)^2 u``.

    Parameters
    ----------
    stencil : {'spectral', 'second_order', 'fourth_order', 'sixth_order', 'eighth_order', 'compact_fourth_order', 'compact_sixth_order'}
        Not 'mehrstellen_fourth_order' and 'mehrstellen_sixth_order', which `inverse_laplacian` takes.
    """
    return _Named("laplacian", _stencil(stencil))


def inverse_laplacian(stencil: str = "spectral", shift: float = 0) -> Function:
    """The field whose Laplacian less `shift` times it is u: Poisson's and Helmholtz's equation.

    Parameters
    ----------
    stencil
        As for `laplacian`; or 'mehrstellen_fourth_order', 'mehrstellen_sixth_order' (with one spacing): compact differences along up to
        three axes together.
    shift : float
        With 0, where the Laplacian makes nothing of a constant, u is taken less its mean, and the field has the mean 0.
        An error if another wave has the eigenvalue `shift`: no field, or many, would do.
    """
    return _Named("inverse_laplacian", _stencil(stencil), shift)


def derivative(order: int, axis: int) -> Function:
    """``(i k)^order u`` along an axis."""
    return _Named("derivative", _arguments.integer(order, "order"), _arguments.integer(axis, "axis"))


def gradient() -> Function:
    """One field to one for each axis: ``i k u``."""
    return _Named("gradient")


def divergence() -> Function:
    """One field for each axis to one: ``i k . u``."""
    return _Named("divergence")


def curl() -> Function:
    """Three fields to three: ``i k x u``."""
    return _Named("curl")


def projection() -> Function:
    """One field for each axis to as many: ``u - k (k . u) / k^2``, the part without divergence. The mean stays."""
    return _Named("projection")


def gaussian(sigma: float) -> Function:
    """``exp(-sigma^2 k^2 / 2) u``: the convolution with a Gaussian of that standard deviation."""
    return _Named("gaussian", sigma)


def heat(dt: float, diffusivity: float = 1) -> Function:
    """``exp(-diffusivity k^2 dt) u``: the heat equation after a time dt."""
    return _Named("heat", dt, diffusivity)


def shift(distance: Sequence[float]) -> Function:
    """``exp(-i k . distance) u``: the field moved by so much along each axis. The Nyquist frequency of an axis gets the
    cosine."""
    if isinstance(distance, (str, bytes)) or not hasattr(distance, "__len__") or not 3 <= len(distance) <= 8:
        raise Error(f"distance is {distance!r}; a number for each axis is needed, three at least")
    return _Named("shift", *distance)


def truncate(fraction: float = 2 / 3) -> Function:
    """0 where ``abs(index of k) >= fraction * n / 2`` along any axis: by default the 2/3 rule against aliasing."""
    return _Named("truncate", fraction)


def multiply(table: Any, at: str = "wavenumbers") -> Function:
    """``G u``, with a number for each point.

    Parameters
    ----------
    table : real or complex array, a 1-D array for each axis, or callable
        An array has the operator's `middle_shape`: this rank's part of the middle layout. Several arrays are factors by
        global index along each axis, ``f0[i] f1[j] f2[k]``. A callable gets the operator's `wavenumbers` (or
        `coordinates`) when the operator is made, and returns what broadcasts to the array:
        ``multiply(lambda k0, k1, k2: np.exp(-(k0**2 + k1**2 + k2**2)))``. In space, real fields need real numbers.
    at : {'wavenumbers', 'points'}
    """
    return _Multiply(table, at)


def convolution(kernel: Any) -> Function:
    """The periodic convolution ``sum_y kernel(x - y) u(y)``; of the kernel each rank has its part, as of an input field.

    It is transformed when the operator is made.
    """
    return _Kernel(kernel, False)


def correlation(kernel: Any) -> Function:
    """``sum_y conj(kernel(y)) u(x + y)``; the kernel as for `convolution`."""
    return _Kernel(kernel, True)


def cross() -> Function:
    """In space, six fields to three: a x b, where fields 0 to 2 are a and 3 to 5 are b."""
    return _Named("cross")


def products(fields: int = 3) -> Function:
    """In space, n fields u to n (n + 1) / 2: u0 u0, u0 u1, ..., u1 u1, ..."""
    return _Named("products", _arguments.integer(fields, "fields"))


def compiled(function: Any, context: int | None = None) -> Function:
    """A compiled function ``int f(const weft_tile *tile, void *context)``, as weft.h has it; it returns 0, or fails.

    Several threads call it at once where the operator has them; no lock is held.

    Parameters
    ----------
    function : int or object
        An address; or what numba's ``cfunc`` makes, a function of ctypes, or anything with an attribute ``address``.
    context : int, optional
        An address that the function gets; what lies there must stay as long as the operator has the function.
    """
    return _Compiled(function, context)


#: Functions that need no argument, by name.
_BY_NAME = {
    "laplacian": laplacian,
    "inverse_laplacian": inverse_laplacian,
    "gradient": gradient,
    "divergence": divergence,
    "curl": curl,
    "projection": projection,
    "truncate": truncate,
    "cross": cross,
    "products": products,
}


def function_of(given: Any) -> Function:
    """What a user gave as a function."""
    if isinstance(given, Function):
        return given
    if isinstance(given, str):
        if given in _BY_NAME:
            return _BY_NAME[given]()
        if given in __all__ and given not in ("Function", "compiled"):
            raise Error(f"function is {given!r}, which needs an argument: weft.operators.{given}(...)")
        known = sorted(set(__all__) - {"Function", "compiled"})
        hint = _arguments.nearest(given, known)
        meant = f"; did you mean '{hint}'? Allowed" if hint else "; allowed"
        raise Error(f"function '{given}' is unknown{meant} are {', '.join(known)}, and functions of one's own")
    if _compiled_address(given):
        return _Compiled(given, None)
    if callable(given):
        return _Python(given)
    raise Error(
        f"function is {given!r}; a function of weft.operators, its name, a callable or the address of a compiled "
        "function is needed"
    )


def _compiled_address(function: Any) -> int:
    """Where the code of a compiled function begins; 0 for anything else."""
    if isinstance(function, (int, np.integer)) and not isinstance(function, bool):
        return int(function)
    address = getattr(function, "address", None)
    if isinstance(address, int):
        return address
    import ctypes

    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    return 0


def _stencil(stencil: Any) -> int:
    return _core.stencil_number(_arguments.word(stencil, "stencil"))


def _address(x: np.ndarray[Any, Any]) -> int:
    address: int = x.__array_interface__["data"][0]
    return address
