"""Builds the guides, the API reference and the pages for contributors as one static site."""
