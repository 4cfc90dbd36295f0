"""The report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .figures import WEFT, CaseFigures, Entry, all_cases, base_name, groups, picks
from .regret import regrets
from .tables import table


def report(document: dict[str, Any], picture: str | None) -> str:
    """All of it: where and when, the ratios, the regret, the times, Weft's strategies, what did not work."""
    cases = all_cases(document)
    parts = (summary(document, picture), regrets(document), _times(cases), _strategies(cases))
    return "\n".join(part for part in parts if part)


def summary(document: dict[str, Any], picture: str | None) -> str:
    """Where and when, what did not work, and each library's best."""
    cases = all_cases(document)
    shown = f"![Time relative to {base_name(cases)}, on {title(document)}]({picture})\n" if picture is not None else ""
    return "\n".join(
        part for part in (_head(document, cases), _troubles(document, cases), shown, ratios(document)) if part
    )


def title(document: dict[str, Any]) -> str:
    """The processor, in words: its name, and what it is where that says little."""
    machine = document["machine"]
    return f"{machine['processor']} ({machine['slug']})"


def _head(document: dict[str, Any], cases: list[CaseFigures]) -> str:
    machine, software, load = document["machine"], document["software"], document["load"]
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    libraries = [software["mpi"], f"Weft {software['weft']['version']}"]
    libraries += [f"FFTW {software['fftw'].removeprefix('fftw-')}"] if software.get("fftw") else []
    libraries += [f"{name} {version}" for name, version in document["rivals"].items()]
    busy = [sum(case.busy.values()) for case in cases if case.entries]
    share = f"{min(busy):.0%} to {max(busy):.0%}" if busy else "unknown"
    return (
        f"{document['made']}: {title(document)}, {machine['logical_cpus']} logical CPUs ({caches}), "
        f"huge pages: {machine['huge_pages'] or 'none'}; {', '.join(libraries)}. {document['settings']['rounds']} rounds. "
        f"Load average {load['before'][0]} before and {load['after'][0]} after; while a case was timed, other processes "
        f"and the hypervisor took {share} of the processors.\n"
    )


# ---- ratios


def ratios(document: dict[str, Any]) -> str:
    """The summary: each library's best."""
    cases = all_cases(document)
    text = f"**Time of forward + backward relative to {base_name(cases)}.** Below 1 is faster; transposed where nothing else is said.\n"
    if not all(case.quiet for case in cases):
        text += "\n~ The machine was busy with other things: worthless.\n"
    for kind, setup, columns in groups(cases):
        body = [[name, *(_ratio(case, pick(case)) for case in columns)] for name, pick in picks()]
        body.append(["the machine's limit", *(_limit(case) for case in columns)])
        shown = [row for row in body if any(cell != "-" for cell in row[1:])]
        text += "\n" + table([f"{kind}, {setup}", *(case.size for case in columns)], shown)
    return text


def _ratio(case: CaseFigures, entry: Entry | None) -> str:
    ratio = case.ratio(entry)
    if ratio is None:
        return "-"
    if not case.quiet:
        return f"~{ratio:.2f}"
    return f"**{ratio:.2f}**" if entry is not None and entry.family == WEFT and ratio < 1 else f"{ratio:.2f}"


def _limit(case: CaseFigures) -> str:
    if not case.limit or case.base is None:
        return "-"
    larger = "memory" if case.limit["memory_seconds"] > case.limit["compute_seconds"] else "arithmetic"
    return f"{case.limit['seconds'] / case.base.median:.2f} ({larger})"


# ---- times


def _times(cases: list[CaseFigures]) -> str:
    text = "## Milliseconds, forward + backward: median (smallest), and the ratio of medians\n"
    for kind, setup, columns in groups(cases):
        body = []
        for label in _ordered(entry.label for case in columns for entry in case.entries):
            body.append([label, *(_time(case, case.find(label)) for case in columns)])
        text += "\n" + table([f"{kind}, {setup}", *(case.size for case in columns)], body)
    return text


def _time(case: CaseFigures, entry: Entry | None) -> str:
    if entry is None:
        return "-"
    return f"{_milliseconds(entry.median)} ({_milliseconds(entry.least)}) {case.ratio(entry):.2f}"


# ---- Weft's strategies


def _strategies(cases: list[CaseFigures]) -> str:
    text = (
        "## Weft's strategies: milliseconds, and the share of the time in local FFTs / in MPI calls / waiting\n\n"
        "Where a strategy blocks, its calls include the waiting.\n"
    )
    tables = ""
    for kind, setup, columns in groups(cases):
        names = _ordered(entry.name for case in columns for entry in case.entries if entry.family == WEFT)
        if columns[0].ranks > 1 and names:
            body = [[name, *(_strategy(case.find(f"{WEFT} {name}")) for case in columns)] for name in names]
            tables += "\n" + table([f"{kind}, {setup}", *(case.size for case in columns)], body)
    return text + tables if tables else ""


def _strategy(entry: Entry | None) -> str:
    if entry is None:
        return "-"
    shares = (entry.part("compute"), entry.part("start", "test"), entry.part("wait"))
    return f"{_milliseconds(entry.median)}: {' / '.join(f'{share:.0%}' for share in shares)}"


# ---- what did not work


def _troubles(document: dict[str, Any], cases: list[CaseFigures]) -> str:
    notes = [f"{item['name']} did not take part: {item['why']}." for item in document["missing"]]
    notes += list(document["problems"])
    for case in cases:
        about = f"{case.kind} {case.size}, {case.setup}"
        notes += [f"{about}: left out: {case.skipped}"] if case.skipped else []
        notes += [f"{about}: {failure}" for failure in case.failures]
    return "Not raced:\n\n" + "".join(f"* {note}\n" for note in notes) if notes else ""


# ---- pieces


def _ordered(items: Iterable[Any]) -> list[Any]:
    """Without repetitions, in the order of appearance."""
    return list(dict.fromkeys(items))


def _milliseconds(seconds: float) -> str:
    value = seconds * 1e3
    digits = next((digits for digits, least in ((0, 100), (1, 10), (2, 1), (3, 0.1)) if value >= least), 4)
    return f"{value:.{digits}f}"
