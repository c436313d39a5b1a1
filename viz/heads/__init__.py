"""The behaviour of a run's heads: their measures, their jobs, and the most informative cells."""
