"""Holds what a browser receives and draws of the app against numbers computed without it.

Nothing here imports `model`, `viz` or `loupe`: the reference (`qa.audit.reference`) reads the
files of a checkpoint itself and computes the paper's formulas in float64, the walk
(`qa.audit.pages`) drives the app in a browser and reads what is there.
"""
