"""The address of a session: the selection, the changes, and what a person has set."""
