"""A lesson in the app: its current step, the cover of its question, and its panel."""
