"""Sources of settings in words: what each says, who decides a setting and why, and what one does to a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recall.retention import Retention
from historylab.registry import members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import setting_names
from historylab.settings.names import AGENTDOCK_TEMPLATE, SYSTEM, VERSION, environment_names, url_name
from historylab.settings.resolve import Candidate, Provenance, Resolution
from historylab.settings.sources import SOURCES, SUGGESTED
from historylab.wording.losses import lost_facts
from historylab.wording.phrases import capitalize_first, list_in_words
from historylab.wording.settings import SOURCE_WORDS, full_title, help_of, show_value, title_of, value_in_words
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import count_actions, count_sent

HEADINGS = {
    "environment": "Environment",
    "you": "You",
    "url": "URL",
    "template": "Template",
    "recorded": "Open file",
    "default": "Default",
}
ABOUT = {
    "environment": "variables of the server; no choice and no link overrides them",
    "you": "what you choose in the settings at the left",
    "url": "what the link asks for",
    "template": "a file of settings to start from",
    "recorded": "what the open file was recorded with",
    "default": "what counts where nothing else says anything",
}
OWN = frozenset({"you", "recorded"})
"""Sources that HistoryLab adds to the three of AgentDock's document, environment, URL and template."""
SETS = {
    "environment": "The environment sets it",
    "you": "You chose it",
    "url": "The URL sets it",
    "template": "The template sets it",
    "recorded": "It is taken from the open file",
    "default": "Nothing sets it, so the default counts",
}
BY_NAME = {
    SUGGESTED: "HistoryLab suggests it for the open file",
    SYSTEM: "The chosen system sets it",
    VERSION: "The link leaves it out, so the default counts",
}
WHOSE = {
    "environment": "the environment's",
    "you": "your choice of",
    "url": "the URL's",
    "template": "the template's",
    "recorded": "the file's",
}
MOST_NAMED = 3
LONGEST = 40  # characters of a value in a sentence


# -- per setting


def decision_sentence(origin: Provenance) -> str:
    """Who decides a setting, whom that shuts out, and what was refused and why."""
    losers = [c for c in origin.candidates if c.status == "lost" and c.source != "default"]
    shut_out = [c for c in losers if c.shut_out]
    beaten = [c for c in losers if not c.shut_out]
    sentences = [_refused_in_words(c) for c in origin.refused]
    decides = BY_NAME.get(origin.name, SETS[origin.source])
    if origin.source == "default" and origin.refused:
        decides = "Nothing that can be read sets it, so the default counts"
    if beaten:
        decides += f", so {_not_used(beaten)}"
    sentences.append(decides)
    if shut_out:
        sentences.append(f"The environment is strict, so {_not_used(shut_out)}")
    return " ".join(f"{sentence}." for sentence in sentences)


def _not_used(losers: Sequence[Candidate]) -> str:
    named = [f"{WHOSE[c.source]} “{value_of(c)}”" for c in losers]
    return f"{list_in_words(named)} {'is' if len(named) == 1 else 'are'} not used"


def _refused_in_words(candidate: Candidate) -> str:
    """ "The URL's “abc” is refused: not a number; write one of 0 or more, such as 20" """
    whose = WHOSE[candidate.source]
    return f"{capitalize_first(whose)} “{value_of(candidate)}” is refused: {candidate.why.rstrip('.')}"


def value_of(candidate: Candidate) -> str:
    """A candidate's value on one line: as written, or in words where no text was written."""
    text = candidate.raw if isinstance(candidate.raw, str) else show_value(candidate.raw)
    return one_line(text, LONGEST) or ("not set" if candidate.source == "default" else "empty text")


def winner_of(origin: Provenance) -> str:
    """The value in effect, in words."""
    return value_in_words(origin.setting, origin.value)


def names_in(source: str, setting: str) -> tuple[str, ...]:
    """What a setting is called in a source, highest precedence first."""
    if source == "environment":
        return environment_names(setting)
    if source == "template":
        agentdock = AGENTDOCK_TEMPLATE.get(setting)
        return (f"chatSettings.{agentdock}", setting) if agentdock else (setting,)
    return (url_name(setting),) if source == "url" else ()


def search_settings(words: str) -> list[str]:
    """Names of the settings that say all these words, those whose title says one first.

    Words are those of title and help, of the members there are to choose from, and of every name the setting has.
    """
    wanted = words.lower().split()
    found = [name for name in setting_names() if all(word in _all_words(name) for word in wanted)] if wanted else []
    return sorted(found, key=lambda name: not any(word in full_title(name).lower() for word in wanted))


@cache
def _all_words(name: str) -> str:
    known = members(name).values() if name in FIELDS_THAT_CHOOSE else ()
    said = (each for chosen in known for each in (chosen.name, chosen.title, chosen.summary))
    names = (each for source in SOURCES for each in names_in(source, name))
    return " ".join((full_title(name), help_of(name), name, *said, *names)).lower()


# -- per source


def says_anything(resolution: Resolution, source: str) -> bool:
    """Whether a source says anything that can be read."""
    origins = resolution.provenance.values()
    return any(c.source == source and c.status != "refused" for origin in origins for c in origin.candidates)


def says_sentence(resolution: Resolution, source: str) -> str:
    """What a source sets, and whether that is used: "Sets Policy and Length; Length is used." """
    by_status: dict[str, list[str]] = {"won": [], "lost": [], "refused": []}
    for name, origin in resolution.provenance.items():
        statuses = [c.status for c in origin.candidates if c.source == source]
        status = next((s for s in ("won", "lost", "refused") if s in statuses), "")
        if status:
            by_status[status].append(name)
    used, unused = by_status["won"], by_status["lost"]
    refused = len(by_status["refused"]) + sum(c.source == source for c in resolution.unknown)
    sentences = []
    if used or unused:
        sentences.append(f"Sets {_name_settings([*used, *unused])}; {_use_words(used, unused)}.")
    if refused:
        sentences.append(f"{count_of(refused, 'value')} {'is' if refused == 1 else 'are'} refused.")
    return " ".join(sentences) or "Says nothing."


