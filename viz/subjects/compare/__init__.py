"""Two runs side by side: what they attend to, what they compute and what they write."""
