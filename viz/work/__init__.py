"""Processes that a page starts: started, heard, limited and ended in one way for all subjects."""
