"""The words of the page Conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from historylab.costs.amounts import count_of, money, short_count, short_money, whole_percent
from historylab.counters.base import counter_for
from historylab.recordings.entries import Source
from historylab.settings.model import Settings
from historylab.systems.mentu.library_memory import Remembered
from historylab.tuning.workload import Workload, percentiles
from historylab.wording.costs import SAME
from historylab.wording.phrases import list_in_words, uncapitalize
from historylab.wording.settings_sentence import settings_sentence
from historylab.wording.untrusted import one_line

ORIGINS: Mapping[Source, str] = {"recorded": "Recorded", "imported": "Imported", "generated": "Generated"}
"""Where a conversation is from, as its row says."""
SEVERAL_PEOPLE = "may be of several people"
SOURCE_CHOICES: Mapping[Source, str] = {
    "recorded": "Recorded",
    "imported": "Imported",
    "generated": "Generated, sample or chat",
}
NOT_RECORDING = "What you opened in this tab. To list what an app sends, start HistoryLab and its proxy with --record."
NOTHING_YET = "Nothing has been recorded yet. Send requests through historylab proxy, or open a file."
QUOTED = 40  # characters of what was searched


def headline(shown: int, words: str, *, chosen: bool, losing: int | None = None, ranked: bool = True) -> str:
    """ "12 conversations, 3 lost something they needed": what the list holds.

    `losing`: how many of them lost a fact, once all are measured; `ranked`: whether what was found comes best first.
    """
    count = count_of(shown, "conversation")
    if words.strip():
        quoted = f"“{one_line(words.strip(), QUOTED)}”"
        if not shown:
            return f"No conversation shares a word with {quoted}"
        return (
            f"{count} {'shares' if shown == 1 else 'share'} words with {quoted}{', the best first' if ranked else ''}"
        )
    if not shown:
        return "No conversation is of that kind" if chosen else "There is no conversation"
    return count + (_lost_in_words(shown, losing) if losing is not None else "")


def _lost_in_words(shown: int, losing: int) -> str:
    if shown == 1:
        return ", and it lost something it needed" if losing else ", and nothing it needed was lost"
    return f", {losing:,} lost something {'it' if losing == 1 else 'they'} needed" if losing else ", none lost a fact"


@dataclass(frozen=True, slots=True)
class Total:
    """One figure of all conversations listed, within its words; `exact` is its hover."""

    before: str
    amount: str
    after: str
    exact: str


def totals(found: Workload, volume: int, counted: str, *, as_sent: bool) -> list[Total]:
    """Sizes, the share over the budget, facts lost and the cost of a month; `counted` says how tokens are.

    Nothing that is shown `as_sent` had a budget.
    """
    tokens, over = found.tokens, sum(load.over_budget for load in found.loads)
    half, most = map(round, percentiles(tokens))
    sent = count_of(len(tokens), "request")
    sized = f"Half of {sent} send at most {half:,} tokens, 95% at most {most:,} ({counted})"
    share, said = found.over_share, " exceed the budget" if found.over_share else " exceeds the budget"
    shown = [
        Total("Typical request:", short_count(half), f" tokens (95%: under {short_count(most)})", sized),
        None if as_sent else Total("", whole_percent(share) if share else "None", said, f"{over:,} of {sent}"),
        _facts_total(found),
        _month_total(found, volume),
    ]
    return [total for total in shown if total]


def _facts_total(found: Workload) -> Total | None:
    facts = sum(load.facts or 0 for load in found.loads)
    if not (facts and found.facts_lost):
        return None
    said = " fact lost" if found.facts_lost == 1 else " facts lost"
    return Total("", f"{found.facts_lost:,}", said, f"of {count_of(facts, 'fact')} that requests needed, an estimate")


def _month_total(found: Workload, volume: int) -> Total | None:
    mine, whole = found.monthly(volume), found.monthly(volume, trimmed=False)
    if mine is None or whole is None:
        return None
    priced = sum(load.cost is not None for load in found.loads)
    of = f" of {priced:,} whose prices are known" if priced < len(found.loads) else ""
    said = f"{money(mine)}, without trimming {money(whole)}{of}: list prices and the models' caches, an estimate"
    verb = "costs" if volume == 1 else "cost"
    return Total(f"{volume:,} a month {verb}", f"≈ {short_money(mine)}", _beside_untrimmed(mine, whole), said)


def _beside_untrimmed(mine: Decimal, whole: Decimal) -> str:
    share = float(mine / whole) - 1 if whole else 0.0
    if abs(share) < SAME:
        return ", the same as without trimming"
    return f", {whole_percent(abs(share))} {'more' if share > 0 else 'less'} than without trimming"


def measured_under(settings: Settings, alike: int, as_sent: int, suggested: int) -> str:
    """ "Measured so: keep everything up to 8k tokens, …; 3 as sent, 2 as their files suggest": so many each way."""
    apart = [f"{as_sent:,} as sent"] if as_sent else []
    apart += (
        [f"{suggested:,} as {'its file suggests' if suggested == 1 else 'their files suggest'}"] if suggested else []
    )
    sentence = uncapitalize(settings_sentence(settings)).removesuffix(".")
    under = [f"Measured so: {sentence}"] if alike or not apart else []
    return "; ".join([*under, ", ".join(apart)] if apart else under)


def cannot_read(place: str, problem: str) -> str:
    """Why the recording is missing from the list, and what to do."""
    return (
        f"The recording at {one_line(place, 200)} can't be read: {one_line(problem, 300)}. Reload the page to try "
        "again; what this tab holds is kept"
    )


def deletion(recorded: int, lines: int, held: int, place: str) -> list[str]:
    """What deleting does, a sentence for each kind of conversation."""
    said = []
    if recorded:
        said.append(
            f"{count_of(recorded, 'recorded conversation')} with {count_of(lines, 'line')} in all: deleted from the "
            f"recording at {one_line(place, 200)}, tags, checkpoints and summaries included. This can't be undone."
        )
    if held:
        said.append(
            f"{count_of(held, 'conversation')} of this tab: taken off this list. Files on your disk stay as they are."
        )
    return said


def remembered_line(found: Remembered, settings: Settings) -> str:
    """ "Remembered from “Cake for Ana” and “Ferry”: 120 tokens": which conversations quotes are of, and their size."""
    titles = list_in_words([f"“{one_line(entry.title, 60)}”" for entry in found.entries])
    tokens = int(counter_for(settings).count([found.message])[0])
    return f"Remembered from {titles}: {tokens:,} tokens"
