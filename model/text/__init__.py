"""Text: from what is typed to tokens with ids and places, and back."""
