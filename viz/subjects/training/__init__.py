"""How a model learns: snapshots of a training, a training on the page, schedules, smoothing."""
