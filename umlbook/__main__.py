"""``python -m umlbook`` is the command ``umlbook``, for shells that do not find it."""

import sys

from umlbook.tools.cli import main

sys.exit(main())
