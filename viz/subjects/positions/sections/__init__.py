"""Parts of the page on positions, each opened by itself."""
