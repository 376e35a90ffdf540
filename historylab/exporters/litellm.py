"""`litellm`: a callback for LiteLLM's proxy that trims every request for a chat."""

from collections.abc import Sequence

from historylab.exporters.python_module import hook_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "beside the proxy's `config.yaml`, with `litellm_settings: {callbacks: historylab_litellm.trim_history}`; without "
    "the proxy `litellm.completion(…, messages=Trimmer(settings).trim(messages))`; it needs `pip install litellm` and "
    "`pip install .` in a clone of HistoryLab"
)


@register(
    "exporter",
    title="LiteLLM",
    use=USE,
    file_name="historylab_litellm.py",
    mime="text/x-python",
    language="python",
)
def litellm(settings: Settings, names: Sequence[str]) -> str:
    """A callback for LiteLLM's proxy, which trims every request with these settings."""
    return hook_module(settings, names, "litellm", "trim_history")
