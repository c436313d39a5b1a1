"""Two heads that make one trick: how a model copies what stood before."""
