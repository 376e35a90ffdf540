"""`litellm`: a hook for LiteLLM's proxy that trims every request for a chat, and a trimmer for its `completion`.

Source: `CustomLogger.async_pre_call_hook` in litellm.integrations.custom_logger (1.106), which may give back another
body, and the proxy's routes: `call_type` is `acompletion` (in old versions `completion`), `anthropic_messages` or
`aresponses` for a chat. For a program that calls `litellm.completion` itself no hook may change the messages: it hands
over what the trimmer gives it.
"""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "beside the proxy's `config.yaml`, with `litellm_settings: {callbacks: historylab_litellm.trim_history}`; without "
    "the proxy `litellm.completion(…, messages=trimmer.trim(messages))`; it needs `pip install litellm` and `pip "
    "install .` in a clone of HistoryLab"
)
IMPORTS = "from litellm.integrations.custom_logger import CustomLogger"
CODE = '''
of_messages = Trimmer(settings, store=trimmer.store, format="anthropic")
of_responses = Trimmer(settings, store=trimmer.store, format="responses")
TRIMMERS = {
    "completion": trimmer,
    "acompletion": trimmer,
    "anthropic_messages": of_messages,
    "responses": of_responses,
    "aresponses": of_responses,
}
ELSEWHERE = ("previous_response_id", "conversation")  # the provider has the history


class TrimHistory(CustomLogger):
    """Only what is sent is trimmed, the client keeps everything. Tools count as overhead.

    What is no chat goes on as it came.
    """

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        held = data.get("messages") or data.get("input")
        if call_type not in TRIMMERS or not held or any(data.get(name) for name in ELSEWHERE):
            return data
        return await TRIMMERS[call_type].atrim(data)


trim_history = TrimHistory()
'''


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
    return python_module(settings, names, "litellm", CODE, imports=IMPORTS, api="chat_completions")
