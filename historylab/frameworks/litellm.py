"""A callback for LiteLLM's proxy that trims every request for a chat.

Source: `CustomLogger.async_pre_call_hook` in litellm.integrations.custom_logger (1.106), which may give back another
body, and the proxy's routes: `call_type` is `acompletion` (in old versions `completion`), `anthropic_messages` or
`aresponses` for a chat. For a program that calls `litellm.completion` itself no hook may change the messages: it hands
over what a Trimmer gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from historylab.errors import needs
from historylab.frameworks.base import open_trimmer
from historylab.settings.model import Settings

with needs("litellm", "historylab.frameworks.litellm"):
    from litellm.integrations.custom_logger import CustomLogger

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

FORMS = {
    "completion": "chat_completions",
    "acompletion": "chat_completions",
    "anthropic_messages": "anthropic",
    "responses": "responses",
    "aresponses": "responses",
}
ELSEWHERE = ("previous_response_id", "conversation")  # the provider has the history


class ProxyCallback(CustomLogger):  # type: ignore[misc]
    """Trims what the proxy sends, the client keeps everything. Tools count as overhead; what is no chat goes on."""

    def __init__(self, settings: Settings | None, store: StateStore | str | None):
        super().__init__()
        chats = open_trimmer(settings, store, "chat_completions")
        others = {form: open_trimmer(settings, chats.store, form) for form in ("anthropic", "responses")}
        self._trimmers = {"chat_completions": chats, **others}

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> Any:
        held = data.get("messages") or data.get("input")
        if call_type not in FORMS or not held or any(data.get(name) for name in ELSEWHERE):
            return data
        return await self._trimmers[FORMS[call_type]].atrim(data)


def history_processor(settings: Settings | None = None, *, store: StateStore | str | None = None) -> ProxyCallback:
    """The callback, to be named in the proxy's `config.yaml`: `litellm_settings: {callbacks: MODULE.NAME}`."""
    return ProxyCallback(settings, store)
