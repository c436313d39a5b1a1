"""What the page of what mattered says of what was measured, in sentences."""
