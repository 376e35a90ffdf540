"""`anthropic_sdk`: Anthropic's own client, wrapped, so that each of its requests is trimmed; OpenAI's as well."""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`client = wrap(anthropic.Anthropic())`, sync or async, and hand `messages` whole to every call; it needs "
    "`pip install anthropic` and `pip install .` in a clone of HistoryLab"
)
IMPORTS = "from functools import partial\n\nimport historylab\nfrom historylab import Settings"


@register(
    "exporter",
    title="Anthropic SDK",
    use=USE,
    file_name="historylab_anthropic.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"time", "thinking"}),
)
def anthropic_sdk(settings: Settings, names: Sequence[str]) -> str:
    """A wrapper for clients of Anthropic's SDK, which trims what they send with these settings."""
    return python_module(
        settings, names, "anthropic_sdk", "wrap = partial(historylab.wrap, settings=settings)", imports=IMPORTS
    )
