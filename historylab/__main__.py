"""`python -m historylab` is the `historylab` command."""

import sys

from historylab.cli.main import main

sys.exit(main())
