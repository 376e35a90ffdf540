"""`python -m historylab` is the `historylab` command."""

import sys

from historylab.cli import main

sys.exit(main())
