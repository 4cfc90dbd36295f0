"""The lab: Weft's programs on simulated and emulated clusters, and the papers' experiments re-run."""
