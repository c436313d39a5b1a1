"""Files: written atomically, and read without trust."""
