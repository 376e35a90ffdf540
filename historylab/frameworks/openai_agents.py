"""An input filter for the OpenAI Agents SDK that trims every request.

Source: the SDK's `RunConfig.call_model_input_filter`, which sees every request with its instructions before it is sent
and doesn't change what a session keeps. Its items are those of the Responses API.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from historylab.frameworks.base import open_trimmer
from historylab.settings.model import Settings

if TYPE_CHECKING:
    from historylab.stores.base import StateStore


class TrimInput:
    """Trims what is sent; a session keeps everything. `trimmer` is the Trimmer that it asks."""

    def __init__(self, settings: Settings | None, store: StateStore | str | None):
        self.trimmer = open_trimmer(settings, store, "responses")

    async def __call__(self, data: Any) -> Any:
        given = data.model_data
        system = [{"role": "system", "content": given.instructions}] if given.instructions else []
        sent = await self.trimmer.atrim([*system, *given.input])
        if system and sent and sent[0] is system[0]:
            return replace(given, input=sent[1:])
        return replace(given, instructions=None, input=sent)  # left out, or where a layout puts them


def history_processor(settings: Settings | None = None, *, store: StateStore | str | None = None) -> TrimInput:
    """The filter: `RunConfig(call_model_input_filter=history_processor(settings))`.

    Tools count as overhead. It needs the whole history in every request: not with `conversation_id` or
    `previous_response_id`.
    """
    return TrimInput(settings, store)
