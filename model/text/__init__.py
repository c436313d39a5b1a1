"""Text: from typed characters to tokens with ids and places, and back."""
