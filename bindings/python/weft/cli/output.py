"""Where results go: tables and notes for people, JSON and CSV for programs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from weft._inputs import printable
from weft._outputs import cannot_write, require_name
from weft._outputs import write_text as write_text

from .job import current_job

#: Set by the launcher for the ranks it starts: the widths of the terminals behind standard output and standard error, 0
#: for what is none. The ranks' own streams tell nothing: mpiexec gives them pipes, or pseudo-terminals.
TERMINALS = "WEFT_CLI_TERMINALS"

#: Where there is no terminal there is no width to wrap at.
_WIDE = 160


class CommandError(Exception):
    """Bad arguments or bad input: printed without a traceback, exit code 2."""


def terminals() -> str:
    """The widths of this process's own terminals, as `TERMINALS` has them."""
    columns = shutil.get_terminal_size().columns
    return " ".join(str(columns if stream.isatty() else 0) for stream in (sys.stdout, sys.stderr))


def console(stderr: bool = False) -> Console:
    """Standard output (or error) as the user's terminal shows it, seen through mpiexec too."""
    text = terminals() if current_job() is None else os.environ.get(TERMINALS, "0 0")
    widths = [int(word) for word in text.split() if word.isdigit()]
    width = widths[stderr] if len(widths) == 2 else 0
    return Console(stderr=stderr, highlight=False, force_terminal=width > 0, width=width or _WIDE)


def people(json_target: str | None) -> Console:
    """Where people read the report: standard output, unless JSON goes there."""
    return console(stderr=json_target == "-")


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def seconds_text(seconds: float) -> str:
    """1.234 ms"""
    if seconds <= 0:
        return "-"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.3f} ms" if seconds < 1 else f"{seconds:.3f} s"


def write_json(target: str | None, report: Any) -> None:
    """Write to a file, to standard output for ``-``, nowhere for None."""
    if target is None:
        return
    text = json.dumps(report, indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(Path(target), text)


def require_writable(target: str | Path | None) -> None:
    """Complain before the work, not after it, about a file that could not be written."""
    if target is None or target == "-":
        return
    require_name(target)
    path = Path(target)
    try:
        if path.is_dir():
            raise cannot_write(path, "it is a directory")
        folder = path.parent
        if not folder.is_dir():
            raise cannot_write(path, f"there is no directory '{printable(str(folder))}'")
        path.exists()  # an error of names that are too long
    except OSError as error:
        raise cannot_write(path, error.strerror) from None
    if not os.access(folder, os.W_OK):
        raise cannot_write(path, f"the directory '{printable(str(folder))}' is not writable")
