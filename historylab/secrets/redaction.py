"""Redaction: what looks like a key, and what the patterns of a recording's owner match, is taken out of every text.

Texts are looked at one by one, also those within a text that is JSON, so that no pattern matches across two of them.
Python's regular expressions can take exponential time, and everything waits meanwhile: a repetition within a repeated
group is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache
from typing import Any

from historylab.errors import SettingsError
from historylab.secrets.key_shapes import keys_in
from historylab.secrets.secret_names import authorizations, is_secret, may_name, named_secrets

REDACTED = "[redacted]"
LONGEST_PATTERN = 500  # characters
LONGEST_KNOWN = 64  # characters of a field's name
LEAST_SECRET = 8
SHORTEST = 12
"""Characters of a text in which a key may be, with its name."""
NAME_FIELDS = ("name", "key", "Name", "header", "field", "variable")
NESTED = re.compile(r"\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)[+*{]")
"""A repetition within a group that is itself repeated, by which a text can be divided in exponentially many ways."""


def likely_secrets(texts: Iterable[str]) -> list[str]:
    """Those of the texts that are kept out of records: what servers are given that want no key ("ollama") is none."""
    return [text for text in dict.fromkeys(texts) if len(text) >= LEAST_SECRET and not text.isalpha()]


class Redaction:
    """Takes keys, and what these patterns match, out of values. Raises SettingsError for a pattern of no use.

    Fields of an object that are `spared` by their name stay as they are.
    """

    def __init__(self, patterns: Iterable[str] = (), spared: Container[str] = ()):
        self._patterns, self._spared = [_compile(pattern) for pattern in patterns], spared

    def redact(self, value: Any, secrets: Sequence[str] = ()) -> tuple[Any, int]:
        """The value with "[redacted]" in place of every match or secret in any text in it, and how many those are.

        The value itself where there is none; names of fields stay, but for those that are keys themselves.
        """
        if isinstance(value, str):
            return self._text(value, secrets)
        if isinstance(value, dict):
            return self._object(value, secrets)
        if isinstance(value, (list, tuple)):  # as `list | tuple` would be made anew for each value
            if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str) and is_secret(*value):
                return [value[0], REDACTED], 1
            items = [self.redact(item, secrets) for item in value]
            count = sum(found for _, found in items)
            return ([item for item, _ in items] if count else value), count
        return value, 0

    def _object(self, value: dict[Any, Any], secrets: Sequence[str]) -> tuple[dict[Any, Any], int]:
        said, count, fields = _said_name(value), 0, dict[Any, Any]()
        for name, held in value.items():
            if name in self._spared:
                fields[name] = held
                continue
            clean, found = self._under(said if said and name == "value" else name, held, secrets)
            fields[shown := _name_without_keys(name, secrets)] = clean
            count += found + (shown != name)
        return (fields, count) if count else (value, 0)

    def _under(self, name: Any, held: Any, secrets: Sequence[str]) -> tuple[Any, int]:
        """Redact what a field of this name holds."""
        if isinstance(held, (str, int)) and isinstance(name, str) and is_secret(name, held):
            return REDACTED, 1
        if isinstance(held, str):
            return self._text(held, secrets)
        if isinstance(held, list) and held and isinstance(held[0], str):  # a header given several times
            items = [self._under(name, item, secrets) for item in held]
            count = sum(found for _, found in items)
            return ([item for item, _ in items] if count else held), count
        return self.redact(held, secrets)

    def _text(self, text: str, secrets: Sequence[str]) -> tuple[str, int]:
        total = 0
        may_hold = len(text) >= SHORTEST
        named = may_hold and may_name(text)
        if (named or "\\" in text) and text[:80].lstrip()[:1] in ("{", "[") and (inner := _json_in(text)) is not None:
            found, total = self.redact(inner, secrets)
            text = json.dumps(found, ensure_ascii=False) if total else text
        for secret in secrets:
            total += text.count(secret)
            text = text.replace(secret, REDACTED)
        if may_hold and (spans := [*keys_in(text), *authorizations(text), *(named_secrets(text) if named else ())]):
            text, count = _without(text, spans)
            total += count
        for pattern in self._patterns:
            text, count = pattern.subn(REDACTED, text)
            total += count
        return text, total


def _name_without_keys(name: Any, secrets: Sequence[str]) -> Any:
    """The name of a field, which is kept but for keys in it: own patterns are for what is said."""
    if not isinstance(name, str) or len(name) < LEAST_SECRET:
        return name
    for secret in secrets:
        name = name.replace(secret, REDACTED)
    return _known_name(name) if len(name) <= LONGEST_KNOWN else _without(name, keys_in(name))[0]


@lru_cache(4096)
def _known_name(name: str) -> str:
    """The same few names stand in every request."""
    return _without(name, keys_in(name))[0]


def _without(text: str, spans: list[tuple[int, int]]) -> tuple[str, int]:
    """The text without what is between these places, which may overlap; and how many there were."""
    parts, count, reached = [], 0, 0
    for begin, end in sorted(spans):
        if begin >= reached:
            parts += [text[reached:begin], REDACTED]
            count += 1
        reached = max(reached, end)
    return "".join([*parts, text[reached:]]), count


def _said_name(value: dict[Any, Any]) -> str:
    """The name that a pair of name and value says, as lists of headers and of variables have them; else ""."""
    if "value" not in value:
        return ""
    return next((name for field in NAME_FIELDS if isinstance(name := value.get(field), str)), "")


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


def without_keys(text: str) -> str:
    """The text, as that of an error that repeats what it refuses, without the keys in it."""
    return str(Redaction().redact(text)[0])
