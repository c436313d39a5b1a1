"""A lesson in the app: its current step, the parts of the run that it hides, and its panel."""
