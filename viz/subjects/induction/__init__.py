"""Two heads: an induction head and the previous-token head below it, which together copy."""
