"""What mattered: the parts of a model cut out one by one, and what carries a difference."""
