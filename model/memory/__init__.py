"""Memory: large models and long runs within a machine's memory."""
