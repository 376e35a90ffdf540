"""The decisions of a plan as a recording keeps them: runs of messages with the same letter and the same reason.

    "decisions": "P1D40K3", "reasons": [["P", "system", {}], ["D", "fifo", {"budget": 4000}], ["K", "fits", {}]]

Of messages whose letter has several reasons, letter by letter (`LETTERS`), `runs` says which and of how many, again and
again: [0, 1, 1, 12, 0, 4].

A line is untrusted when it comes back: letters of another length, a reason that this version doesn't know or numbers
that don't fit its sentence are shown as recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import MOST_TOKENS, Summary
from historylab.conversation.recorded import decision_letters
from historylab.planning.given_decisions import Layout, MessageDecisions, each_message
from historylab.planning.plan import LETTERS, HistoryPlan
from historylab.planning.reasons import (
    REPLACED,
    Action,
    EachMessage,
    Reason,
    fill_sentence,
    numbers_of,
    reason,
    reason_named,
    reason_of,
)
from historylab.planning.stored_state import read_kept

AS_RECORDED = reason("as_recorded", "{why}")
RECORDED_BY = "what is on record"
NOT_ON_RECORD = "The line says nothing of this message."
SUMMARY = ("text", "tokens", "covers", "made_at", "by", "note", "heading")
TAKEN_OUT = "[redacted]"

Redact = Callable[[Any], Any]


@dataclass(slots=True)
class OnRecord:
    """The texts by message, and the summary, that a chat's lines have so far: later ones need not repeat them."""

    shortened: dict[int, str] = field(default_factory=dict)
    summary: str = ""


def decisions_to_record(
    plan: HistoryPlan, known: OnRecord, state: Mapping[str, str], redact: Redact
) -> tuple[dict[str, Any], OnRecord]:
    """The fields of a line that say what was decided, and what is on record with it.

    Shorter texts are kept as what they have in common with the message's own at both ends, and what stands between; a
    summary by its key in the line's `state`, if it is there. `redact` takes out what no record may hold.
    """
    actions, reasons = plan.actions, plan.reasons
    _, first, entry_of = np.unique(_kinds(plan, actions, reasons), return_index=True, return_inverse=True)
    found = zip(first.tolist(), actions[first].tolist(), reasons[first].tolist(), strict=True)
    fields: dict[str, Any] = {
        "reasons": [[LETTERS[action], *_rule_and_numbers(plan, message, why, redact)] for message, action, why in found]
    }
    several = np.bincount(actions[first], minlength=len(Action)) > 1  # reasons of one letter
    order = actions.argsort(kind="stable")
    if len(ambiguous := entry_of[order[several[actions[order]]]]):
        starts = np.flatnonzero(np.diff(ambiguous, prepend=-1))
        counts = np.diff(starts, append=len(ambiguous))
        fields["runs"] = np.array([ambiguous[starts], counts]).T.ravel().tolist()
    texts = {i: cut.texts[i] for cut in plan.shortened for i in cut.messages.tolist()}
    if new := {i: text for i, text in texts.items() if known.shortened.get(i) != text}:
        whole = plan.history.conversation
        fields["shortened"] = {str(i): _difference(whole[i].content, text, redact) for i, text in new.items()}
    if summary := plan.summary:
        fields["summary"] = summary.text == known.summary or _summary_fields(summary, state, redact)
    return fields, OnRecord({**known.shortened, **new} if new else known.shortened, summary.text if summary else "")


def _kinds(plan: HistoryPlan, actions: np.ndarray, reasons: np.ndarray) -> np.ndarray:
    """int64[size]: a number per message, the same for those with the same letter, reason and numbers."""
    kinds: np.ndarray = actions.astype(np.int64) << 8 | reasons
    for numbers in plan.numbers.values():
        for value in numbers.values():
            if isinstance(value, EachMessage):
                kinds = kinds * (int(value.of.max(initial=0)) + 1) + value.of[: len(kinds)]
    return kinds


def _rule_and_numbers(plan: HistoryPlan, message: int, code: int, redact: Redact) -> tuple[str, Any]:
    numbers = numbers_of(plan.numbers.get(code, {}), message)
    plain = {name: n.item() if isinstance(n, np.generic) else n for name, n in numbers.items()}
    plain = {name: n if isinstance(n, int | float | str) else str(n) for name, n in plain.items()}
    return reason_of(code).rule, redact(plain)


