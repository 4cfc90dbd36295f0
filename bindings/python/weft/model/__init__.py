"""Predicted times: a plan walked on a machine's figures, without running anything."""

from weft._core import Calibration, Machine, Stage

from .machine_file import FIELDS, content_of, load, machine_names, machine_of, path_of
from .predict import MEANING, TERMS, Prediction, Problem, predict
from .scaling import Row, Scaling, Setback, candidates, scaling

__all__ = [
    "FIELDS",
    "MEANING",
    "TERMS",
    "Calibration",
    "Machine",
    "Prediction",
    "Problem",
    "Row",
    "Scaling",
    "Setback",
    "Stage",
    "candidates",
    "content_of",
    "load",
    "machine_names",
    "machine_of",
    "path_of",
    "predict",
    "scaling",
]
