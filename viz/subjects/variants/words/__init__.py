"""All texts of the page on variants: fixed ones, and what each demonstration says."""
