"""Two runs beside each other: where they look, what they compute and what they write."""
