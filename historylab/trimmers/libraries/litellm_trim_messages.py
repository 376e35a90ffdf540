"""LiteLLM's `trim_messages`, called by an app on the messages that it is about to send.

In its list: all messages, the system message first. Names: those of the file, which it counts. Parallel results: a
message each. Asked: before each call of the model, each time of the whole history. Source: `trim_messages` in
litellm/utils.py. It catches its own errors, such as on a content that is null and has to be shortened, logs them, and
gives the messages back as they were.
"""

from __future__ import annotations

import logging
import os
from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked


@register("trimmer", "litellm.trim_messages", title="LiteLLM trim_messages", library="litellm")
class LiteLLMTrim:
    """Keeps the newest messages that fit, shortens the others, and joins all system messages at the front."""

    form = "chat_completions"
    system_inside = True
    carries = False
    asked: Asked = "request"
    summarizes = False
    notes = ("Where LiteLLM's function fails it says so in its log, and the request is sent whole.",)

    def __init__(
        self,
        *,
        max_tokens: Annotated[
            int | None, Field(ge=1, description="tokens; else a part of the model's window, else all is sent")
        ] = None,
        model: Annotated[
            str | None, Field(description="the model whose tokens are counted, as LiteLLM calls it")
        ] = None,
        trim_ratio: Annotated[float, Field(gt=0, le=1, description="the part of the model's window")] = 0.75,
    ):
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the network for prices
        with needs("litellm", "litellm.trim_messages"):
            from litellm.utils import trim_messages
        self._trim = trim_messages
        self._options = {"max_tokens": max_tokens, "model": model, "trim_ratio": trim_ratio}

    def __call__(self, items: list[Any]) -> list[Any]:
        log = logging.getLogger("LiteLLM")
        was, log.disabled = log.disabled, True  # a stack trace for each failure
        try:
            return list(self._trim(items, **self._options))
        finally:
            log.disabled = was
