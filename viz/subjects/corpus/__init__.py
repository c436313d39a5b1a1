"""The page of what a head does over many sentences."""
