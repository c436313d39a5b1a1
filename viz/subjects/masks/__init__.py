"""The mask laboratory: a padded batch, run with each mask on or off, and the differences."""
