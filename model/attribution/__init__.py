"""Attribution: what in a model a token rests on, measured or by cutting and patching."""
