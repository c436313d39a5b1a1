"""Parts of speech."""

CONTENT_CLASSES = frozenset({"noun", "verb", "adjective"})
"""Parts of speech of content words."""
