"""The sections of the What mattered page, in their order."""
