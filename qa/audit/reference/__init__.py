"""The paper's model in float64 and numpy, read from a checkpoint's two files by hand."""
