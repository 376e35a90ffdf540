"""The verdict's sentence on must-remember messages: whether a request still holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from historylab.conversation.conversation import checked_index
from historylab.planning.replay import Timeline
from historylab.planning.steps import Step
from historylab.recall.must_remember import MustRemember
from historylab.wording.message_text import without_escapes
from historylab.wording.phrases import list_in_words
from historylab.wording.untrusted import one_line

GLYPH, WORD = "⚑", "must remember"
BADGE = f"{GLYPH} {WORD}"
QUOTE = 60  # characters of a message
NAMED = 5  # further messages that are named


@dataclass(frozen=True, slots=True)
class MustRememberStatus:
    """A sentence on the must-remember messages, and those a request no longer holds, the longest lost first.

    "Message 5, which must be remembered, “Gate B42”, was lost at turn 12; so were messages 9 and 14." The quotation is
    untrusted text on one line. The sentence is empty if none of these messages exists yet.
    """

    sentence: str = ""
    lost: tuple[MustRemember, ...] = ()


def must_remember_status(timeline: Timeline, number: int, starred: Sequence[MustRemember]) -> MustRememberStatus:
    """The status of these messages at request `number` (from 0)."""
    number = checked_index(number, len(timeline.plans), "request")
    existing = [star for star in starred if star.message is None or star.message < timeline.plans[number].size]
    lost = sorted((since, star.mark, star) for star in existing if (since := star.lost_since(number)) is not None)
    if not lost:
        return MustRememberStatus(_all_held(existing))
    since, _, first = lost[0]
    others = [star for _, _, star in lost[1:]]
    quote = f"“{one_line(without_escapes(first.value), QUOTE)}”, " if first.value else ""
    fate = _fate(timeline, first, since)
    sentence = f"Message {_number(first)}, which must be remembered, {quote}{fate}{_as_well(others)}."
    return MustRememberStatus(sentence, (first, *others))


def _fate(timeline: Timeline, star: MustRemember, since: int) -> str:
    if star.message is None:
        return "is left out of what is shown to the model"
    if not since or star.message >= timeline.plans[since - 1].size:
        return "has never been held"
    return f"was lost {at_step(timeline.steps[since])}"


def at_step(step: Step) -> str:
    """ "at turn 12, request 3 of 9", "before the first user message" """
    return f"at {step.label}" if step.turn >= 0 else step.label


def brief_label(step: Step) -> str:
    """ "turn 12", "turn 12 · 3/9" of several requests in a turn: as the map's flag says it."""
    several = step.turn >= 0 and step.requests_in_turn > 1
    of = f" · {step.request_in_turn:,}/{step.requests_in_turn:,}" if several else ""
    return f"{step.label.partition(',')[0]}{of}"


def _number(star: MustRemember) -> str:
    """Its number (from 1) in the list shown; in the original conversation if it is not in the list."""
    return f"{(star.mark if star.message is None else star.message) + 1:,}"


def _as_well(stars: Sequence[MustRemember]) -> str:
    """ "; so were messages 9 and 14" """
    if not stars:
        return ""
    names, more = [_number(star) for star in stars[:NAMED]], len(stars) - NAMED
    listed = list_in_words([*names, f"{more:,} more"] if more > 0 else names)
    return f"; so were messages {listed}" if len(stars) > 1 else f"; so was message {listed}"


def _all_held(stars: Sequence[MustRemember]) -> str:
    if len(stars) == 1:
        return f"Message {_number(stars[0])}, which must be remembered, is still held."
    count = "Both" if len(stars) == 2 else f"All {len(stars):,}"
    return f"{count} messages that must be remembered are still held." if stars else ""
