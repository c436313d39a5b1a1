"""Drawing for all pages: tokens, matrices and colours, and their part in the browser."""
