"""What is measured against peers. Run by hand: `python -m qa.benchmarks.trace`."""
