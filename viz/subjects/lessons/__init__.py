"""Learn: the lessons, the exam of ten rows, and what a person answered."""
