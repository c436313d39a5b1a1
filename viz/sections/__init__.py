"""Parts of pages, each opened by itself: like a page, a section picks, slices and draws."""
