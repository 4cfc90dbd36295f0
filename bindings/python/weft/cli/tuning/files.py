"""``weft tune list | show | merge | forget``: looking after tuning files."""

from __future__ import annotations

import os
from typing import Annotated, Any, Optional

import typer
from rich.markup import escape
from rich.table import Table

from weft import _core
from weft._planning import defaults

from ..options import Json, whole
from ..output import CommandError, console, people, require_writable, seconds_text, write_json
from ..reading import reading

File = Annotated[
    Optional[str],
    typer.Option(
        "--file",
        metavar="FILE",
        help="The tuning file (else $WEFT_TUNING_FILE, or weft/tuning.json in the user's cache).",
    ),
]


def entries(file: str | None) -> tuple[str, list[dict[str, Any]]]:
    """The file's name and what it knows; warnings are printed."""
    path, found, warnings = _core.tuning_entries(file or "")
    warn(warnings)
    for entry in found:
        if not _told(entry.get("tried")):
            entry["tried"] = []
    return path, found


def _told(tried: Any) -> bool:
    """Whether what an entry tells of candidates, which the library does without, is what it has written."""
    numbers = ("predicted", "seconds", "low", "high", "rounds")
    return isinstance(tried, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("options"), dict)
        and all(isinstance(value, str) for value in one["options"].values())
        and all(isinstance(one.get(name), (int, float)) for name in numbers)
        for one in tried
    )


def warn(warnings: list[str]) -> None:
    """Print warnings."""
    for warning in warnings:
        console(stderr=True).print(f"[bold yellow]weft:[/] {escape(warning)}", soft_wrap=True)


def list_entries(file: File = None, json: Json = None) -> None:
    """One line for each problem that was tuned."""
    require_writable(json)
    path, found = entries(file)
    write_json(json, {"file": path, "entries": found})
    if json == "-":
        return
    out = people(json)
    there = "" if os.path.exists(path) else "; there is no such file yet"
    out.print(f"{escape(path)}: {len(found)} {'entry' if len(found) == 1 else 'entries'}{there}", soft_wrap=True)
    if not found:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "problem", "ranks", "nodes", "chosen", "time", "default", "effort", "when"):
        table.add_column(name, justify="right" if name in ("", "ranks", "time", "default") else "left")
    for number, entry in enumerate(found):
        with reading(path, f"entry {number} is damaged"):
            key = entry["key"]
            table.add_row(
                str(number),
                escape(problem(key)),
                escape(str(key.get("ranks", ""))),
                escape(str(key.get("nodes", ""))),
                escape(chosen(entry)),
                seconds_text(entry["seconds"]),
                f"{entry['default_seconds'] / entry['seconds']:.2f}x" if entry["seconds"] > 0 else "",
                escape(entry["effort"]),
                escape(entry["when"]),
            )
    out.print(table)


def show(
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="Of the entry, as `weft tune list` counts.")],
    file: File = None,
    json: Json = None,
) -> None:
    """All that is known of one entry: what was tried, and how long it took."""
    require_writable(json)
    path, found = entries(file)
    place = _place(number, len(found), path)
    with reading(path, f"entry {place} is damaged"):
        _show(found[place], json)


def _show(entry: dict[str, Any], json: str | None) -> None:
    write_json(json, entry)
    if json == "-":
        return
    out = people(json)
    for name, value in entry["key"].items():
        text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
        out.print(f"[bold]{name:<12}[/]{escape(text) or '-'}", soft_wrap=True)
    out.print(f"[bold]{'chosen':<12}[/]{escape(chosen(entry))}", soft_wrap=True)
    out.print(
        f"[bold]{'time':<12}[/]{seconds_text(entry['seconds'])}; as given {seconds_text(entry['default_seconds'])}; {entry['effort']}, "
        f"{entry['when']}; faster than the runner-up in {entry['sureness']:.0%} of their rounds\n",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("tried", "predicted", "median", "middle half", "rounds"):
        table.add_column(name, justify="left" if name == "tried" else "right")
    for one in entry.get("tried", []):
        half = f"{seconds_text(one['low'])} to {seconds_text(one['high'])}"
        table.add_row(
            escape(words(one["options"])),
            seconds_text(one["predicted"]),
            seconds_text(one["seconds"]),
            half,
            str(one["rounds"]),
        )
    out.print(table)


def merge(
    others: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files to take entries from.")],
    file: File = None,
    json: Json = None,
) -> None:
    """Take over what other files know; of two entries for one problem that of higher effort stays, then the later one."""
    require_writable(json)
    path, numbers = "", {}
    for other in others:
        path, taken, warnings = _core.tuning_merge(file or "", other)
        warn(warnings)
        numbers[other] = taken
        people(json).print(f"{escape(path)}: {taken} taken from {escape(other)}", soft_wrap=True)
    write_json(json, {"file": path, "taken": numbers})


def forget(
    numbers: Annotated[
        Optional[list[str]], typer.Argument(metavar="NUMBER...", help="Entries, as `weft tune list` counts.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All entries.")] = False,
    file: File = None,
    json: Json = None,
) -> None:
    """Take entries out."""
    require_writable(json)
    path, found = entries(file)
    if bool(numbers) == everything:
        raise CommandError("what shall be forgotten? give the numbers of entries, or --all")
    places = range(len(found)) if everything else {_place(number, len(found), path) for number in numbers or ()}
    _, _, warnings = _core.tuning_forget(path, sorted(places))
    warn(warnings)
    left = len(found) - len(places)
    people(json).print(f"{escape(path)}: {len(places)} forgotten, {left} left", soft_wrap=True)
    write_json(json, {"file": path, "forgotten": sorted(places), "left": left})


def _place(text: str, count: int, path: str) -> int:
    number = whole(text, "NUMBER")
    if not 0 <= number < count:
        raise CommandError(f"NUMBER is {number}; '{path}' has {count} entries, counted from 0")
    return number


def problem(key: dict[str, Any]) -> str:
    """A problem in a few words."""
    extents = key.get("shape") or key.get("grid") or ()
    grid = "x".join(str(n) for n in extents)
    words = [str(key.get("transform", "?")), str(key.get("precision", "")), grid]
    if "at" in key:
        words.append(f"{key.get('inputs')} to {key.get('outputs')} at {key['at']}")
    for name in ("batch", "bands"):
        if key.get(name, 1) != 1:
            words.append(f"{name} {key[name]}")
    if "direction" in key:
        words.append(key["direction"])
    words += [f"{name}={value}" for name, value in key.get("given", {}).items()]
    return " ".join(word for word in words if word)


def chosen(entry: dict[str, Any]) -> str:
    """The chosen options that are not the library's defaults, in a few words."""
    usual = defaults()
    return words({name: value for name, value in entry["options"].items() if usual.get(name) != value})


def words(options: dict[str, str]) -> str:
    """Options in a few words."""
    return ", ".join(f"{name} {value}" for name, value in options.items()) or "the defaults"
