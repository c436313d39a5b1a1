"""What stands on the page of the lessons."""
