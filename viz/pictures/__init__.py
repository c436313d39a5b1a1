"""What every subject draws with: tokens, matrices, colours, and the browser's half of it."""
