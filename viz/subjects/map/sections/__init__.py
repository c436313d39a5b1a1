"""The sections of the Map page."""
