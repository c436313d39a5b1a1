"""Attribution: which parts of a model and of its input a token depends on."""
