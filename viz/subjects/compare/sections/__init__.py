"""The sections of the Compare page, in their order."""
