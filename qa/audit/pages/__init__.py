"""The pages of the app, each with its comparisons against the reference."""
