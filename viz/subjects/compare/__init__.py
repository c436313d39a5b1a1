"""Two runs side by side: their attention, their states and their texts."""
