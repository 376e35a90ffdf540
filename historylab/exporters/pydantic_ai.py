"""`pydantic_ai`: a hook for Pydantic AI (from version 2) that trims every request."""

from collections.abc import Iterator, Sequence

from historylab.exporters.base import Difference, first_without
from historylab.exporters.python_module import hook_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`Agent(…, capabilities=[trim_history])`; it needs `pip install pydantic-ai` and `pip install .` in a clone of "
    "HistoryLab"
)
PROMPT = "`instructions` of an agent are sent with every request; give a `system_prompt` instead."


def differs(settings: Settings) -> Iterator[Difference]:
    if not settings.preserve_system_messages:
        yield Difference(("preserve_system_messages",), PROMPT)
    yield from first_without(settings, "What `instructions` say")


@register(
    "exporter",
    title="Pydantic AI",
    use=USE,
    file_name="historylab_pydantic_ai.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"time"}),
    differs=differs,
)
def pydantic_ai(settings: Settings, names: Sequence[str]) -> str:
    """A hook for Pydantic AI, which trims every request with these settings."""
    return hook_module(settings, names, "pydantic_ai", "trim_history")
