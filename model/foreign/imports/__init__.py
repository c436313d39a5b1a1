"""Third-party models from local folders, read without transformers into Loupe's own model."""
