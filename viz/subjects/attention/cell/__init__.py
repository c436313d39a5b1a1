"""One cell of attention: every step of its arithmetic, each recomputed in float64."""
