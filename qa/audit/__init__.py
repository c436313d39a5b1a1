"""Compares everything that a browser receives and draws with an independent computation.

Nothing here imports `model`, `viz` or `loupe`. The reference (`qa.audit.reference`) reads the files
of a checkpoint itself and computes the paper's formulas in float64. The walk (`qa.audit.pages`)
drives the app in a browser and reads the pages.
"""
