"""`langgraph`: a `pre_model_hook` for LangGraph's `create_react_agent`, and a function for custom graphs."""

from collections.abc import Iterator, Sequence

from historylab.exporters.base import Difference, first_without
from historylab.exporters.python_module import hook_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`create_react_agent(…, pre_model_hook=pre_model_hook)`, or in a graph of your own `pre_model_hook.to_send("
    "messages)` before the model; it needs `pip install langgraph` and `pip install .` in a clone of HistoryLab"
)
PROMPT = "A `prompt` of create_react_agent is put in front of every request; put it into the messages instead."


def differs(settings: Settings) -> Iterator[Difference]:
    if not settings.preserve_system_messages:
        yield Difference(("preserve_system_messages",), PROMPT)
    yield from first_without(settings, "A `prompt` of create_react_agent")


@register(
    "exporter",
    title="LangGraph",
    use=USE,
    file_name="historylab_langgraph.py",
    mime="text/x-python",
    language="python",
    differs=differs,
)
def langgraph(settings: Settings, names: Sequence[str]) -> str:
    """LangGraph's pre_model_hook, which trims every request with these settings."""
    return hook_module(settings, names, "langgraph", "pre_model_hook")
