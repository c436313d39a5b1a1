"""Decoding: token by token, greedy, sampled or with a beam (sections 3.1 and 6.1 of the paper)."""
