"""What the heads of a run do: their measures, their jobs, the cells worth looking at."""
