"""Memory: large models and long runs within what a machine has."""
