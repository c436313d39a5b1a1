"""Families of third-party models, one module each; Loupe finds each module by its `FAMILY`."""
