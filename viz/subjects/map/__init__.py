"""The map of a run: the blocks of figure 1 as the config has them, and the tensor of each."""
