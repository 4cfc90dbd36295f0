"""The lab: Weft's programs on simulated and emulated clusters, and the papers' experiments re-run."""

# The command line first: it registers the lab's commands, which use its output.
from .. import cli as _cli  # noqa: F401
