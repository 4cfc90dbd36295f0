"""``weft spectrum``: the power spectrum of a real volume."""
