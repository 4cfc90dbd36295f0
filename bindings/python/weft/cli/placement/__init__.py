"""``weft place`` and ``weft sort``: the model of tools/place and the program of tools/sort, side by side."""
