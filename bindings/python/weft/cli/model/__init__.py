"""``weft predict`` and ``weft calibrate``: the model on the command line."""
