"""Touch: pull a line of attention to another word, and the model writes its text again."""
