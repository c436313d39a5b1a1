"""The folds of the Positions page."""
