"""Predicted times: a plan walked on a machine's figures, without running anything."""

from .cost import MEANING, TERMS, Site
from .fit import fitted, load
from .machine import Calibration, Machine
from .machine_file import machine_names, machine_of
from .predict import Prediction, Problem, predict
from .scaling import Row, Scaling, candidates, scaling
from .walk import Stage

__all__ = [
    "MEANING",
    "TERMS",
    "Calibration",
    "Machine",
    "Prediction",
    "Problem",
    "Row",
    "Scaling",
    "Site",
    "Stage",
    "candidates",
    "fitted",
    "load",
    "machine_names",
    "machine_of",
    "predict",
    "scaling",
]
