"""Runs the command as `python -m loupe`."""

import sys

from loupe.command import main

sys.exit(main())
