"""The development log: HistoryLab's own log lines on stderr, only under NODE_ENV=development (what `--debug` sets)."""

from __future__ import annotations

import logging
import os


def is_development() -> bool:
    """Whether NODE_ENV says development, the switch AgentDock documents."""
    return os.environ.get("NODE_ENV") == "development"


def log_to_stderr() -> None:
    """Send the `historylab` logger to stderr at DEBUG, once, if this is development."""
    logger = logging.getLogger("historylab")
    if is_development() and not logger.handlers:
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.DEBUG)
