"""Modules that stand in for those of other packages."""

from __future__ import annotations

import sys

from ._errors import Error


def stand_in(for_name: str, name: str) -> None:
    """Have every later import of `for_name` find the module `name`; an error if another one is there already."""
    present = sys.modules.get(for_name)
    if present is not None and present is not sys.modules[name]:
        raise Error(f"{for_name} is imported already, from {present.__file__}; call install() before")
    sys.modules[for_name] = sys.modules[name]
