"""``weft place`` and ``weft sort``: the model weft.place and the program of tools/sort, side by side."""
