"""One module for each sort of input: what is drawn, who reads it, what is held of it."""
