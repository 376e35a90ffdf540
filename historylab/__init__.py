"""See which messages of a conversation a model is really sent, why, and what that costs; then run those settings."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from historylab._version import __version__

if TYPE_CHECKING:
    from historylab.candidates import grid as grid
    from historylab.candidates import random_search as random_search
    from historylab.conversation import Conversation as Conversation
    from historylab.conversation import Message as Message
    from historylab.conversation import ToolCall as ToolCall
    from historylab.errors import HistoryLabError as HistoryLabError
    from historylab.exporters.base import export as export
    from historylab.generators.base import generate as generate
    from historylab.importers.load import load as load
    from historylab.pipeline import plan_history as plan_history
    from historylab.pipeline import trim as trim
    from historylab.plan import Action as Action
    from historylab.plan import HistoryPlan as HistoryPlan
    from historylab.recommend import recommend as recommend
    from historylab.replay import Timeline as Timeline
    from historylab.replay import replay as replay
    from historylab.retention import retention as retention
    from historylab.settings.model import Settings as Settings
    from historylab.settings.resolve import resolve_settings as resolve_settings
    from historylab.settings.sources import read_template as read_template
    from historylab.sweep import sweep as sweep

_HOMES = {
    "Action": "reasons",
    "Conversation": "conversation",
    "HistoryLabError": "errors",
    "HistoryPlan": "plan",
    "Message": "conversation",
    "Settings": "settings.model",
    "Timeline": "replay",
    "ToolCall": "conversation",
    "export": "exporters.base",
    "generate": "generators.base",
    "grid": "candidates",
    "load": "importers.load",
    "plan_history": "pipeline",
    "random_search": "candidates",
    "read_template": "settings.sources",
    "recommend": "recommend",
    "replay": "replay",
    "resolve_settings": "settings.resolve",
    "retention": "retention",
    "sweep": "sweep",
    "trim": "pipeline",
}
__all__ = [
    "Action",
    "Conversation",
    "HistoryLabError",
    "HistoryPlan",
    "Message",
    "Settings",
    "Timeline",
    "ToolCall",
    "__version__",
    "export",
    "generate",
    "grid",
    "load",
    "plan_history",
    "random_search",
    "read_template",
    "recommend",
    "replay",
    "resolve_settings",
    "retention",
    "sweep",
    "trim",
]


def __getattr__(name: str):
    """Import a public name when it is first used, so that `import historylab` costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'historylab' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"historylab.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """`historylab.replay` stays the function, though importing the module of that name would set it to the module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
