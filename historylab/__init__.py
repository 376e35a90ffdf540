"""See which messages of a conversation a model is really sent, why, and what that costs; then run those settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from historylab._version import __version__

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation as Conversation
    from historylab.conversation.message import Message as Message
    from historylab.conversation.message import ToolCall as ToolCall
    from historylab.costs.bill import bill as bill
    from historylab.costs.proposal import settings_for as settings_for
    from historylab.errors import HistoryLabError as HistoryLabError
    from historylab.exporters.base import export as export
    from historylab.formats.load import load as load
    from historylab.generators.base import generate as generate
    from historylab.planning.given_decisions import RequestDecisions as RequestDecisions
    from historylab.planning.pipeline import plan_history as plan_history
    from historylab.planning.plan import Action as Action
    from historylab.planning.plan import HistoryPlan as HistoryPlan
    from historylab.planning.replay import Timeline as Timeline
    from historylab.planning.replay import replay as replay
    from historylab.planning.trim import trim as trim
    from historylab.planning.trimmer import Trimmer as Trimmer
    from historylab.planning.validity import validity as validity
    from historylab.recall.proposals import propose_questions as propose_questions
    from historylab.recall.questions import Question as Question
    from historylab.recall.questions import ask as ask
    from historylab.recall.retention import retention as retention
    from historylab.settings.model import Settings as Settings
    from historylab.settings.resolve import resolve_settings as resolve_settings
    from historylab.settings.sources import read_template as read_template
    from historylab.tuning.grid import grid as grid
    from historylab.tuning.grid import random_search as random_search
    from historylab.tuning.recommend import recommend as recommend
    from historylab.tuning.sweep import sweep as sweep
    from historylab.tuning.tune import tune as tune

    def formats() -> list[str]:
        """The names of the formats that `load` reads."""


_MODULES = {
    "Action": "planning.reasons",
    "Conversation": "conversation.conversation",
    "HistoryLabError": "errors",
    "HistoryPlan": "planning.plan",
    "Message": "conversation.message",
    "Question": "recall.questions",
    "RequestDecisions": "planning.given_decisions",
    "Settings": "settings.model",
    "Timeline": "planning.replay",
    "ToolCall": "conversation.message",
    "Trimmer": "planning.trimmer",
    "ask": "recall.questions",
    "bill": "costs.bill",
    "export": "exporters.base",
    "formats": "formats",
    "generate": "generators.base",
    "grid": "tuning.grid",
    "load": "formats.load",
    "plan_history": "planning.pipeline",
    "propose_questions": "recall.proposals",
    "random_search": "tuning.grid",
    "read_template": "settings.sources",
    "recommend": "tuning.recommend",
    "replay": "planning.replay",
    "resolve_settings": "settings.resolve",
    "retention": "recall.retention",
    "settings_for": "costs.proposal",
    "sweep": "tuning.sweep",
    "trim": "planning.trim",
    "tune": "tuning.tune",
    "validity": "planning.validity",
}
__all__ = [
    "Action",
    "Conversation",
    "HistoryLabError",
    "HistoryPlan",
    "Message",
    "Question",
    "RequestDecisions",
    "Settings",
    "Timeline",
    "ToolCall",
    "Trimmer",
    "__version__",
    "ask",
    "bill",
    "export",
    "formats",
    "generate",
    "grid",
    "load",
    "plan_history",
    "propose_questions",
    "random_search",
    "read_template",
    "recommend",
    "replay",
    "resolve_settings",
    "retention",
    "settings_for",
    "sweep",
    "trim",
    "tune",
    "validity",
]


if not TYPE_CHECKING:  # for a type checker the imports above are all there is, so that it refuses other names

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used, so that `import historylab` costs next to nothing."""
        if name not in _MODULES:
            raise AttributeError(f"module 'historylab' has no attribute {name!r}")
        from importlib import import_module

        from historylab.errors import needs

        with needs("historylab", f"historylab.{name}"):
            module = import_module(f"historylab.{_MODULES[name]}")
        value = module if name == "formats" else getattr(module, name)  # that package can be called
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
