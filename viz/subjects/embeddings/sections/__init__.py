"""Parts of the page on embeddings, each opened by itself."""
