"""One run of the model and the selection in it, from which all pages draw."""
