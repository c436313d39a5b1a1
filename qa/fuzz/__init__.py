"""Throws what nobody would send at everything that reads what a stranger may send.

It shares the app's code, being there to break it; the app knows nothing of it. What is held: each
reader takes an input or refuses it in a sentence, within a bound of CPU time, and nothing of the
input comes out as an element, an attribute, a link or a lone surrogate.
"""
