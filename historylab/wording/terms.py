"""The terms on screen, each with a sentence that says what it means: shown on hover, focus and touch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from historylab.wording.untrusted import escape

TERMS: Mapping[str, str] = {
    "message": "One entry of a conversation: who speaks, the text, and the tool calls it makes or answers.",
    "turn": "A user message and everything up to the next one.",
    "request": "One call of the model, with the messages before it as its history. An agent makes several in a turn.",
    "fact": "A value that an answer or a tool call uses and an earlier message says: an id, a number, a path. "
    "What answers use is an estimate: found by reading.",
    "facts in tool calls": "A value in a tool call that an earlier message says word for word.",
    "facts in answers": "An id, a number or a path in an answer that an earlier message says. An estimate: nothing "
    "proves that the model looked it up there.",
    "evidence": "The messages that the file itself names as needed for a question.",
    "gone for good": "Nobody can look it up again: a person said it, a prompt, or a tool whose call can't be "
    "repeated, such as one that books a flight.",
    "found again with a tool": "An estimate: a tool said it and can be asked again, as nothing shows that its call "
    "changed something.",
    "budget": "The most tokens a request may have, reserve and overhead included.",
    "reserve": "The part of the budget that is kept free for the model's answer.",
    "overhead": "Tokens sent beside the messages: the descriptions of tools, a hidden system prompt.",
    "cache": "The provider's memory of how the last request began. What a request repeats of it costs less.",
    "not trimming": "The conversation as recorded, sent whole at every request.",
    "estimate": "Not the model's own count, or not what the provider will charge to the cent.",
    "tokens": "The pieces of text a model counts and is paid by: about four characters of English each.",
}
"""Term → its definition, in a sentence."""


def with_terms(text: str, *terms: str) -> str:
    """A sentence as HTML, in which the first mention of each of these terms, or its plural, tells what it means."""
    mentions = ((*match.span(), term) for term in terms if (match := _mention(term, text)))
    pieces, end = list[str](), 0
    for start, stop, term in sorted(mentions, key=lambda m: (m[0], -m[1])):  # of two that begin alike the longer one
        if start >= end:
            pieces += [escape(text[end:start]), _term_html(text[start:stop], term)]
            end = stop
    return "".join([*pieces, escape(text[end:])])


def _term_html(word: str, term: str) -> str:
    """A word as HTML with the definition of its term, for mouse, keyboard and touch."""
    return f'<dfn class="hl-term" tabindex="0" aria-description="{escape(TERMS[term])}">{escape(word)}</dfn>'


def _mention(term: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b{re.escape(term)}s?\b", text, re.IGNORECASE)
