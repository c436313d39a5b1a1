"""The sections of the Corpus page, in their order."""
