"""Learn: the lessons, and a reader's answers."""
