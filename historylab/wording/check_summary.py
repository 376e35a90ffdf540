"""A check in short: its verdict, its wishes, what differs from other settings, and the whole as lines of text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from historylab.costs.amounts import count_of
from historylab.settings.model import Settings
from historylab.settings.names import environment_names
from historylab.tuning.check import Check, Failure
from historylab.tuning.constraints import Wish
from historylab.tuning.findings import BROKEN, HELD, KIND_OF, UNSURE, ConversationPlace, Finding, Spent
from historylab.tuning.replayed import AS_SENT, Lane, TrimmerLane
from historylab.wording.check import conversation_place, finding_reason, path_in_words, unread_because
from historylab.wording.settings import member_word
from historylab.wording.untrusted import one_line

LONGEST_NAME, LONGEST_WHY = 80, 200  # characters of a trimmer's name, and of its own words
NAMED = 5
"""Conversations that are named per wish, and where two settings differ."""


@dataclass(frozen=True, slots=True)
class WishLine:
    """A wish with its verdict, how many conversations hold and break it, and the findings that are not held."""

    wish: Wish
    verdict: str
    counts: str
    others: tuple[Finding, ...]


def wish_lines(check: Check) -> list[WishLine]:
    """One per wish, in their order; what breaks it comes first, then what is unsure."""
    lines = []
    for wish in dict.fromkeys(finding.wish for finding in check.findings):
        own = [finding for finding in check.findings if finding.wish == wish]
        by = {verdict: [f for f in own if f.verdict == verdict] for verdict in (BROKEN, UNSURE, HELD)}
        by[BROKEN].sort(key=lambda f: -abs(f.found if math.isnan(f.whole) else f.whole - f.part))  # the worst first
        verdict = next(name for name in (BROKEN, HELD, UNSURE) if by[name])
        counts = ", ".join(f"{name} in {len(found):,}" for name, found in by.items() if found)
        if own[0].place is None:
            counts = finding_reason(own[0])
        lines.append(WishLine(wish, verdict, counts, (*by[BROKEN], *by[UNSURE])))
    return lines


def failure_in_words(check: Check, quote: Callable[[str], str] = str) -> str:
    """ "Broken: app:trim fails at 8 of 203 requests, first at request 4 of a.json: it raised KeyError: 'x'."

    "" where the trimmer that was checked never failed.
    """
    if not check.broken_at:
        return ""
    first, failed = check.broken_at[0], sum(each.requests for each in check.broken_at)
    name, why = one_line(first.trimmer, LONGEST_NAME), one_line(first.why, LONGEST_WHY)
    where = f"{failed:,} of {count_of(check.requests, 'request')}, first at request {first.first + 1:,}"
    return f"Broken: {quote(name)} fails at {where} of {quote(conversation_place(first.place))}: {quote(why)}."


def verdict_in_words(check: Check, quote: Callable[[str], str] = str) -> str:
    """The verdict on the wishes: "Broken: 1 of 2 wishes, over 14 conversations, with app.history:trim." """
    by = f", with {quote(one_line(check.lane.name, LONGEST_NAME))}" if isinstance(check.lane, TrimmerLane) else ""
    over = f"over {count_of(len(check.places), 'conversation')}{by}"
    lines = wish_lines(check)
    if not lines:
        return f"Nothing was asked to hold, {over}." if not check.before else f"Compared {over}."
    wishes = "1 wish" if len(lines) == 1 else f"{len(lines):,} wishes"
    if check.of_wishes == BROKEN:
        return f"Broken: {sum(line.verdict == BROKEN for line in lines):,} of {wishes}, {over}."
    if check.of_wishes == UNSURE:
        return f"Unsure: nothing can be said of {wishes}, {over}."
    held = [line for line in lines if line.verdict == HELD]
    if len(lines) == 1 and (unsure := len(lines[0].others)):
        whole = len(check.findings)
        return f"Unsure in {unsure:,} of {count_of(whole, 'conversation')}, held in {whole - unsure:,}: 1 wish{by}."
    wishes = wishes if len(held) == len(lines) else f"{len(held):,} of {wishes}"
    where_known = " where known" if any(line.others for line in held) else ""
    return f"Held{where_known}: {wishes}, {over}{f'; unsure in {check.unsure:,}' if check.unsure else ''}."


# -- against other settings


def against_in_words(check: Check) -> str:
    """ "Against what was really sent" """
    if isinstance(check.against, TrimmerLane):
        return f"Against {one_line(check.against.name, LONGEST_NAME)}"
    return f"Against {'what was really sent' if check.against == AS_SENT else 'the settings before'}"


def comparison_in_words(now: Sequence[Spent], before: Sequence[Spent]) -> str:
    """ "forgets 3 more, 12% cheaper" """
    lost = sum(each.lost for each in now) - sum(each.lost for each in before)
    forgets = f"forgets {abs(lost):,} {'more' if lost > 0 else 'fewer'}" if lost else "forgets as much"
    return f"{forgets}, {_cost_in_words(now, before)}"


def _cost_in_words(now: Sequence[Spent], before: Sequence[Spent]) -> str:
    ours, theirs = (sum(each.cost for each in side) for side in (now, before))
    words = ("cheaper", "more expensive", "costs the same")
    if math.isnan(ours) or math.isnan(theirs):
        ours, theirs = (sum(each.tokens for each in side) for side in (now, before))
        words = ("fewer tokens", "more tokens", "sends as many tokens")
    if not theirs:
        return words[2] if not ours else words[1]
    change = ours / theirs - 1
    if abs(change) < 0.0005:
        return words[2]
    by = f"{100 * abs(change):.0f}" if abs(change) >= 0.01 else f"{100 * abs(change):.1f}"
    return f"{by}% {words[change > 0]}"


def differing_most(check: Check) -> list[tuple[ConversationPlace, str]]:
    """The conversations in which the two settings differ most, and how: in what is forgotten, then in cost."""
    both = list(zip(check.places, check.now, check.before, strict=True)) if check.before else []
    differing = [(place, now, was) for place, now, was in both if (now.lost, now.tokens) != (was.lost, was.tokens)]
    most = sorted(
        differing, key=lambda each: (-abs(each[1].lost - each[2].lost), -abs(each[1].tokens - each[2].tokens))
    )
    return [(place, comparison_in_words([now], [was])) for place, now, was in most[:NAMED]]


# -- what is worth a warning


def moving_cut_in_words(check: Check, quote: Callable[[str], str] = str) -> str:
    """The reason why the cut moves at more than half of the requests, and what would end that; empty if it doesn't."""
    if check.moving is None:
        return ""
    place, found = check.moving
    among = f"{check.moving_in:,} of {count_of(len(check.places), 'conversation')}"
    where = f"In {among} it cuts at more than half of the requests"
    many = f"{found.moved:,} of {count_of(found.of, 'request')} after the first cut"
    example = f"In {quote(conversation_place(place))} the prompt cache breaks at {many}."
    changes = " and ".join(f"{environment_names(name)[0]}={value}" for name, value in found.mend.items())
    half = " (down to a half)" if any(name.endswith(".trim_to") for name in found.mend) else ""
    mend = f" With {changes}{half} it would do so at {found.mended:,}." if found.mend else ""
    return f"{where}{_cause(found.cause, check.lane)}. {example}{mend}"


