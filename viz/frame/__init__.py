"""The frame of every page: its inputs, its messages and its look."""
