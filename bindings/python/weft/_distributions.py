"""Whose package this is: several distributions have one of the name `weft`, and pip lets one write over another's files."""

from __future__ import annotations

import re
from pathlib import Path

#: This project's for each MPI library, and another project's.
_DISTRIBUTION = re.compile(r"(weft|weft_fft|weft_fft_openmpi|weft_fft_mpich|weft_fft_mpiabi)-([^-]+)\.dist-info$")


def check(packages: Path = Path(__file__).parents[1]) -> None:
    """ImportError if files of more than one distribution lie in the package `weft` of this folder."""
    found = sorted(
        match.groups() for path in packages.glob("weft*.dist-info") if (match := _DISTRIBUTION.match(path.name))
    )
    names = [name.replace("_", "-") for name, _ in found]
    if len(names) > 1 or "weft" in names:
        them = ", ".join(f"{name} {version}" for name, (_, version) in zip(names, found))
        raise ImportError(
            f"the package 'weft' in {packages} has files of other distributions than one of weft-fft ({them}), which write over "
            f"each other's; 'weft' on PyPI is another project. Uninstall all of them (python -m pip uninstall "
            f"{' '.join(names)}), then install one, e.g. weft-fft"
        )


def main() -> None:
    """The command line under a name that no other project has, which so can say that the package is not whole."""
    try:
        check()
    except ImportError as error:
        raise SystemExit(f"weft-fft: {error}") from None
    from .cli import main

    main()
