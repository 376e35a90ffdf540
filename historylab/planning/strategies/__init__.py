"""The stages that cut history: a folder per slot, a file per stage."""

from historylab.planning.strategies import off as off  # every family has it, so importing any of them brings it
