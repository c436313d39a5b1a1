"""Third-party models: copied into Loupe's own if it knows their family, otherwise recorded."""
