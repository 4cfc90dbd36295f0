"""Regret: the time of Weft's default over that of the best of its own options, raced again with nobody else.

What is quickest of many contestants is so by luck, too. So it races the default once more, alone, before regret is
taken.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from .figures import WEFT, CaseFigures, Entry, all_cases, groups
from .tables import table

#: A default that takes longer than so many times the best is a defect.
GOOD = 1.05
#: Options that make another problem of it: another memory, or numbers that are not the same.
_OTHER_PROBLEMS = ("in_place", "wire")


def pairs(entries: Iterable[Entry]) -> list[tuple[Entry, Entry]]:
    """The default and the apparent best, which may be the same, of each order of the spectrum that a default races in."""
    found = []
    weft = [entry for entry in entries if entry.family == WEFT and _same_problem(entry)]
    for transposed in (True, False):
        rivals = [entry for entry in weft if entry.transposed == transposed]
        default = next((entry for entry in rivals if _chosen(entry) == {}), None)
        best = min(rivals, key=lambda entry: entry.median, default=None)
        if default is not None and best is not None:
            found.append((default, best))
    return found


def _same_problem(entry: Entry) -> bool:
    return not any(name in entry.data.get("options", {}) for name in _OTHER_PROBLEMS)


def _chosen(entry: Entry) -> dict[str, str]:
    """Options but for those that the case is about."""
    options = entry.data.get("options", {})
    return {name: value for name, value in options.items() if name not in ("transposed", "threads")}


def short_name(entry: Entry) -> str:
    """``lanes``, ``alltoallv, tile 8``"""
    return ", ".join(
        value if name in ("strategy", "backend") else f"{name} {value}" for name, value in _chosen(entry).items()
    )


def regrets(document: dict[str, Any]) -> str:
    """The table, the median and the worst; empty where nothing was raced alone."""
    cases = [case for case in all_cases(document) if case.regrets is not None]
    shown = [(case, item) for case in cases for item in case.regrets or []]
    if not cases:
        return ""
    text = (
        "## Regret: the default's time over that of the best of Weft's options, raced again alone\n\n"
        "1.00: nothing was faster than the default. In place is another problem, and is not asked.\n"
    )
    for kind, setup, columns in groups(cases):
        body = [
            [order, *(_cell(case, order) for case in columns)]
            for order in ("transposed", "normal order")
            if any(_cell(case, order) != "-" for case in columns)
        ]
        text += "\n" + table([f"{kind}, {setup}", *(case.size for case in columns)], body)
    return text + "\n" + _summary([(case, item) for case, item in shown if case.quiet])


def _cell(case: CaseFigures, order: str) -> str:
    for item in case.regrets or []:
        if item["order"] == order:
            against = f" ({item['best']})" if item["best"] else ""
            return f"{'' if case.quiet else '~'}{item['regret']:.2f}{against}"
    return "-"


def _summary(shown: list[tuple[CaseFigures, dict[str, Any]]]) -> str:
    if not shown:
        return "No case was quiet.\n"
    case, worst = max(shown, key=lambda pair: float(pair[1]["regret"]))
    many = sum(float(item["regret"]) > GOOD for _, item in shown)
    return (
        f"Median {statistics.median(float(item['regret']) for _, item in shown):.2f}; worst {worst['regret']:.2f} "
        f"({case.kind} {case.size}, {case.setup}, {worst['order']}); {many} of {len(shown)} above {GOOD}.\n"
    )
