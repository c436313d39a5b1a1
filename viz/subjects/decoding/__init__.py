"""The decoding studio, computed: paths through the model's choices, what it read, its beam."""
