"""Tasks for models that read one text: they predict words from the other words."""