def _name_settings(names: Sequence[str]) -> str:
    return (
        list_in_words([title_of(name) for name in names])
        if len(names) <= MOST_NAMED
        else count_of(len(names), "setting")
    )


def _use_words(used: Sequence[str], unused: Sequence[str]) -> str:
    every = len(used) + len(unused)
    if not used:
        return "it is not used" if every == 1 else "none is used"
    if not unused:
        return {1: "it is used", 2: "both are used"}.get(every, "all are used")
    return f"{_name_settings(used)} {'is' if len(used) == 1 else 'are'} used"


# -- on a conversation


@dataclass(frozen=True, slots=True)
class SettingsEffect:
    """What settings come to on a conversation: per request the messages sent, of how many, and the tokens; and losses.

    `lost` counts the facts that later requests needed and no longer held, `forgotten` the must-remember messages.
    Where a projection rewrites the conversation, `rewritten` counts what the last request's messages are made from.
    """

    sent: tuple[int, ...]
    size: tuple[int, ...]
    tokens: tuple[int, ...]
    lost: int
    forgotten: int = 0
    rewritten: int = 0


def outcome_of(timeline: Timeline, kept: Retention) -> SettingsEffect:
    """The outcome of a replay."""
    counts = [count_sent(count_actions(plan)) for plan in timeline.plans]
    sent, size = tuple(sent for sent, _ in counts), tuple(of for _, of in counts)
    made_from = timeline.original.columns.requests
    rewritten = int(made_from[-1]) if len(made_from) == len(size) and made_from[-1:] != list(size[-1:]) else 0
    tokens = tuple(timeline.tokens.tolist())
    return SettingsEffect(sent, size, tokens, lost_facts(kept).lost, kept.stars.lost, rewritten)


def difference(before: SettingsEffect, after: SettingsEffect) -> str:
    """What the model would see `after` instead of `before`, as the end of a sentence: "the model would see …"."""
    return f"the model would see {_visible_change(before, after)}{_change_in_losses(before, after)}"


def same_outcome(before: SettingsEffect, after: SettingsEffect) -> bool:
    """Whether nothing that these sentences speak of differs."""
    return _compared_values(before) == _compared_values(after)


def _compared_values(outcome: SettingsEffect) -> tuple[Any, ...]:
    return outcome.sent, outcome.tokens, outcome.lost, outcome.forgotten


def _visible_change(before: SettingsEffect, after: SettingsEffect) -> str:
    if len(before.sent) != len(after.sent):
        return f"{_at_the_last(after, full=True)} instead of {_at_the_last(before)}"
    if before.size[-1:] != after.size[-1:]:
        return f"{_share(after, full=True)} instead of {_share(before)}"
    if before.sent[-1] != after.sent[-1]:
        return f"{count_of(after.sent[-1], 'message')} instead of {before.sent[-1]:,} at the last request"
    where = next((i for i, pair in enumerate(zip(before.sent, after.sent, strict=True)) if pair[0] != pair[1]), None)
    if where is not None:
        return f"{count_of(after.sent[where], 'message')} instead of {before.sent[where]:,} at request {where + 1:,}"
    if before.tokens != after.tokens:
        return f"as many messages, in {sum(after.tokens):,} tokens over all requests instead of {sum(before.tokens):,}"
    return "as much"


def _share(outcome: SettingsEffect, *, full: bool = False) -> str:
    """ "40 of 40", "10 of 10 messages (rewritten from 33)"; in `full` with the noun."""
    of = count_of(outcome.size[-1], "message") if full else f"{outcome.size[-1]:,}"
    return f"{outcome.sent[-1]:,} of {of}{f' (rewritten from {outcome.rewritten:,})' if outcome.rewritten else ''}"


def _at_the_last(outcome: SettingsEffect, *, full: bool = False) -> str:
    """ "40 of 40 at the last of 2"; in `full` with the nouns."""
    requests = len(outcome.sent)
    if not requests:
        return "nothing, as no request is made," if full else "nothing"
    last = count_of(requests, "request") if full else f"{requests:,}"
    return f"{_share(outcome, full=full)} at the last of {last}"


def _change_in_losses(before: SettingsEffect, after: SettingsEffect) -> str:
    facts, marked = after.lost - before.lost, after.forgotten - before.forgotten
    parts = [_more(facts, "fact")] if facts else []
    if marked:
        parts.append(f"{_more(marked, 'message')} that must be remembered")
    return f" and lose {list_in_words(parts)}" if parts else ""


def _more(more: int, noun: str) -> str:
    return count_of(abs(more), f"{'more' if more > 0 else 'fewer'} {noun}")


def effect_sentence(source: str, now: SettingsEffect, other: SettingsEffect | None, *, on: bool) -> str:
    """What a source does: "Without the URL, the model would see 12 messages instead of 40 at the last request."

    `other` is the outcome with that source switched the other way; None where no setting would change. `on`: whether
    the source counts now.
    """
    word = {"you": "your choices", "recorded": "the open file"}.get(source, f"the {SOURCE_WORDS[source]}")
    lead = f"{'Without' if on else 'With'} {word}"
    if other is None or same_outcome(now, other):
        return f"{lead}, the model would see the same."
    return f"{lead}, {difference(now, other)}."
