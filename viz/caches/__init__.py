"""What pages of their own cache, by names and numbers."""
