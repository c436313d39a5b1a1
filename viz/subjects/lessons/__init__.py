"""Learn: the lessons, and what a person answered."""
