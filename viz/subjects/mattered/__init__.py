"""What mattered: ablation of a model's parts one by one, and patching of a difference."""
