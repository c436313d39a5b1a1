"""Processes that a page starts: messages, limits and ends, the same for all pages."""