def _summary_fields(summary: Summary, state: Mapping[str, str], redact: Redact) -> dict[str, Any]:
    kept = next((key for key, value in state.items() if (known := read_kept(value)) and known.text == summary.text), "")
    if kept:
        return {"kept": kept, "made_at": summary.made_at}
    found: dict[str, Any] = redact({name: value for name in SUMMARY if (value := getattr(summary, name))})
    return found


def _difference(whole: str, text: str, redact: Redact) -> list[Any]:
    """The number of characters both begin with, the text between, and the number they end with.

    A cut may leave a part of what is redacted in the whole, and no pattern finds a part: such a text ends before it.
    """
    most = min(len(whole), len(text))
    first = _common(whole, text, most)
    clean = redact(whole)
    if clean != whole:
        return [min(first, _common(whole, clean, min(len(whole), len(clean)))), TAKEN_OUT, 0]
    last = _common(whole[::-1], text[::-1], most - first)
    return [first, redact(text[first : len(text) - last]), last]


def _common(one: str, other: str, most: int) -> int:
    """The length of the beginning two texts share, found by bisection: slices compare faster than characters."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


# -- and back


def has_reasons(recorded: Mapping[str, Any]) -> bool:
    """True if a line's decisions can be drawn from it alone; older lines have letters without reasons."""
    return isinstance(recorded.get("decisions"), str) and isinstance(recorded.get("reasons"), list)


class RecordedDecisions:
    """Reads the decisions of one conversation's requests, one after another: lines say what is new in each."""

    def __init__(self, conversation: Conversation, state: Mapping[str, str]):
        self._conversation, self._state = conversation, state
        self._shortened: dict[int, str] = {}
        self._summary: Summary | None = None

    def read(self, recorded: Mapping[str, Any], size: int, budget: int, layout: Layout | None) -> MessageDecisions:
        """The decisions about the first `size` messages, as a line has them; `budget` where it has none that fits."""
        letters = decision_letters(str(recorded.get("decisions")), size)
        replaced = self._conversation.columns.replaced_by[:size] < size
        legend = _Legend(recorded.get("reasons"), letters, replaced)
        actions = np.array([ACTIONS.get(letter, Action.DROPPED) for letter in letters], np.uint8)
        reasons, numbers = legend.reasons(legend.kinds(recorded.get("runs")))
        self._learn(recorded)
        shortened = {
            i: self._shortened[i] for i in np.flatnonzero(actions == _TRUNCATED).tolist() if i in self._shortened
        }
        recorded_budget, tokens = (_count(recorded.get(name)) for name in ("budget", "tokens"))
        return MessageDecisions(
            by=RECORDED_BY,
            actions=actions,
            reasons=reasons,
            numbers=numbers,
            shortened=shortened,
            summary=self._summary if recorded.get("summary") else None,
            budget=budget if recorded_budget is None else recorded_budget,
            tokens=tokens,
            layout=layout,
        )

    def _learn(self, recorded: Mapping[str, Any]) -> None:
        """Take the texts and the summary that are new with this line."""
        shortened, summary = recorded.get("shortened"), recorded.get("summary")
        for name, parts in shortened.items() if isinstance(shortened, dict) else ():
            i = int(name) if name.isdecimal() and len(name) < 10 else len(self._conversation)
            if (
                i < len(self._conversation)
                and (text := _restore_text(parts, self._conversation[i].content)) is not None
            ):
                self._shortened[i] = text
        if isinstance(summary, dict):
            kept = read_kept(self._state.get(str(summary.get("kept")), ""), _count(summary.get("made_at")) or 0)
            self._summary = kept or _read_summary(summary)


ACTIONS = dict(zip(LETTERS, Action, strict=True))
_TRUNCATED = Action.TRUNCATED.value


