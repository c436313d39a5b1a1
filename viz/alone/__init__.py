"""Standalone pages that need no server: writing them, and showing them in a notebook."""
