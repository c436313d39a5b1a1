"""The address of a session: the selection, the changes, and the fields that a person has set."""
