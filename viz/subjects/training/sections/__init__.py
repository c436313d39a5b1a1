"""Parts of the page on training, each opened by itself."""
