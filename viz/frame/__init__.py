"""What stands around every page: the inputs, messages, and the look."""
