"""All texts of the page on positions: fixed ones, and sentences computed from numbers."""
