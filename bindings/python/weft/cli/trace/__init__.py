"""``weft trace``: what each rank does when, as numbers and as pictures."""
