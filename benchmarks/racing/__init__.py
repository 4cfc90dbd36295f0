"""Races Weft with other distributed FFTs, interleaved in one job. `race.py` is the command; reading order in README.md."""
