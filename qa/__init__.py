"""Manual checks of Loupe: correctness, safety and cost. They are not part of the app."""
