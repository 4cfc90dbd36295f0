"""The ``weft`` command. ``import weft`` leaves it alone: it is imported only to be run."""

from .app import main

__all__ = ["main"]
