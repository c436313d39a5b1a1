"""One folder a subject: its page, sections, numbers, figures, and pieces for the browser."""
