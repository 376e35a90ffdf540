"""Pins by rule: which messages the setting `pin` keeps, and the rule each is kept by.

Whether a message is kept depends on its own text, role and calls, on its place and on whether a user spoke before, so
that messages can be judged one by one, as they come. A text is searched by plain finds from left to right, in time that
grows with its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing, GrowingArray
from historylab.conversation.message import Message
from historylab.planning.reasons import EachMessage, reason
from historylab.settings.model import Settings
from historylab.settings.pin import MOST_CHARACTERS, PIN_RULES, read_roles, read_rules

RULE = reason("pin_rule", "Always sent by {rule}.")
PINNED_BY = "historylab: pinned by"
"""Where a message that a projection is about to rewrite says in its metadata which rule keeps it."""
SOME_RULE = "one of your rules"
EDGE = "\0"
WORD = re.compile(r"[A-Za-z0-9_]+")


class Pattern:
    """A text in which `*` stands for any text. It begins and ends with whole words, unless a `*` is there."""

    __slots__ = ("pieces", "rarest", "text")

    def __init__(self, text: str):
        self.text = text
        parts = text.casefold().split("*")
        last = len(parts) - 1
        marked = (_mark_part(part, begun=k > 0, goes_on=k < last) for k, part in enumerate(parts))
        self.pieces = tuple(filter(None, marked))
        self.rarest = max((word for part in parts for word in part.split()), key=len)

    def matches(self, text: str) -> bool:
        """Whether a text holds this, in whatever case and however its lines break."""
        folded = text.casefold()
        return self.rarest in folded and self.within(mark_words(folded))

    def within(self, marked: str) -> bool:
        """Whether a text with its words marked holds the pieces, one after another."""
        at = 0
        for piece in self.pieces:
            at = marked.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return True


def mark_words(folded: str) -> str:
    """The text with one space for white space and every word between marks, so that a find meets whole words."""
    return WORD.sub(rf"{EDGE}\g<0>{EDGE}", " ".join(folded.replace(EDGE, " ").split()))


def _mark_part(part: str, *, begun: bool, goes_on: bool) -> str:
    """A part of a pattern as it is found in a marked text; next to a `*`, a word may go on."""
    marked = mark_words(part)
    if begun and part[:1] == part[:1].strip():
        marked = marked.removeprefix(EDGE)
    return marked.removesuffix(EDGE) if goes_on and part[-1:] == part[-1:].strip() else marked


class PinRules(NamedTuple):
    """What must stay, as the settings say it."""

    patterns: tuple[Pattern, ...]
    roles: frozenset[str]
    tools: tuple[str, ...]
    first: int
    first_user: bool
    key: tuple[str | int, ...]
    """Equal rules have equal keys."""

    def rule_for(self, message: Message, index: int, first_user: int | None) -> str:
        """The rule that keeps a message, in words; "" if none does. `first_user` is the first that a user wrote."""
        if by_place := self._rule_for_place(index, first_user):
            return by_place
        for name in self.tools:
            if any(_is_named(call.name, name) for call in message.tool_calls):
                return f"the rule for the tool “{name}”"
        if self.roles and message.role not in self.roles:
            return ""
        if not self.patterns:
            return f"the rule for {message.role} messages" if self.roles else ""
        folded = message.content.casefold()
        marked = ""
        for pattern in self.patterns:
            if pattern.rarest in folded:
                marked = marked or mark_words(folded)
                if pattern.within(marked):
                    return f"the rule “{pattern.text}”"
        return ""

    def _rule_for_place(self, index: int, first_user: int | None) -> str:
        if index < self.first:
            return f"the rule for the first {self.first:,} messages" if self.first > 1 else "the rule for the first one"
        return "the rule for the first user message" if self.first_user and index == first_user else ""


def _is_named(name: str, pattern: str) -> bool:
    """Whether a whole name is as the pattern says, with `*` for any text."""
    name, (first, *others) = name.casefold(), pattern.casefold().split("*")
    if not others:
        return name == first
    *middle, last = others
    at, end = len(first), len(name) - len(last)
    if not (name.startswith(first) and name.endswith(last)):
        return False
    for part in middle:
        found = name.find(part, at, max(at, end))
        if found < 0:
            return False
        at = found + len(part)
    return at <= end


def pin_rules(settings: Settings) -> PinRules | None:
    """The rules of the settings; None without any."""
    key = tuple(settings.value(name) for name in PIN_RULES)
    return _rules(*key) if any(key) else None


@lru_cache(maxsize=64)
def _rules(texts: str, roles: str, tools: str, first: int, first_user: bool) -> PinRules:
    patterns = tuple(Pattern(text) for text in texts.split("|") if text)
    named = tuple(name for name in tools.split(",") if name)
    key = texts, roles, tools, first, first_user
    return PinRules(patterns, frozenset(filter(None, roles.split(","))), named, first, first_user, key)


def without_rules(settings: Settings) -> Settings:
    """The same settings, pinning nothing by a rule."""
    options = {name: value for name, value in settings.options.items() if name not in PIN_RULES}
    return settings.replace(pin="", options=options)


def changes_to_pin(settings: Settings, wanted: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The settings that keep messages besides what is kept now, each given by a text of its own and its role.

    Texts that no longer fit in are left out. Empty if none does, or where a new text would narrow what a role keeps.
    """
    roles = settings.options.get("pin.roles", "")
    if roles and not settings.pin:
        return {}
    texts = settings.pin
    for text, role in wanted:
        longer = read_rules(f"{texts}|{text}")
        if text and longer != texts and len(longer) <= MOST_CHARACTERS:
            texts, roles = longer, f"{roles},{role}" if roles else ""
    changes = {"pin": texts} if texts != settings.pin else {}
    return {**changes, "pin.roles": read_roles(roles)} if changes and roles else changes


