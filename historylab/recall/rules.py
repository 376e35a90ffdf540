"""The standing instructions of a conversation (`conversation/standing.py`): found, as a setting, held or lost.

Only user and system messages are read, never tool results, so that no web page makes rules, and never answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

from historylab.conversation.columns import SYSTEM, USER
from historylab.conversation.conversation import Conversation
from historylab.conversation.standing import STANDING, rules_in
from historylab.planning.pins import Pattern
from historylab.planning.replay import Timeline
from historylab.planning.strategies.facts import is_stored_summary
from historylab.recall.must_remember import MustRemember, track_value
from historylab.settings.pin import LONGEST_RULE

MOST_RULES = 100  # of a conversation
SHORTEST_PATTERN = 8  # characters
UNFIT = re.compile(r"[|`$\\*\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
"""What has no place in a rule: it parts rules, no shell and .env quote it alike, or nobody sees it."""


@dataclass(frozen=True)
class Rule:
    """A standing instruction, probably: `text`, as message `message` (from 0) of the conversation says it."""

    message: int
    text: str
    conversation: Conversation = field(repr=False, compare=False)

    @cached_property
    def pattern(self) -> str:
        """For the setting `pin`: the shortest text that keeps its message and no other."""
        return propose_pattern(self.conversation, self.message, self.text)


def find_rules(conversation: Conversation) -> tuple[Rule, ...]:
    """The standing instructions of a conversation, an estimate: each where it was said first, the first hundred."""
    return conversation.remember("rules", lambda: tuple(_find(conversation)))


def _find(conversation: Conversation) -> Iterator[Rule]:
    known = set[str]()
    for i, message in enumerate(conversation):
        told = conversation.columns.role[i] in (SYSTEM, USER) and not (message.replaces or message.shown_only)
        if not told or is_stored_summary(message):
            continue
        for text in rules_in(message):
            if (same := text.casefold()) not in known:
                known.add(same)
                yield Rule(i, text, conversation)
                if len(known) == MOST_RULES:
                    return


# -- as a setting


def pin_of_mark(conversation: Conversation, mark: int) -> tuple[str, str]:
    """The pin that keeps a marked message by its text: a pattern for `pin` made of its first line, and its role."""
    message = conversation[mark]
    line = next(filter(None, map(str.strip, message.content.splitlines())), "")
    return propose_pattern(conversation, mark, line), message.role


def propose_pattern(conversation: Conversation, message: int, text: str) -> str:
    """For `pin`: the shortest beginning of a text of that message that no other has, with `*` for the rest.

    From its words for an instruction on, where it has any. Other messages that say the whole text don't count. Empty
    where the text has nothing to match.
    """
    begins, least = _instruction(text)
    words = text[begins:].split()
    others = [m.content for i, m in enumerate(conversation) if i != message and text not in m.content]
    pattern = ""
    for k in range(min(least, len(words)), len(words) + 1):
        longer = UNFIT.sub("*", " ".join(words[:k])).strip(" .,;:!?")
        longer = longer if k == len(words) else f"{longer}*".replace("**", "*")
        if len(longer) > LONGEST_RULE or not longer.strip("* "):
            break
        pattern = longer
        found = Pattern(pattern)
        others = [other for other in others if found.matches(other)]
        if not others and len(pattern) >= SHORTEST_PATTERN:
            break
    return pattern


def _instruction(text: str) -> tuple[int, int]:
    """Where the words for an instruction begin in a text, and how many words say more than these; (0, 2) without any.

    "never e-mail" rather than "from now on, never": it says what of.
    """
    folded = text.casefold()
    for kind in ("opening", "anywhere"):
        phrases = [phrase for language in STANDING.values() for phrase in getattr(language, kind)]
        found = [(m.start(), phrase.count(" ") + 2) for phrase in phrases if (m := _whole_words(phrase).search(folded))]
        if found and len(folded) == len(text) and folded[min(found)[0] :].count(" ") >= min(found)[1] - 1:
            return min(found)
    return 0, 2


@cache
def _whole_words(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(phrase)}\b")


# -- held or lost


@dataclass(frozen=True, slots=True)
class TrackedRule:
    """A rule, and the requests that no longer hold it."""

    rule: Rule
    held: MustRemember

    @property
    def first_request(self) -> int:
        """The first request (from 0) after it was said."""
        return self.rule.conversation.columns.first_request_after(self.rule.message)

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """The runs of requests after it was said that no longer hold it: (first, one after the last)."""
        return [(max(first, self.first_request), stop) for first, stop in self.held.gaps if stop > self.first_request]


def track_rules(timeline: Timeline) -> tuple[TrackedRule, ...]:
    """The rules of the original conversation, and from which request on each is no longer held."""

    def track() -> tuple[TrackedRule, ...]:
        rules = find_rules(timeline.original)
        return tuple(TrackedRule(rule, track_value(timeline, rule.message, rule.text)) for rule in rules)

    return timeline.remember("rules", track)


def share_of_rules_kept(timeline: Timeline) -> float | None:
    """Of the pairs of a rule and a request after it was said, the share in which the request holds it; None without."""
    pairs = lost = 0
    for tracked in track_rules(timeline):
        pairs += len(timeline.plans) - tracked.first_request
        lost += sum(stop - first for first, stop in tracked.gaps)
    return (pairs - lost) / pairs if pairs else None
