"""Tasks for models that read one text: nothing is translated, a word is told from the others."""
