"""What a check found, in sentences: for a terminal, JUnit, a pull request and pytest. They quote untrusted text."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from historylab.costs.amounts import count_of, money, percent, times
from historylab.recall.retention import Loss
from historylab.tuning.findings import (
    FAILED,
    KIND_OF,
    MONEY,
    NO_BUDGET,
    NO_PRICES,
    NO_REQUEST,
    NO_TEXT,
    NO_WINDOW,
    NOT_TOLD,
    NOTHING_NEEDED,
    UNSURE,
    ConversationPlace,
    Finding,
    Lost,
    is_share,
)
from historylab.wording.faults import causes_in_words
from historylab.wording.losses import CODE, RECALL_UNKNOWN, lost_value, severity_words, used_as
from historylab.wording.phrases import uncapitalize
from historylab.wording.untrusted import one_line

NOUNS = {
    "star": ("must-remember message", "must-remember messages"),
    "reference": ("fact in a tool call", "facts in tool calls"),
    "evidence": ("piece of evidence", "pieces of evidence"),
    "rule": ("rule", "rules"),
}
"""Kind of needs → what one of them is called, and several."""
NOTHING = {
    "star": "no message is marked to be remembered",
    "reference": "no tool call uses what an earlier message says",
    "evidence": "the file names no evidence",
    "rule": "no rule was found",
}
SEVERE = {"all_said": "that a person said", "nothing_gone": "that nobody can say again"}

UNKNOWN = {
    NO_REQUEST: "the conversation makes no request",
    NO_TEXT: uncapitalize(RECALL_UNKNOWN).rstrip("."),
    NO_PRICES: "the prices of the model are not known",
    NOT_TOLD: "the file doesn’t tell which messages were sent with some of its requests",
    FAILED: "the trimmer failed at a request, and nobody knows what that would have held",
    NO_WINDOW: "a trimmer is under no budget of these settings, and the window of the model is not known",
    NO_BUDGET: "what was sent was under no budget of these settings; say “never over 8k”",
}
LOSSES = 3
"""Losses named per conversation: lines of code last."""
LONGEST_TITLE, LONGEST_PATH = 60, 160  # characters


def in_quotation_marks(text: str) -> str:
    """The text in quotation marks."""
    return f"“{text}”"


def conversation_place(place: ConversationPlace | None) -> str:
    """ "chats/a.jsonl", "chats/all.jsonl, conversation 2", or the title of one that was handed in."""
    if place is None:
        return "all conversations"
    if not place.file:
        return one_line(place.title, LONGEST_TITLE) or "untitled"
    return path_in_words(place.file) + (f", conversation {place.number:,}" if place.number else "")


def path_in_words(path: str) -> str:
    """A path, from the folder one is in where it is below that."""
    try:
        inside = os.path.relpath(path)
    except ValueError:  # on another drive
        inside = os.pardir
    return one_line(path if inside.startswith(os.pardir) else inside, LONGEST_PATH)


def unread_because(path: str, why: str) -> str:
    """Why a file could not be read, without its path in front."""
    return why.removeprefix(f"{os.path.abspath(path)}: ").removeprefix(f"{path}: ")


def finding_reason(finding: Finding, quote: Callable[[str], str] = in_quotation_marks) -> str:
    """Why the wish is held, broken or unsure; `quote` writes what a file says."""
    if finding.why in UNKNOWN:
        return f"Unsure: {UNKNOWN[finding.why]}."
    if finding.why and finding.wish.name in MONEY:
        return "Unsure: these conversations cost nothing."
    if finding.wish.name in KIND_OF:
        return _of_needs(finding, KIND_OF[finding.wish.name], quote)
    if finding.wish.name in SEVERE:
        return _of_severe(finding, SEVERE[finding.wish.name], quote)
    if finding.wish.name == "no_more_lost":
        return _of_more(finding, quote)
    return _SENTENCES[finding.wish.name](finding)


def _requests(finding: Finding, what: str, which: str) -> str:
    """ "3 requests are over the budget, most at request 3: 11,777 tokens for a budget of 8,000: …" """
    number = int(finding.found)
    are = "requests are" if number > 1 else "request is"
    about = f", {which} {finding.about.rstrip('.')}" if finding.about else ""
    return f"{number or 'No':{',' if number else ''}} {are} {what}{about}."


def _refusals(finding: Finding) -> str:
    """ "26 requests are refused by the API: 36 tool results without their call; the first at request 5." """
    causes = causes_in_words(finding.faults) if finding.faults else ""
    return _requests(finding, f"refused by the API{f': {causes}' if causes else ''}", "the first")


def _limit(finding: Finding) -> str:
    return "window" if finding.of_window else "budget"


def _largest(finding: Finding) -> str:
    return f"The largest request sends {finding.found:,.0f} tokens{f', {finding.about}' if finding.about else ''}."


def _summaries(finding: Finding) -> str:
    number = int(finding.found)
    return f"{number:,} summaries are made." if number > 1 else f"{'A' if number else 'No'} summary is made."


_SENTENCES: Mapping[str, Callable[[Finding], str]] = {
    "within_budget": lambda finding: _requests(finding, f"over the {_limit(finding)}", "most"),
    "peak": _largest,
    "no_rejections": _refusals,
    "no_summaries": _summaries,
    "cost": lambda f: f"It costs {money(f.found)}.",
    "ratio": lambda f: f"{money(f.part)}, {times(f.found)} the {money(f.whole)} of not trimming.",
    "no_more_cost": lambda f: f"{money(f.part)}, {times(f.found)} the {money(f.whole)} of before.",
}


def _of_needs(finding: Finding, kind: str, quote: Callable[[str], str]) -> str:
    """ "11 of 16 facts in tool calls are lost: “ORD-0917”, needed at turn 9 by a call (book.number)." """
    if finding.why == NOTHING_NEEDED:
        return f"Unsure: {NOTHING[kind]}."
    part, whole = int(finding.part), int(finding.whole)
    one, many = NOUNS[kind]
    if is_share(finding.wish):
        return _of_share(finding, f"{part:,} of {whole:,} {many} {'is' if part == 1 else 'are'} kept")
    if part == whole:
        return f"All {whole:,} {many} are kept." if whole > 1 else f"The one {one} is kept."
    lost = whole - part
    what = f"{lost:,} of {whole:,} {many} {'is' if lost == 1 else 'are'}" if whole > 1 else f"The one {one} is"
    return f"{what} lost: {_name_losses(finding, lost, quote)}."


def _of_severe(finding: Finding, which: str, quote: Callable[[str], str]) -> str:
    """ "2 facts that a person said are lost: “ORD-0917”, needed at turn 9 by a call (book.number)." """
    if finding.why == NOTHING_NEEDED:
        return "Unsure: nothing is known that a later request needed."
    lost = int(finding.found)
    if not lost:
        return f"No fact {which} is lost."
    return (
        f"{count_of(lost, 'fact')} {which} {'is' if lost == 1 else 'are'} lost: {_name_losses(finding, lost, quote)}."
    )


def _of_more(finding: Finding, quote: Callable[[str], str]) -> str:
    """ "It forgets 3, before it was 1; now also “ORD-0917”, needed at turn 9 by a call (book.number)." """
    now, was = int(finding.part), int(finding.whole)
    more = f"; now also {_name_losses(finding, len(finding.losses), quote)}" if finding.losses else ""
    return f"It forgets {now:,}, before it was {was:,}{more}."


def _name_losses(finding: Finding, lost: int, quote: Callable[[str], str]) -> str:
    """The losses that are gone for good, then those a reader makes most sense of, and how many more there are."""
    once: dict[str, Lost] = {}
    for each in finding.losses:
        once.setdefault(lost_value(each.loss), each)
    first = sorted(once.values(), key=lambda each: (not each.loss.gone_for_good, bool(CODE.search(each.loss.value))))
    readable, told = first[:LOSSES], finding.wish.name in SEVERE
    more = f"; and {lost - len(readable):,} more" if lost > len(readable) else ""
    return "; ".join(_loss(each, quote) + _severity(each.loss, told) for each in readable) + more


def _severity(loss: Loss, told: bool) -> str:
    """ ", gone for good: a person said it", unless it was told or isn't."""
    return f", {severity_words(loss)}" if loss.gone_for_good and not told else ""


def _of_share(finding: Finding, kept: str) -> str:
    """ "37 of 40 facts in tool calls are kept (92.5%) in 12 conversations; 95% interval 80% to 97%." """
    seen = f"{kept} ({percent(finding.found)}) in {count_of(finding.conversations, 'conversation')}"
    if finding.interval is None:
        return f"{seen}, which {'says' if finding.conversations == 1 else 'say'} nothing of others."
    low, high = finding.interval
    estimate = f"{seen}; 95% interval {low:.0%} to {high:.0%}"
    return f"Unsure: {estimate}: too few to tell." if finding.verdict == UNSURE else f"{estimate}."


def _loss(lost: Lost, quote: Callable[[str], str]) -> str:
    """ "“ORD-0917”, needed at turn 9 by a call (book.number)"; of a message to be remembered: "“…”, from turn 9 on"."""
    value, loss = quote(lost_value(lost.loss)), lost.loss
    if loss.kind in ("star", "rule"):
        return f"{value}, from {lost.at} on"
    by = used_as(loss)
    return f"{value}, needed at {lost.at} by {by if quote is in_quotation_marks else quote(by)}"