def with_pins(messages: Sequence[Message], rules: PinRules) -> list[Message]:
    """The messages with those pinned that the rules keep, so that what a projection makes of them is pinned, too."""
    user = next((i for i, m in enumerate(messages) if m.role == "user" and not m.shown_only), None)
    return [
        replace(m, pinned=True, metadata={**m.metadata, PINNED_BY: rule})
        if not m.pinned and (rule := rules.rule_for(m, i, user))
        else m
        for i, m in enumerate(messages)
    ]


class KeptByRule(NamedTuple):
    """The messages that rules keep (int64, ascending), and per message the rule that keeps it or its block."""

    messages: np.ndarray
    rule: EachMessage


def pinned_by_rule(conversation: Conversation, rules: PinRules, *, projected: bool) -> KeptByRule:
    """What the rules keep of what nobody pinned, found once; of a projected conversation as `with_pins` noted it."""
    key = ("pinned by rule", projected, *rules.key)
    none = GrowingArray(np.zeros(0, np.int64))
    return conversation.growing(key, lambda: _ByRule(rules, projected, none, none, ("",)), most=4).kept


class _ByRule(Growing[Conversation]):
    """The messages kept so far, and for each message the number of its rule among `texts`."""

    __slots__ = ("_messages", "_of", "_projected", "_rules", "_texts", "kept")

    def __init__(
        self, rules: PinRules, projected: bool, messages: GrowingArray, of: GrowingArray, texts: tuple[str, ...]
    ):
        self._rules, self._projected, self._messages, self._of, self._texts = rules, projected, messages, of, texts
        self.kept = KeptByRule(messages.array, EachMessage(of.array, texts, SOME_RULE))

    def followed_by(self, conversation: Conversation, start: int) -> _ByRule:
        said = self._rules_of(conversation, range(start, len(conversation)))
        numbers = {text: k for k, text in enumerate(self._texts)}
        of, homes, firsts = self._of, conversation.columns.block, conversation.columns.block_first
        of_block: dict[int, int] = {}  # what keeps the first message of it that is kept
        for home, text in zip(homes[start:].tolist(), said, strict=True):
            first = firsts.item(home)
            before = of_block.get(home, of.array.item(first) if first < start else 0)
            of_block[home] = before or (numbers.setdefault(text, len(numbers)))
            if of_block[home] != before and first < start:  # a result that is kept, of a call that was there
                of = of.changed(np.flatnonzero(homes[:start] == home), of_block[home])
        of = of.followed_by([of_block[home] for home in homes[start:].tolist()])
        kept = self._messages.followed_by([i for i, text in enumerate(said, start) if text])
        return _ByRule(self._rules, self._projected, kept, of, tuple(numbers))

    def with_leading(self, conversation: Conversation, before: int, now: int) -> _ByRule | None:
        same = before == now and self._rules_of(conversation, range(now)) == [
            self._texts[k] for k in self._of.array[:now]
        ]
        return self if same else None

    def _rules_of(self, conversation: Conversation, indices: range) -> list[str]:
        if self._projected:
            return [_noted_rule(conversation[i], conversation) for i in indices]
        messages, users = conversation[indices.start : indices.stop], conversation.columns.users
        user = users.item(0) if len(users) else None
        return ["" if m.pinned else self._rules.rule_for(m, i, user) for i, m in zip(indices, messages, strict=True)]


def _noted_rule(message: Message, conversation: Conversation) -> str:
    """The rule noted on a message, or on one that it stands for."""
    noted = (conversation[i].metadata.get(PINNED_BY, "") for i in message.replaces)
    return str(message.metadata.get(PINNED_BY) or next(filter(None, noted), "")) if message.pinned else ""
