"""Training (section 5 of the paper), and the evaluation on unseen sentences."""
