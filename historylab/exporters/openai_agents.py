"""`openai_agents`: an input filter for the OpenAI Agents SDK that trims every request."""

from collections.abc import Sequence

from historylab.exporters.python_module import hook_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`RunConfig(call_model_input_filter=trim_input)`; it needs `pip install openai-agents` and `pip "
    "install .` in a clone of HistoryLab"
)


@register(
    "exporter",
    title="OpenAI Agents",
    use=USE,
    file_name="historylab_openai_agents.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"time", "thinking"}),
)
def openai_agents(settings: Settings, names: Sequence[str]) -> str:
    """An input filter for the OpenAI Agents SDK, which trims every request with these settings."""
    return hook_module(settings, names, "openai_agents", "trim_input")
