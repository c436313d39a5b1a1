"""Standalone pages, without a server: how they are built, read and framed in a notebook."""
