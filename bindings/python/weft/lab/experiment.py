"""What an experiment is: a file that says what a paper found, runs it here, and judges."""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import model
from .._inputs import read_json
from ..cli.output import CommandError, write_text
from . import experiments
from .machines import Machine, load
from .simulate import Simulator


@dataclass
class Finding:
    """Something a paper found, and whether it is so here."""

    claim: str
    here: str
    holds: bool
    why: str = ""  #: if it does not: what differs


@dataclass
class Table:
    title: str
    header: list[str]
    rows: list[list[Any]]
    map: bool = False  #: cells are names, told apart by colour


@dataclass
class Plot:
    title: str
    x: str
    y: str
    series: dict[str, list[tuple[float, float]]]
    log_x: bool = False
    log_y: bool = False


@dataclass
class Result:
    parameters: dict[str, Any]
    tables: list[Table] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def finds(self, claim: str, holds: bool, here: str, why: str = "") -> None:
        self.findings.append(Finding(claim, here, bool(holds), why))


@dataclass
class Lab:
    """What an experiment works with."""

    simulator: Simulator
    given: str | None = None  #: the machine that --machine names
    quick: bool = False  #: few points, in seconds: for tests

    def machine(self, name: str) -> Machine:
        """The machine of that name, or the one that the user wants instead."""
        return load(self.given or name)

    def modelled(self, name: str) -> Any:
        """The same machine for `weft.model`."""
        return model.load(self.given or name)


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(experiments.__path__))


def find(name: str) -> ModuleType:
    if name not in names():
        raise CommandError(f"experiment is '{name}'; allowed are {', '.join(names())}")
    return importlib.import_module(f"{experiments.__name__}.{name}")


def run(name: str, lab: Lab) -> dict[str, Any]:
    """The experiment's result with what it says of itself, as JSON."""
    module = find(name)
    result: Result = module.run(lab)
    about = {key: getattr(module, key.upper()) for key in ("title", "paper", "where", "method")}
    return {"name": name, "quick": lab.quick, "machine": lab.given, **about, **asdict(result)}


def keep(report: dict[str, Any], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{report['name']}.json"
    write_text(path, json.dumps(report, indent=1, allow_nan=False) + "\n")
    return path


def kept(folder: Path) -> list[dict[str, Any]]:
    """The reports in a folder, in the order of their names."""
    reports = [read_json(path) for path in sorted(folder.glob("*.json"))]
    return [report for report in reports if isinstance(report, dict) and "findings" in report]
