"""The hand: a line of attention is pulled to another word, and the translation is written anew."""
