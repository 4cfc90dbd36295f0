"""The experiments, one file each: TITLE, PAPER, WHERE (table or figure), METHOD, and run(lab)."""
