"""`tagged_prompt`: the history as text between tags in one user message, the current message after it.

For interfaces that take one prompt instead of a list of messages. Inside the history the two tags are escaped, so that
no message can close it. While tools are at work, their calls and results follow the prompt as they are, since an API
takes a result only after its call; images, sound and files follow the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from historylab.conversation.message import Message
from historylab.formats.messages.rewritten import in_one
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
        bool,
        Field(
            title="Escape tags in the history", description="escape the tags inside the history", json_schema_extra=FINE
        ),
    ] = True,
) -> list[Message]:
    """System messages, one user message with the history and the current message, then the tools at work on it."""
    systems = [m for m in messages if m.role == "system"]
    rest = [m for m in messages if m.role != "system"]
    asked = _prompt_size(rest)
    said, running = rest[:asked], rest[asked:]
    if not said or (len(said) == 1 and said[0].role == "user"):
        return [*systems, *rest]
    *history, current = said if said[-1].role == "user" else [*said, None]
    lines = [(m.role, "\n".join(lines_of(m))) for m in history if m]
    text = prompt_with_history(current.content if current else None, lines, escape_tags)
    return [*systems, in_one("user", text, said), *running]


def _prompt_size(messages: Sequence[Message]) -> int:
    """The number of messages in the prompt: all, or while tools are at work those up to the newest user message."""
    if messages and messages[-1].role == "tool":
        newest = next((k for k in range(len(messages), 0, -1) if messages[k - 1].role == "user"), None)
        return newest or len(messages)
    return len(messages)


def prompt_with_history(current: str | None, history: Sequence[tuple[str, str]], escape_tags: bool = True) -> str:
    """`history` as (role, text); without any, the current message alone; without that, a request to go on.

    A role that is no user's counts as the assistant's.
    """
    if not history:
        return current or ""
    lines = [
        f"{LABELS.get(role, 'Assistant')}: {escape_openings(text) if escape_tags else text}" for role, text in history
    ]
    closing = [CONTINUE] if current is None else [CONTINUE + HUMAN_SAYS, current]
    return "\n".join([f"<{TAG}>", *lines, f"</{TAG}>", "", *closing])


def is_prompt(text: str) -> bool:
    """Whether a text is such a prompt with a history."""
    return text.startswith(f"<{TAG}>\n") and f"\n</{TAG}>\n\n{CONTINUE}" in text


def escape_openings(text: str) -> str:
    """The text with the opening `<` of either tag, however it is spelled, as `&lt;`."""
    return _A_TAG.sub("&lt;", text)
