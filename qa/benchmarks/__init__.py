"""What Loupe costs, measured by hand: `python -m qa.benchmarks.trace` and its neighbours."""
