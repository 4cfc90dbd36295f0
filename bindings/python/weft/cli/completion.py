"""Completion in the shell of what the programs of C++ take: their --help says it."""

from __future__ import annotations

import re
import subprocess
from typing import Any, NamedTuple

from typer.core import TyperCommand

from . import launch
from .output import CommandError


class Completion(NamedTuple):
    """What shells are told, as the command line's library has it."""

    value: str
    help: str = ""
    type: str = "plain"


class Option(NamedTuple):
    """An option of a program, as its --help describes it."""

    help: str
    values: list[str]
    """What is allowed, where those are words."""


def options_in(text: str) -> dict[str, Option]:
    """Long options in the text of a --help, by name; those of two names by both."""
    found = {}
    for names, between, said in re.findall(r"^ {2}(?=-)(\S*--\S+)(.*?)(?: {2,}(.*))?$", text, re.MULTILINE):
        words = re.search(r"\{([^{}]+)\}", between) or re.search(r"\(([\w-]+(?:, [\w-]+)+)\)$", said)
        option = Option(said, re.split(r",\s*", words[1]) if words else [])
        found.update({name: option for name in names.split(",") if name.startswith("--")})
    return found


def options_of(program: str) -> dict[str, Option]:
    """Of a program; none if it is not there or does not answer."""
    try:
        command = [str(launch.program(program)), "--help"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout
    except (CommandError, OSError, subprocess.SubprocessError):
        return {}
    return options_in(said)


class ProgramCommand(TyperCommand):
    """The command ``weft NAME``, whose options are also those of the program weft-NAME."""

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        own = super().shell_complete(ctx, incomplete)
        options = options_of(f"weft-{self.name}")
        before = ctx.args[-1] if ctx.args else ""
        if not incomplete.startswith("-"):
            values = options[before].values if before in options else []
            return [*own, *(Completion(value) for value in values if value.startswith(incomplete))]
        known = {item.value for item in own}
        return [
            *own,
            *(
                Completion(name, option.help)
                for name, option in options.items()
                if name.startswith(incomplete) and name not in known
            ),
        ]
