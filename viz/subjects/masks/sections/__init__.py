"""The sections of the Masks page, in their order."""
