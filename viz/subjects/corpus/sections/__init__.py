"""The parts of the page on the corpus, in their order on it."""
