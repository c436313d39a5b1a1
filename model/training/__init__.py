"""Training (section 5 of the paper), and how well what it made does on unseen sentences."""
