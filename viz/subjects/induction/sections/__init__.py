"""Parts of the page on induction, each behind its heading."""
