"""One set of colours for the two pictures of a trace."""

#: What a slice is called in the legend, and its colour, by the slice's name; in the order of the legend.
SLICES = {
    "produce": ("produce", "#2a9d8f"),
    "consume + produce": ("consume + produce", "#4f8fcb"),
    "consume": ("consume", "#8ab17d"),
    "compute": ("compute", "#b7b7a4"),
    "start": ("start", "#e9c46a"),
    "test": ("test", "#f4a261"),
    "acquire": ("wait to write", "#c06c84"),
    "wait": ("wait", "#d1495b"),
    "parts": ("ghosts", "#b56576"),
    "agree": ("agree", "#6d597a"),
}
FLIGHT = "#9fb8c8"
FAINT = "#e4e7eb"
