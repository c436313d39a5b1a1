"""What is measured against peers. Run by hand: `python -m benchmarks.trace`."""
