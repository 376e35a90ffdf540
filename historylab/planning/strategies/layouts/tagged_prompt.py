"""`tagged_prompt`: the history as text between tags in one user message, the current message after it.

For interfaces that take one prompt instead of a list of messages. Inside the history the two tags are escaped, so that
no message can close it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from historylab.conversation.message import Message
from historylab.planning.strategies.projections.collapsed_tools import lines_of
from historylab.registry import FINE, register

TAG = "conversation_history"
LABELS = {"user": "Human", "assistant": "Assistant", "tool": "Assistant"}
CONTINUE = "Continue the conversation."
HUMAN_SAYS = " The human says:"
_A_TAG = re.compile(rf"<(?=\s*/?\s*{TAG}\b)", re.IGNORECASE)


@register("layout", title="One tagged prompt")
def tagged_prompt(
    messages: Sequence[Message],
    *,
    escape_tags: Annotated[
        bool, Field(description="escape the tags inside the history", json_schema_extra=FINE)
    ] = True,
) -> list[Message]:
    """System messages, then one user message that holds everything else."""
    systems = [m for m in messages if m.role == "system"]
    rest = [m for m in messages if m.role != "system"]
    if not rest or (len(rest) == 1 and rest[0].role == "user"):
        return [*systems, *rest]
    current = rest.pop() if rest[-1].role == "user" else None
    history = [(m.role, "\n".join(lines_of(m))) for m in rest]
    text = prompt_with_history(current.content if current else None, history, escape_tags)
    return [*systems, Message("user", text, media=current.media if current else ())]


def prompt_with_history(current: str | None, history: Sequence[tuple[str, str]], escape_tags: bool = True) -> str:
    """`history` as (role, text); without any, the current message alone; without that, a request to go on.

    A role that is no user's counts as the assistant's.
    """
    if not history:
        return current or ""
    lines = [f"{LABELS.get(role, 'Assistant')}: {escaped(text) if escape_tags else text}" for role, text in history]
    closing = [CONTINUE] if current is None else [CONTINUE + HUMAN_SAYS, current]
    return "\n".join([f"<{TAG}>", *lines, f"</{TAG}>", "", *closing])


def escaped(text: str) -> str:
    """The text with the opening `<` of either tag, however it is spelled, as `&lt;`."""
    return _A_TAG.sub("&lt;", text)
