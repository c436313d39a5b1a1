"""Pages of the app, each with what is held of it against the reference."""
