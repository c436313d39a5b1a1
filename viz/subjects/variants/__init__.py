"""The variants side by side: how they differ, and the effect of each difference."""
