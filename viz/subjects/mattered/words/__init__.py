"""All texts of the page of what mattered: its labels, and sentences made from what was measured."""
