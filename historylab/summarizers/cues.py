"""What one message adds to a structured ledger: telling lines by the words they use, files by the calls made.

The words are English ones. A line is quoted as the message says it; a cue word makes it a candidate,
no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, NamedTuple

from historylab.conversation.message import Message
from historylab.conversation.standing import LONGEST_SAID, is_rule, rules_in
from historylab.summarizers.lines import shorten_line, speaker_of, spoken_lines
from historylab.summarizers.values import argument_values

GOAL, PREFERENCES, DECISIONS, OPEN = "Goal", "Preferences", "Decisions", "Open items"
LABEL = 2  # words of a line that are not said: "- user:"
FEWEST_WORDS = 3  # of a task, and one more: less is "yes, please"
LONGEST_PATH = 200
PREFERRED = re.compile(
    r"\b(?:prefer\w*|please (?:use|keep|avoid|write|answer)|no more than|at (?:most|least)|make sure"
    r"|keep in mind|remember|i (?:don't|don’t|do not) (?:want|like))\b",
    re.IGNORECASE,
)
DECIDED = re.compile(
    r"\b(?:decided|decision|(?:will|'ll|let's|going to|should) (?:use|go with|take|keep|switch to|stick)|chose|chosen"
    r"|opt(?:ed)? for|(?:went|going) with|settled|agreed|concluded|conclusion|root cause|turns out|confirmed|booked"
    r"|approved|switched to|the plan is|fixed by|solution)\b",
    re.IGNORECASE,
)
TO_DO = re.compile(
    r"\b(?:to-?do|fixme|still (?:need|have|has|missing|open)|remains? to|remaining|left to do|next steps?|pending"
    r"|outstanding|follow[- ]up|blocked|waiting for)\b|^- \S+: \W*\[ \]",
    re.IGNORECASE,
)
FAILED = re.compile(
    r"\W*(?:\w*error\b|\w*exception\b|failed\b|failure\b|fatal\b|traceback\b|[45]\d\d [A-Z])"
    r"(?!\W*(?:null|none|false|0)\b)",
    re.IGNORECASE,
)
QUESTION = re.compile(r"[?？؟][\"')\]*_]*$")
EDITS = re.compile(r"edit|write|replace|patch|create|insert|append|delete|remove|move|rename|save", re.IGNORECASE)
READS = re.compile(r"read|view|open|cat|show", re.IGNORECASE)
PATH = re.compile(r"(?:~?/)?(?:[\w.%+-]+/)*[\w.%+-]*\.[A-Za-z]\w{0,7}|~?/[\w./%+-]*\w")


class MessageCues(NamedTuple):
    """What a message adds: telling lines by section, its questions, and the files its calls edit (True) or read."""

    lines: tuple[tuple[str, str], ...]
    task: str
    questions: tuple[str, ...]
    files: Mapping[str, bool]


def find_cues(message: Message, known: MutableMapping[Any, Any]) -> MessageCues:
    """What a message adds to a ledger, found at the first call and cached in `known`."""
    cached: dict[Message, MessageCues] = known.setdefault("cues", {})
    found = cached.get(message)
    if found is None:
        found = cached[message] = _find(message)
    return found


def sections_of(line: str, role: str) -> Iterator[str]:
    """The sections that a line of somebody in that role is a candidate for."""
    if role == "user" and (is_rule_line(line) or PREFERRED.search(line)):
        yield PREFERENCES
    elif DECIDED.search(line) and not QUESTION.search(line):
        yield DECISIONS
    if TO_DO.search(line):
        yield OPEN


@lru_cache(maxsize=5_000)
def weight_of(line: str) -> float:
    """How telling a line is, by nothing but itself, so that it weighs as much however often it is taken over."""
    cues = sum(len(cue.findall(line)) for cue in (PREFERRED, DECIDED, TO_DO)) + is_rule_line(line)
    return float((1 + cues) / (40 + len(line)))


def has_failed(message: Message) -> bool:
    """Whether a tool result is an error, as its metadata or its first words say."""
    return bool(message.metadata.get("is_error")) or FAILED.match(message.content[:200]) is not None


def _find(message: Message) -> MessageCues:
    if message.role == "tool":
        return MessageCues((), "", (), {})
    spoken = list(dict.fromkeys(spoken_lines(message)))
    lines = [(section, line) for line in spoken for section in sections_of(line, message.role)]
    if message.role == "user" and len(message.content) > LONGEST_SAID:  # mostly pasted: what is quoted there is no rule
        own = {f"- {speaker_of(message)}: {shorten_line(rule)}" for rule in rules_in(message)}
        lines = [(section, line) for section, line in lines if section != PREFERENCES or line.rstrip(".!。！") in own]
    asks = message.role == "user" and not message.injected
    task = next(filter(_could_be_task, spoken), "") if asks else ""
    return MessageCues(tuple(lines), task, tuple(line for line in spoken if QUESTION.search(line)), _files(message))


@lru_cache(maxsize=5_000)
def is_rule_line(line: str) -> bool:
    return is_rule(line.partition(": ")[2].rstrip(".!。！"))


def _could_be_task(line: str) -> bool:
    """Whether it says enough, and is no standing instruction, which has a section of its own."""
    return len(line.split()) > FEWEST_WORDS + LABEL and not is_rule_line(line)


def _files(message: Message) -> dict[str, bool]:
    files: dict[str, bool] = {}
    for call in message.tool_calls:
        edits = EDITS.search(call.name) is not None
        for _, value in argument_values(call) if edits or READS.search(call.name) else ():
            if len(value) <= LONGEST_PATH and PATH.fullmatch(value):
                files[value] = files.get(value, False) or edits
    return files
