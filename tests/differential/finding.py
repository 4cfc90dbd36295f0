"""Runs cases in MPI jobs, and makes those with a fault smaller."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import launching

from . import cases

HERE = Path(__file__).parent
#: Seconds that a case may take on a machine that is shared with others; most take some milliseconds.
LIMIT = launching.TIME_LIMIT / 2
#: Seconds for making a case smaller.
PATIENCE = 60.0


class Fault(NamedTuple):
    """A case that fails on so many ranks: how, and what the ranks say."""

    number: int
    case: cases.Case
    ranks: int
    kind: str
    said: str

    def __str__(self) -> str:
        return f"{self.kind} on {self.ranks} rank{'s' if self.ranks > 1 else ''}:\n{repeat(self.case, self.ranks)}\n{self.said}"


def repeat(case: cases.Case, ranks: int) -> str:
    """The command that runs the case."""
    return f"./run exec python tests/differential -n {ranks} --case {cases.quoted(case)}"


def first_fault(all_cases: list[cases.Case], ranks: int, kind: str = "", limit: float = LIMIT) -> Fault | None:
    """The first case with a fault, of that kind if one is given. One MPI job."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cases.txt").write_text("".join(cases.text(case) + "\n" for case in all_cases))
        command = [sys.executable, "-m", "mpi4py", str(HERE / "job.py"), name, str(limit), *([kind] if kind else [])]
        try:
            # The job ends itself where a case takes too long.
            outcome = launching.run_on(ranks, command, limit=limit * 2 + 5.0 * len(all_cases))
            said, code = outcome.err, outcome.code
        except AssertionError as error:
            said, code = str(error), -1
        at = (folder / "at").read_text() if (folder / "at").exists() else ""
        if at == "done" and code == 0:
            return None
        if not at or at == "done":
            raise RuntimeError(f"the job ended with {code}, and not because of a case:\n{said}")
        of_ranks: dict[str, list[str]] = {}
        for rank in range(ranks):
            file = folder / f"rank-{rank}.txt"
            words = file.read_text().strip() if file.exists() else ""
            if words:
                of_ranks.setdefault(words, []).append(str(rank))
        lines = [f"rank{'s'[: len(who) - 1]} {', '.join(who)}: {words}" for words, who in of_ranks.items()]
        if (folder / "fault").exists():
            found = (folder / "fault").read_text()
        else:
            found = "hang" if any("Timeout" in words for words in of_ranks) or code == -1 else "crash"
            lines.append(said[-2000:])
        return Fault(int(at), all_cases[int(at)], ranks, found, "\n".join(lines))


def shrunk(fault: Fault, patience: float = PATIENCE) -> Fault:
    """The smallest case that is found with a fault of the same kind, on the fewest ranks."""
    end = time.monotonic() + patience
    for ranks in range(1, fault.ranks):
        if time.monotonic() > end:
            return fault
        fewer = _again([fault.case], ranks, fault.kind)
        if fewer:
            fault = fewer
            break
    while time.monotonic() < end:
        less = _again(cases.smaller(fault.case), fault.ranks, fault.kind)
        if less is None:
            break
        fault = less
    return fault


def _again(candidates: Iterable[cases.Case], ranks: int, kind: str) -> Fault | None:
    left = list(candidates)
    while left:
        found = first_fault(left, ranks, kind, LIMIT)
        if found is None or found.kind == kind:
            return found
        left = left[found.number + 1 :]  # another kind of hang or crash
    return None


def all_faults(all_cases: list[cases.Case], ranks: int) -> Iterable[Fault]:
    """Every case with a fault; a job for each of them, and one more."""
    passed = 0
    while passed < len(all_cases):
        found = first_fault(all_cases[passed:], ranks)
        if found is None:
            return
        yield found._replace(number=passed + found.number)
        passed += found.number + 1
