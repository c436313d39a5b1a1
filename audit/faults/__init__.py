"""Faults that are planted to see whether the audit finds them; see `audit.planted`."""
