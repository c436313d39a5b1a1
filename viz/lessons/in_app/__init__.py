"""A lesson in the app: the step that goes on, what its question covers, and its panel."""
