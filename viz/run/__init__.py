"""One run of the model and what is selected in it: all that the subjects draw from."""
