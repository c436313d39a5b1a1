"""The Hugging Face Hub: models by name, from the user's own cache or downloaded on request."""
