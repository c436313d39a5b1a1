"""Start: what Loupe is, one question about one sentence, and the ways to the other pages."""
