"""The variants side by side: how they differ, what each difference does, what is the same."""
