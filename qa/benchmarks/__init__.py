"""The cost of Loupe, measured by hand: `python -m qa.benchmarks.trace` and its neighbours."""
