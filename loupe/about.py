"""The version of this package, and the way to install the rest of it."""

from viz.run.version import version

__version__ = version()

NO_APP = "the app is not installed: pip install 'loupe-transformer[app]'"
"""The message of a command or a function that needs the app's packages."""
