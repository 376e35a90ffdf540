"""Searching messages: which contain the words, and where in them."""

from __future__ import annotations

import re
from itertools import islice
from unicodedata import normalize

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.wording.untrusted import replace_hidden

BEFORE, AFTER = 36, 90  # characters shown around a match


def matching_messages(conversation: Conversation, size: int, words: str) -> np.ndarray:
    """bool[size]: messages with the words in their role, name, text, or the names and arguments of their tool calls.

    Ignores case, character width, kind of space, and how accents are composed.
    """
    wanted = fold_case(words)
    if not wanted:
        return np.ones(size, bool)
    return np.fromiter((wanted in text for text in islice(_searchable(conversation), size)), bool, size)


def fold_case(text: str) -> str:
    """The text normalised for comparison."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def _searchable(conversation: Conversation) -> list[str]:
    return conversation.remember("searchable", lambda: [_searchable_text(message) for message in conversation])


def _searchable_text(message: Message) -> str:
    """Every searched part of a message on a line of its own, so that no match spans two parts."""
    calls = (part for call in message.tool_calls for part in (call.name, call.arguments))
    return "\n".join(fold_case(part) for part in (message.role, message.name or "", message.content, *calls))


def found_in(message: Message, words: str) -> tuple[str, str, str]:
    """The place where a message contains the words: what stands before them, they themselves, and what follows.

    On one line, safe to show. Where only the folded texts agree, it is the folded text.
    """
    calls = (f"{call.name}({call.arguments})" for call in message.tool_calls)
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words.split()), re.IGNORECASE)
    for part in (message.content, *calls, message.name or "", message.role):
        if found := pattern.search(part):
            return _around(part, *found.span())
    wanted = fold_case(words)
    part = next((part for part in _searchable_text(message).split("\n") if wanted in part), "")
    at = part.find(wanted)
    return _around(part, at, at + len(wanted))


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    before, match, after = text[max(0, start - BEFORE) : start], text[start:end], text[end : end + AFTER]
    ellipses = ("…" if start > BEFORE else "", "", "…" if len(text) > end + AFTER else "")
    shown = (replace_hidden(re.sub(r"\s+", " ", part)) for part in (before, match, after))
    first, second, third = shown
    return ellipses[0] + first, second, third + ellipses[2]
