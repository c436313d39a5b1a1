"""Opening models: which there are, loading them once for all sessions, running them."""
