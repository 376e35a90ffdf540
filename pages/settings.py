"""Sources: Inspect, opened on which source decides each setting, and what would be if."""

from historylab.ui.inspect.inspect_page import inspect_page
from historylab.ui.session.viewing import SOURCES

inspect_page("settings", SOURCES)
