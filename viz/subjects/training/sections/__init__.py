"""The folds of the Training page."""
