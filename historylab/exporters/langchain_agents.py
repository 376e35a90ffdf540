"""`langchain_agents`: a middleware for LangChain's `create_agent`, the successor of `create_react_agent`."""

from collections.abc import Sequence

from historylab.exporters.python_module import hook_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`create_agent(…, middleware=[trim_history])`; it needs `pip install langchain` and `pip install .` "
    "in a clone of HistoryLab"
)


@register(
    "exporter",
    title="LangChain agents",
    use=USE,
    file_name="historylab_langchain_agents.py",
    mime="text/x-python",
    language="python",
)
def langchain_agents(settings: Settings, names: Sequence[str]) -> str:
    """A middleware for LangChain's create_agent, which trims every request with these settings."""
    return hook_module(settings, names, "langchain_agents", "trim_history")
