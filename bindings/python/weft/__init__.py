"""Distributed FFTs for MPI that weave communication into computation.

>>> import numpy as np, weft
>>> fft = weft.FFT((64, 64, 64), kind="r2c")           # on MPI.COMM_WORLD; collective
>>> x = fft.empty_input()                              # this rank's part of the field
>>> x[...] = 1.0
>>> y = fft.forward(x)                                 # this rank's part of the half spectrum
>>> np.allclose(fft.backward(y), x * 64**3)            # unnormalised by default
True

Memory order is C order: axis 2 is the fastest. Forward has the exponent -1, backward +1. Importing weft does not
initialise MPI; making the first transform does.
"""

from typing import Any

from . import _distributions, operators
from ._core import Layout, OperatorPlan, Plan, SpherePlan
from ._core import version as _version
from ._ends import ExchangeStatistics, Statistics
from ._errors import Error
from ._fft import FFT
from ._functions import clear_plans, dctn, dstn, fftn, idctn, idstn, ifftn, irfftn, rfftn
from ._ghosts import GhostExchange
from ._operator import Operator, Tile, operator_plan, tune_operator
from ._planning import Option, backends, options, plan, strategies, three_halves, two_thirds
from ._poisson import Poisson
from ._problem import Problem
from ._redistribution import Moved, Redistribution
from ._sphere import SphereFFT, cutoff_sphere, sphere_grid, sphere_plan
from ._tuning import Tried, Tuned, TunedSphere, tune, tune_sphere

_distributions.check()
__version__: str = _version()


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: transforms do without.
    if name == "place":
        import importlib

        return importlib.import_module(".place", __name__)
    raise AttributeError(f"module 'weft' has no attribute '{name}'")


__all__ = [
    "FFT",
    "Error",
    "ExchangeStatistics",
    "GhostExchange",
    "Layout",
    "Moved",
    "Operator",
    "OperatorPlan",
    "Option",
    "Plan",
    "Poisson",
    "Problem",
    "Redistribution",
    "SphereFFT",
    "SpherePlan",
    "Statistics",
    "Tile",
    "Tried",
    "Tuned",
    "TunedSphere",
    "__version__",
    "backends",
    "clear_plans",
    "cutoff_sphere",
    "dctn",
    "dstn",
    "fftn",
    "idctn",
    "idstn",
    "ifftn",
    "irfftn",
    "operator_plan",
    "operators",
    "options",
    "plan",
    "rfftn",
    "sphere_grid",
    "sphere_plan",
    "strategies",
    "three_halves",
    "tune",
    "tune_operator",
    "tune_sphere",
    "two_thirds",
]
