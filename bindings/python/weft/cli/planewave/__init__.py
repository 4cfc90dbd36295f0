"""``weft planewave``: wave functions of plane-wave codes, timed and checked."""
