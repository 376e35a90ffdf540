"""See which messages of a conversation a model is really sent, why, and what that costs; then run those settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from historylab._version import __version__ as __version__

if TYPE_CHECKING:
    _SOURCE = None
else:
    _SOURCE = __loader__.get_source(__name__)  # None in an app that is frozen into one file

if TYPE_CHECKING or not _SOURCE:  # the public names; below they are read off these lines, where there is a source
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
    from historylab.planning.plan import HistoryPlan as HistoryPlan
    from historylab.planning.reasons import Action as Action
    from historylab.planning.replay import Timeline as Timeline
    from historylab.planning.replay import replay as replay
    from historylab.planning.validity import validity as validity
    from historylab.proxy.wrap import wrap as wrap
    from historylab.recall.needs import needs as needs
    from historylab.recall.proposals import propose_questions as propose_questions
    from historylab.recall.questions import Question as Question
    from historylab.recall.questions import ask as ask
    from historylab.recall.retention import retention as retention
    from historylab.recordings.as_sent import as_sent as as_sent
    from historylab.reports.check_assertion import check as check
    from historylab.settings.model import Settings as Settings
    from historylab.settings.resolve import resolve_settings as resolve_settings
    from historylab.settings.sources import read_template as read_template
    from historylab.trimming.trim import trim as trim
    from historylab.trimming.trimmer import Trimmer as Trimmer
    from historylab.tuning.engine_batches import measure_batch as measure_batch
    from historylab.tuning.grid import grid as grid
    from historylab.tuning.grid import random_search as random_search
    from historylab.tuning.nearest import nearest_settings as nearest_settings
    from historylab.tuning.recommend import recommend as recommend
    from historylab.tuning.shares import share_interval as share_interval
    from historylab.tuning.sweep import sweep as sweep
    from historylab.tuning.tune import tune as tune

    if TYPE_CHECKING:

        def formats() -> list[str]:
            """The names of the formats that `load` reads."""

        def trimmers() -> list[str]:
            """The names of the trimmers that `replay` drives, whether their library is installed or not."""

else:

    def _modules() -> dict[str, str]:
        """Each public name's module, in the order of the names."""
        found = {"formats": "historylab.formats", "trimmers": "historylab.trimmers"}
        for line in _SOURCE.splitlines():
            match line.split():
                case ["from", module, "import", name, "as", _]:
                    found[name] = module
        return dict(sorted(found.items()))

    _MODULES = _modules()
    __all__ = list(_MODULES)

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used, so that `import historylab` costs next to nothing."""
        if name not in _MODULES:
            raise AttributeError(f"module 'historylab' has no attribute {name!r}")
        from importlib import import_module

        from historylab.errors import needs

        with needs("historylab", f"historylab.{name}"):
            module = import_module(_MODULES[name])
        value = module if name in ("formats", "trimmers") else getattr(module, name)  # these packages can be called
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return __all__
