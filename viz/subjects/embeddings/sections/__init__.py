"""The folds of the Embeddings page."""
