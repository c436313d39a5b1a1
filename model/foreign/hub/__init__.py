"""The Hugging Face Hub: models by their names, in the user's own cache or downloaded on request."""