class _Legend:
    """The reason for each kind of decision in a line, as far as that can be read.

    `replaced` (bool[size]) are the messages that others stand for: what is said of these alone fits no other.
    """

    def __init__(self, legend: Any, letters: str, replaced: np.ndarray):
        self._letters, self._replaced = letters, replaced
        self._entries = [_legend_entry(entry) for entry in legend] if isinstance(legend, list) else []

    def kinds(self, runs: Any) -> np.ndarray:
        """int64[size]: the entry of each message, by its letter, or by `runs` where that has several; -1 for none."""
        entries: dict[str, list[int]] = {}
        for number, (letter, _, _) in enumerate(self._entries):
            entries.setdefault(letter, []).append(number)
        found = np.array([entries[letter][0] if letter in entries else -1 for letter in self._letters], np.int64)
        ambiguous = [i for i, letter in enumerate(self._letters) if len(entries.get(letter, ())) > 1]
        ambiguous.sort(key=lambda i: LETTERS.find(self._letters[i]))
        found[ambiguous] = -1
        whole = [n if type(n) is int and 0 <= n <= MOST_TOKENS else -1 for n in runs] if isinstance(runs, list) else []
        for number, count in zip(whole[::2], whole[1::2], strict=False):
            run, ambiguous = ambiguous[: max(count, 0)], ambiguous[max(count, 0) :]
            found[run] = number if number < len(self._entries) else -1
        return found

    def reasons(self, kinds: np.ndarray) -> tuple[np.ndarray, dict[int, dict[str, Any]]]:
        """A reason's code per message (uint8[size]), and the numbers of their sentences."""
        codes, sentences = np.full(len(kinds), AS_RECORDED.code, np.uint8), dict[int, str]()
        several: dict[int, list[tuple[int, dict[str, Any]]]] = {}
        for kind in np.unique(kinds).tolist():
            messages = np.flatnonzero(kinds == kind)
            _, rule, numbers = self._entries[kind] if kind >= 0 else ("", "", {})
            why = _fitting_reason(rule, numbers)
            if why is None or (why is REPLACED and not self._replaced[messages].all()):
                sentences |= dict.fromkeys(messages.tolist(), _as_recorded(rule, numbers))
            else:
                codes[messages] = why.code
                several.setdefault(why.code, []).append((kind, numbers))
        found = {code: _together(kinds, of_code) for code, of_code in several.items()}
        if sentences:
            found[AS_RECORDED.code] = {"why": each_message(len(kinds), sentences)}
        return codes, found


def _legend_entry(entry: Any) -> tuple[str, str, dict[str, Any]]:
    letter, rule, numbers, *_ = [*entry, "", "", {}] if isinstance(entry, list) else ["", "", {}]
    plain = numbers.items() if isinstance(numbers, dict) else ()
    known = {name: value for name, value in plain if isinstance(value, str | int | float)}
    letter, rule = (text if isinstance(text, str) else "" for text in (letter, rule))
    return letter, rule, known


def _fitting_reason(rule: str, numbers: Mapping[str, Any]) -> Reason | None:
    """The reason with that rule; None if it is unknown or these numbers don't fit its sentence."""
    why = reason_named(rule)
    try:
        if why is not None:
            fill_sentence(why, numbers)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError):
        return None
    return why


def _as_recorded(rule: str, numbers: Mapping[str, Any]) -> str:
    if not rule:
        return NOT_ON_RECORD
    said = ", ".join(f"{name} {value}" for name, value in numbers.items())
    return f"On record as {rule.replace('_', ' ')}{f' ({said})' if said else ''}."


def _together(kinds: np.ndarray, of_code: Sequence[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """The numbers of one reason, message by message where those of its runs differ."""
    (_, first), *others = of_code
    numbers = dict(first)
    for name in {name for _, given in others for name in given if given != first}:
        of = np.zeros(len(kinds), np.int64)
        for number, (kind, _) in enumerate(of_code, 1):
            of[kinds == kind] = number
        values = [given.get(name, "") for _, given in of_code]
        numbers[name] = EachMessage(of, [values[0], *values], str(values[0]))
    return numbers


def _restore_text(parts: Any, whole: str) -> str | None:
    """The shorter text, from its `_difference` to the whole one; None where that doesn't fit."""
    first, between, last = parts if isinstance(parts, list) and len(parts) == 3 else (-1, "", 0)
    fits = type(first) is type(last) is int and min(first, last) >= 0 and first + last <= len(whole)
    if not fits or not isinstance(between, str):
        return None
    return whole[:first] + between + whole[len(whole) - last :]


def _read_summary(given: Mapping[str, Any]) -> Summary:
    text, by, note, heading = (str(given.get(name, "")) for name in ("text", "by", "note", "heading"))
    tokens, covers, made_at = (_count(given.get(name)) or 0 for name in ("tokens", "covers", "made_at"))
    return Summary(text, tokens, covers, made_at, by, note, heading=heading)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None
