"""Prints the page of the command line, as Markdown: what each command says with --help. Needs weft on PYTHONPATH."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import typer

from weft.cli.app import app


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


def shown_help(path: tuple[str, ...]) -> str:
    environment = {**os.environ, "COLUMNS": "110", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "weft", *path, "--help"], env=environment, capture_output=True, text=True, check=True
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


print("# The command line\n\nThis is what the commands say of themselves with `--help`.")
for path in commands(typer.main.get_command(app)):
    print(f"\n{'##' if len(path) < 2 else '###'} weft {' '.join(path)}\n\n```text\n{shown_help(path)}\n```")
