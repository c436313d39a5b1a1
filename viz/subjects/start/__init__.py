"""Start: what Loupe is, one question about one sentence, and the doors to all the rest."""
