"""The folds below the selected head."""
