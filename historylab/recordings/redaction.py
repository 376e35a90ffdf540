"""Redaction: what looks like a key, and what the patterns of a recording's owner match, is taken out of every text.

Texts are looked at one by one, also those within a text that is JSON, so that no pattern matches across two of them.
Python's regular expressions can take exponential time, and everything waits meanwhile: a repetition within a repeated
group is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from historylab.errors import SettingsError

REDACTED = "[redacted]"
LONGEST_PATTERN = 500  # characters
LEAST_SECRET = 8
WORDS = "key Key KEY token Token TOKEN assw ASSW"
KEYS = (
    ("sk- sk_ rk- rk_ pk- pk_", r"\b(?:sk|rk|pk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}"),  # OpenAI, Anthropic, Stripe
    ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{22,}"),
    ("glpat- hf_", r"\bglpat-[\w-]{20,}|\bhf_[A-Za-z0-9]{30,}"),
    ("AKIA ASIA AIza", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}"),
    ("xox", r"\bxox[abeoprs]-[\w-]{10,}"),
    (  # a JSON web token; a run of letters is looked through only if it goes on as one does, so that none takes long
        "eyJ",
        r"(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.[\w-]{5,})[\w-]*?\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}",
    ),
    ("earer EARER", r"(?i:\bbearer) +[\w.~+/-]{16,}=*"),
    ("PRIVATE", r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("://", r"(?<=://)[^\s/:@\"'\\]{1,200}:[^\s/@\"'\\]{1,200}(?=@)"),
    (
        WORDS,
        r"(?i:\b(?:api|secret|access|auth)[-_ ]?(?:key|token)|\bpassword|\bpasswd)"  # = what has a digit in it
        r"[\"'\\]{0,4}\s{0,9}[:=]\s{0,9}[\"'\\]{0,4}(?=[^\s\"',;\\]{0,99}\d)[^\s\"',;\\]{8,}",
    ),
)
"""What of a key is quickly looked for, any of these, and the pattern that finds it where there is one."""

NESTED = re.compile(r"\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)[+*{]")
"""A repetition within a group that is itself repeated, by which a text can be divided in exponentially many ways."""


def likely_secrets(texts: Iterable[str]) -> list[str]:
    """Those of the texts that are kept out of records: what servers are given that want no key ("ollama") is none."""
    return [text for text in dict.fromkeys(texts) if len(text) >= LEAST_SECRET and not text.isalpha()]


class Redaction:
    """Takes keys, and what these patterns match, out of values. Raises SettingsError for a pattern of no use."""

    def __init__(self, patterns: Iterable[str] = ()):
        self._patterns = [(tuple(marks.split()), re.compile(pattern)) for marks, pattern in KEYS]
        self._patterns += [(("",), _compile(pattern)) for pattern in patterns]

    def redact(self, value: Any, secrets: Sequence[str] = ()) -> tuple[Any, int]:
        """The value with "[redacted]" in place of every match or secret in any text in it, and how many those are.

        The value itself where there is none; names of fields stay.
        """
        if isinstance(value, str):
            return self._text(value, secrets)
        if isinstance(value, dict):
            fields = {name: self.redact(held, secrets) for name, held in value.items()}
            count = sum(found for _, found in fields.values())
            return ({name: held for name, (held, _) in fields.items()} if count else value), count
        if isinstance(value, list | tuple):
            items = [self.redact(item, secrets) for item in value]
            count = sum(found for _, found in items)
            return ([item for item, _ in items] if count else value), count
        return value, 0

    def _text(self, text: str, secrets: Sequence[str]) -> tuple[str, int]:
        total = 0
        if "\\" in text and text[:1] in ("{", "[") and (inner := _json_in(text)) is not None:
            found, total = self.redact(inner, secrets)
            text = json.dumps(found, ensure_ascii=False) if total else text
        for secret in secrets:
            total += text.count(secret)
            text = text.replace(secret, REDACTED)
        for marks, pattern in self._patterns:
            if any(mark in text for mark in marks):
                text, count = pattern.subn(REDACTED, text)
                total += count
        return text, total


def _json_in(text: str) -> Any:
    """The value of a text that is JSON, such as a call's arguments, in which escapes hide what it says; else None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _compile(pattern: str) -> re.Pattern[str]:
    asked = f"the pattern {pattern!r:.80} cannot redact"
    if len(pattern) > LONGEST_PATTERN:
        raise SettingsError(f"{asked}: it has {len(pattern):,} characters, and {LONGEST_PATTERN} at most are taken")
    try:
        found = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as problem:
        raise SettingsError(f"{asked}: it is no regular expression ({problem})") from None
    if found.search(""):
        raise SettingsError(f"{asked}: it matches the empty text, and so everywhere")
    if NESTED.search(pattern):
        raise SettingsError(f"{asked}: it repeats a group that repeats something, which can take forever; write one")
    return found
