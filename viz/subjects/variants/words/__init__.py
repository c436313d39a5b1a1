"""What is said of the variants, and of what each demonstration measured."""
