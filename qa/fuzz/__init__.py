"""Gives hostile input to everything that reads input from strangers.

The package shares the app's code in order to break it; the app does not know the package. The
checked properties: each reader accepts an input or refuses it with a sentence, within a limit of
CPU time, and nothing of the input appears as an element, an attribute, a link or a lone surrogate.
"""
