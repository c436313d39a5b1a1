"""Foreign models from local folders: read by hand, poured into the one model of this package."""
