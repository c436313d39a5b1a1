"""Files: written atomically, and read without trusting their contents."""