def warnings_in_words(check: Check, quote: Callable[[str], str] = str) -> list[str]:
    """Sentences on a system prompt that is lost, and on a cut that moves."""
    lost, moving = check.without_prompt, moving_cut_in_words(check, quote)
    of = f"{lost:,} of {count_of(check.requests, 'request')} {'goes' if lost == 1 else 'go'}"
    return [*([f"{of} without the system prompt."] if lost else []), *([moving] if moving else [])]


def _cause(setting: str, lane: Lane) -> str:
    if setting.endswith(".trim_to"):
        return ": it cuts down to the limit and no further, so the next message makes it cut again"
    if setting == "budget":
        return ": the budget holds hardly more than each turn adds"
    if setting == "tool_output":
        return ": tool results are cleared one at a time"
    if setting == "policy":
        return ": every new message moves the first of the last ones that are kept"
    if not setting or not isinstance(lane, Settings):
        return ""
    return f": “{member_word(setting, lane.pruner)}” chooses anew at every request"


def notes(check: Check, quote: Callable[[str], str] = str) -> Iterator[str]:
    """The requests and files not looked at, and why, and that rules are an estimate; `quote` writes what others wrote.

    Where else a trimmer failed comes first; the first failure of the one checked is said by `failure_in_words`.
    """
    failures = check.failures[bool(check.broken_at) :]
    yield from (failed_requests(each, quote) for each in failures[:NAMED])
    if len(failures) > NAMED:
        yield f"… and in {count_of(len(failures) - NAMED, 'more conversation')}"
    yield from (f"{choice.title} {choice.version} was driven" for choice in check.driven if choice.version)
    yield from check.notes
    if any(KIND_OF.get(found.wish.name) == "rule" for found in check.findings):
        yield "rules are found by their words: an estimate"
    for path, why in check.unread.items():
        yield quote(f"{path_in_words(path)}: {unread_because(path, why)}")
    if check.left_out:
        yield (
            f"{count_of(len(check.left_out), 'file')} in no known format left out: "
            + ", ".join(quote(path_in_words(path)) for path in check.left_out[:NAMED])
            + (", …" if len(check.left_out) > NAMED else "")
        )
    if check.partly_read:
        yield (
            f"{count_of(check.partly_read, 'file')} not read in full or read with warnings; "
            "`historylab show FILE` says why"
        )


def failed_requests(failure: Failure, quote: Callable[[str], str] = str) -> str:
    """ "app:trim failed at 3 of 62 requests of a.json, first at request 4: it raised KeyError: 'x'" """
    name, why = one_line(failure.trimmer, LONGEST_NAME), one_line(failure.why, LONGEST_WHY)
    where = f"{failure.requests:,} of {count_of(failure.of, 'request')} of {quote(conversation_place(failure.place))}"
    return f"{quote(name)} failed at {where}, first at request {failure.first + 1:,}: {quote(why)}"


# -- the whole


def check_lines(check: Check) -> Iterator[str]:
    """The verdict first, then every wish with what breaks it and what is unsure; an empty line between the parts."""
    if failed := failure_in_words(check):
        yield failed
    yield verdict_in_words(check)
    if check.before:
        yield f"{against_in_words(check)}: {comparison_in_words(check.now, check.before)}."
    for line in wish_lines(check):
        yield from ("", f"{line.wish.said}: {line.counts}")
        broken = [each for each in line.others if each.place and each.verdict == BROKEN]
        yield from (f"  {conversation_place(each.place)}: {finding_reason(each)}" for each in broken[:NAMED])
        if len(broken) > NAMED:
            yield f"  … and {len(broken) - NAMED:,} more (--json: all of them)"
        why = Counter(finding_reason(each) for each in line.others if each.place and each.verdict == UNSURE)
        yield from (f"  {count_of(number, 'conversation')}: {said}" for said, number in why.most_common())
    if differing := differing_most(check):
        yield from ("", "Where they differ most:")
        yield from (f"  {conversation_place(place)}: {words}" for place, words in differing)
    for warning in warnings_in_words(check):
        yield from ("", f"Warning: {warning}")


def check_report(check: Check) -> str:
    """All of it, notes included."""
    return "\n".join([*check_lines(check), *notes(check)])
