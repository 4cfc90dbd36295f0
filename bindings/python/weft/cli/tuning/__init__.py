"""``weft tune``: finds options and keeps them."""
