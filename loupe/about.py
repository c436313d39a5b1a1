"""The version of this package."""

from viz.run.version import version

__version__ = version()
