"""One module for each sort of input: how it is drawn, who reads it, and what must hold."""
