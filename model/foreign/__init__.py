"""Third-party models: copied into Loupe's own model if it knows their family, else recorded."""
