"""Models of others: copied into ours where their family is known, else recorded as they run."""
