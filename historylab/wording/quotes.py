"""Quotations: the sentence of a message that says a value, short enough for a headline."""

from __future__ import annotations

import re

from historylab.conversation.message import Message
from historylab.conversation.standing import is_rule, rules_in
from historylab.recall.value_kinds import is_file
from historylab.wording.message_text import own_words, without_escapes
from historylab.wording.untrusted import one_line

QUOTE, VALUE = 48, 40  # characters of a quoted sentence, and of a value that stands alone
ENDS = re.compile(r"(?<=[.!?。！？…])\s+|\n+")
NO_PROSE = re.compile(r"[{}\[\]<>=;|`\\]|://|^\W*(?:import|from|def|class|return)\b")
"""Text that stands in code and in data rather than in a sentence that someone reads aloud."""
WORDS = 3  # words beside the value from which on it is a sentence


def quote_of(message: Message, value: str) -> str:
    """The sentence that says the value, or its part around it; the value alone where it stands in code or data.

    It is untrusted text on one line, without quotation marks.
    """
    text = own_words(message) or without_escapes(message.content)
    at = text.casefold().find(value.casefold()) if len(text.casefold()) == len(text) else text.find(value)
    if at < 0:
        return short_value(value)
    sentence, start = _sentence_at(text, at)
    if is_file(value) or NO_PROSE.search(sentence) or len(sentence.replace(value, " ").split()) < WORDS:
        return short_value(value)
    return _around(sentence, at - start, len(value)).rstrip(".!?。！？ ")


def short_value(value: str, width: int = VALUE) -> str:
    """The value on one line; of a long path its end, which tells one from another."""
    value = without_escapes(value).strip()
    if len(value) > width and "/" in value and not re.search(r"\s", value):
        tail = value[-(width - 1) :]
        return one_line(f"…{tail[tail.find('/') if '/' in tail else 0 :]}", width)
    return one_line(value, width)


def first_sentence(message: Message) -> str:
    """The first sentence of what a message says: untrusted text on one line."""
    text = own_words(message) or without_escapes(message.content).strip()
    return _beginning(ENDS.split(text, 1)[0])


def first_instruction(message: Message, value: str = "") -> str:
    """The first standing instruction in a message that says the value, without words that announce it; else "".

    "Two things before you start: never write to that table, the auditors hold it" → "never write to that table, the…"
    """
    rule = next((rule for rule in rules_in(message) if value in rule), "")
    told = next((part for part in rule.split(": ") if value in part and is_rule(part)), rule)
    return _beginning(told)


def _beginning(sentence: str) -> str:
    return _around(sentence, 0, 0).rstrip(".!?: ")


def _sentence_at(text: str, at: int) -> tuple[str, int]:
    """The sentence around a place, and where it begins."""
    start = max((end.end() for end in ENDS.finditer(text, 0, at + 1) if end.end() <= at), default=0)
    end = ENDS.search(text, at)
    return text[start : end.start() if end else len(text)], start


def _around(sentence: str, at: int, size: int) -> str:
    """At most QUOTE characters of it with those `at`, cut between words."""
    start = 0
    if len(sentence) > QUOTE and at + size > QUOTE - 1:
        start = min(at, max(0, at + size - QUOTE + 8))
        start = max(sentence.find(" ", start, at) + 1, start)
    shown = one_line(f"{'…' if start else ''}{sentence[start:]}", QUOTE)
    words = shown.rpartition(" ")[0]
    return f"{words}…" if shown.endswith("…") and len(words) > at - start + size + 1 else shown
