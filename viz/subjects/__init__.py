"""One folder for each subject: its page, sections, numbers, figures, and browser modules."""
