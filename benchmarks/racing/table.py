"""The report in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .figures import WEFT, CaseFigures, Entry, all_cases, base_name


def markdown(document: dict[str, Any], picture: str | None) -> str:
    """All of it: where and when, the ratios, the times, Weft's strategies, what did not work."""
    cases = all_cases(document)
    parts = [_head(document, cases)]
    if picture is not None:
        parts.append(f"![Time relative to {base_name(cases)}]({picture})\n")
    parts += [ratios(document), _times(cases), _strategies(cases), _troubles(document, cases)]
    return "\n".join(part for part in parts if part)


def _head(document: dict[str, Any], cases: list[CaseFigures]) -> str:
    machine, software, load = document["machine"], document["software"], document["load"]
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    libraries = [software["mpi"], f"Weft {software['weft']['version']}"]
    libraries += [f"FFTW {software['fftw'].removeprefix('fftw-')}"] if software.get("fftw") else []
    libraries += [f"mpi4py-fft {document['mpi4py_fft']}"] if document.get("mpi4py_fft") else []
    others = [case.others for case in cases if case.entries]
    busy = f"{min(others):.0%} to {max(others):.0%}" if others else "unknown"
    return (
        f"{document['made']}: {machine['processor']}, {machine['logical_cpus']} logical CPUs ({caches}), "
        f"huge pages: {machine['huge_pages'] or 'none'}; {', '.join(libraries)}. {document['settings']['rounds']} rounds. "
        f"Load average {load['before'][0]} before and {load['after'][0]} after; while a case was timed, other processes "
        f"used {busy} of the processors.\n"
    )


# ---- ratios


def ratios(document: dict[str, Any]) -> str:
    """The summary: each library's best."""
    cases = all_cases(document)
    rows: list[tuple[str, Callable[[CaseFigures], Entry | None]]] = [
        ("Weft, default strategy, transposed", lambda case: case.default),
        ("Weft, best strategy, transposed", lambda case: case.best(WEFT, True)),
        ("Weft, best strategy, normal order", lambda case: case.best(WEFT, False)),
        ("FFTW-MPI, transposed", lambda case: case.best("FFTW-MPI", True)),
        ("FFTW-MPI, normal order", lambda case: case.best("FFTW-MPI", False)),
        ("mpi4py-fft", lambda case: case.best("mpi4py-fft")),
    ]
    text = f"### Time of forward + backward relative to {base_name(cases)}\n\nBelow 1 is faster.\n"
    for kind in _ordered(case.kind for case in cases):
        columns = [case for case in cases if case.kind == kind and case.entries]
        if columns:
            heads = [kind, *(f"{_size(case)}, {_ranks(case.ranks)}" for case in columns)]
            body = [[name, *(_ratio(case, pick(case)) for case in columns)] for name, pick in rows]
            body.append(["the machine's limit", *(_limit(case) for case in columns)])
            text += "\n" + _table(heads, [row for row in body if any(cell != "-" for cell in row[1:])])
    return text


def _ratio(case: CaseFigures, entry: Entry | None) -> str:
    ratio = case.ratio(entry)
    if ratio is None:
        return "-"
    return f"**{ratio:.2f}**" if entry is not None and entry.family == WEFT and ratio < 1 else f"{ratio:.2f}"


def _limit(case: CaseFigures) -> str:
    if not case.limit or case.base is None:
        return "-"
    larger = "memory" if case.limit["memory_seconds"] > case.limit["compute_seconds"] else "arithmetic"
    return f"{case.limit['seconds'] / case.base.median:.2f} ({larger})"


# ---- times


def _times(cases: list[CaseFigures]) -> str:
    text = "### Milliseconds, forward + backward: median (smallest), and the ratio of medians\n"
    for kind, ranks, columns in _groups(cases):
        heads = [f"{kind}, {_ranks(ranks)}", *(_size(case) for case in columns)]
        body = []
        for label in _ordered(entry.label for case in columns for entry in case.entries):
            body.append([label, *(_time(case, case.find(label)) for case in columns)])
        text += "\n" + _table(heads, body)
    return text


def _time(case: CaseFigures, entry: Entry | None) -> str:
    if entry is None:
        return "-"
    return f"{_milliseconds(entry.median)} ({_milliseconds(entry.least)}) {case.ratio(entry):.2f}"


# ---- Weft's strategies


def _strategies(cases: list[CaseFigures]) -> str:
    text = (
        "### Weft's strategies: milliseconds, and the share of the time in local FFTs / in MPI calls / waiting\n\n"
        "Where a strategy blocks, its calls include the waiting.\n"
    )
    tables = ""
    for kind, ranks, columns in _groups(cases):
        names = _ordered(entry.name for case in columns for entry in case.entries if entry.family == WEFT)
        if ranks > 1 and names:
            heads = [f"{kind}, {_ranks(ranks)}", *(_size(case) for case in columns)]
            body = [[name, *(_strategy(case.find(f"{WEFT} {name}")) for case in columns)] for name in names]
            tables += "\n" + _table(heads, body)
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
        about = f"{case.kind} {_size(case)}, {_ranks(case.ranks)}"
        notes += [f"{about}: left out: {case.skipped}"] if case.skipped else []
        notes += [f"{about}: {failure}" for failure in case.failures]
    return "### Not raced\n\n" + "".join(f"* {note}\n" for note in notes) if notes else ""


# ---- pieces


def _groups(cases: list[CaseFigures]) -> Iterable[tuple[str, int, list[CaseFigures]]]:
    for kind in _ordered(case.kind for case in cases):
        for ranks in _ordered(case.ranks for case in cases):
            found = [case for case in cases if (case.kind, case.ranks) == (kind, ranks) and case.entries]
            if found:
                yield kind, ranks, found


def _ordered(items: Iterable[Any]) -> list[Any]:
    """Without repetitions, in the order of appearance."""
    return list(dict.fromkeys(items))


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _size(case: CaseFigures) -> str:
    n0, n1, n2 = case.shape
    return f"{n0}³" if n0 == n1 == n2 else f"{n0}×{n1}×{n2}"


def _ranks(number: int) -> str:
    return f"{number} rank{'s' if number > 1 else ''}"


def _milliseconds(seconds: float) -> str:
    value = seconds * 1e3
    digits = next((digits for digits, least in ((0, 100), (1, 10), (2, 1), (3, 0.1)) if value >= least), 4)
    return f"{value:.{digits}f}"
