"""Models: listing them, loading each once for all sessions, and running them."""
