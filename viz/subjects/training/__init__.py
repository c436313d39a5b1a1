"""Training: snapshots of a training, a training on the page, schedules, label smoothing."""
