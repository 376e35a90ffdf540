"""How history is cut, one file each."""

from historylab.planning.strategies import off as off  # every family has it, so importing any of them brings it
