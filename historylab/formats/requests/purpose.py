"""Requests that a coding agent makes for itself: to compact the conversation, or to give it a title.

What a cut leaves out of a compaction is lost for good, so these are known by fields of the client's own or by its
prompt: how its system text or the newest user's last text begins. What a tool or a person quotes is no prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jiter

from historylab.conversation.injected import REMINDER
from historylab.formats.messages.responses_items import COMPACTION_TRIGGER
from historylab.formats.requests.form import Form
from historylab.formats.requests.items import LEADING_ROLES

PURPOSES = COMPACTION, TITLE = "compaction", "title"
SUMMARISE = "Your task is to create a detailed summary of"
ASKED: tuple[tuple[str, str, str], ...] = (
    (COMPACTION, SUMMARISE, ""),  # Claude Code
    (COMPACTION, "CRITICAL: Respond with TEXT ONLY", SUMMARISE),
    (COMPACTION, "You are performing a CONTEXT CHECKPOINT COMPACTION", ""),  # Codex
    (COMPACTION, "First, reason in your scratchpad. Then, generate the <state_snapshot>", ""),  # Gemini CLI
)
"""Purpose, how the newest user's last text begins, and what else it holds."""
TOLD: tuple[tuple[str, str], ...] = (
    (COMPACTION, "You are a helpful AI assistant tasked with summarizing conversations"),  # Claude Code, opencode
    (COMPACTION, "*Briefly* summarize this partial conversation about programming"),  # aider
    (TITLE, "You are a title generator. You output ONLY a thread title"),  # opencode
)
"""Purpose, and how one of the system's texts begins."""
TITLE_LINE = "Generate a concise, sentence-case title"  # Claude Code, which asks for it by a schema


def purpose_of(body: Mapping[str, Any], form: Form) -> str:
    """`compaction` or `title` where a client asks for one; "" for any other request, of a body with a list of items."""
    items = body.get(form.field, ())
    asked, told = _last_text(items), list(_system_texts(body, form, items))
    found = [kind for kind in (_request_kind(body),) if kind in PURPOSES]
    found += [COMPACTION] if _kind_of_last(items) == COMPACTION_TRIGGER else []
    found += [purpose for purpose, begins, holds in ASKED if asked.startswith(begins) and holds in asked]
    found += [purpose for purpose, begins in TOLD if any(text.startswith(begins) for text in told)]
    if _asks_for_title(body) and any(line.startswith(TITLE_LINE) for text in told for line in text.splitlines()):
        found.append(TITLE)
    return found[0] if found else ""


def _kind_of_last(items: Sequence[Any]) -> Any:
    return items[-1].get("type") if items and isinstance(items[-1], dict) else None


def _request_kind(body: Mapping[str, Any]) -> str:
    """The `request_kind` in Codex' metadata: a field, or one in a field that is JSON."""
    told = body.get("client_metadata")
    for value in (told, *map(_from_json, told.values())) if isinstance(told, dict) else ():
        kind = value.get("request_kind") if isinstance(value, dict) else None
        if isinstance(kind, str):
            return kind
    return ""


def _from_json(text: Any) -> Any:
    try:
        return jiter.from_json(text.encode()) if isinstance(text, str) and text.startswith("{") else None
    except ValueError:
        return None


def _asks_for_title(body: Mapping[str, Any]) -> bool:
    """Tell whether an answer is asked for in JSON with a title."""
    wanted: Any = body.get("output_config") or {"format": body.get("output_format")}
    for name in ("format", "schema", "properties"):
        wanted = wanted.get(name) if isinstance(wanted, dict) else None
    return isinstance(wanted, dict) and "title" in wanted


def _last_text(items: Sequence[Any]) -> str:
    """The last text of the user's message that the items end with, system messages and reminders left out."""
    for item in reversed(items):
        role = item.get("role") if isinstance(item, dict) else None
        if role in LEADING_ROLES:
            continue
        texts = list(_texts(item)) if role == "user" else []
        return next((text for text in reversed(texts) if not text.startswith(REMINDER)), "")
    return ""


def _system_texts(body: Mapping[str, Any], form: Form, items: Sequence[Any]) -> Iterator[str]:
    own = body.get(form.system_field)
    yield from _texts(own if isinstance(own, dict) else {"content": own})
    for item in items:
        if not isinstance(item, dict) or item.get("role") not in LEADING_ROLES:
            return
        yield from _texts(item)


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    content = item.get("content", item.get("parts"))  # Gemini's
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text.lstrip()
