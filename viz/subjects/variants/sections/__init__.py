"""The sections of the page on variants."""
