"""Advice in a few words: the headline, what the settings do, how sure that is, and why not trimming is no answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.costs.amounts import count_of, short_count, whole_percent
from historylab.planning.reasons import in_percent
from historylab.planning.strategies.counting import NOUNS
from historylab.pricing import window_of
from historylab.registry import chosen_members
from historylab.settings.model import Settings
from historylab.tuning.advice_words import CLAIMS, refused_words
from historylab.tuning.evidence import Comparison
from historylab.tuning.replayed import Lane, TrimmerLane
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.wording.costs import SAME, cost_in_words
from historylab.wording.cuts import changes_in_words
from historylab.wording.phrases import capitalize_first, uncapitalize
from historylab.wording.untrusted import one_line

NAME = 60  # characters of a trimmer's name

PRUNERS: Mapping[str, tuple[str, str]] = {
    "fifo": ("drop the oldest turns when {budget} is full", "oldest go at {budget}"),
    "summarize": ("summarise when {budget} is full", "summarise at {budget}"),
    "relevance": ("drop what is least relevant when {budget} is full", "least relevant go at {budget}"),
    "message_window": ("keep the newest {keep} {counted}", "newest {keep} {counted}"),
    "sliding_window": ("keep the last {turns} turns", "last {turns} turns"),
}
"""A pruner's action, as a request to do it and as a name."""
TOOL_OUTPUTS: Mapping[str, str] = {
    "clear": "clear old tool results",
    "truncate": "cut long tool results short",
    "collapse": "shrink old tool results to a line",
    "stale_reads": "clear out-of-date reads",
}
OPTIONS = (".trim_to", ".when", ".unit")
"""The ends of the names of settings that say how a cut is made."""
WHEN_GROWN = "once the history is twice as long"


def advice_sentence(advice: Advice) -> str:
    """The headline: what to do and what that brings; or that nothing is better, or that it is too little to tell."""
    picked = advice.chosen
    if advice.verdict == "too little to tell":
        few = f"{count_of(advice.evidence, 'fact')} to judge by" if advice.evidence else "no facts to judge by"
        return f"Too little to tell: {few}."
    if advice.verdict not in CLAIMS:
        return _leave_it(advice)
    done = "Don’t trim this one" if picked.sends_all else action_in_words(advice, picked)
    effects = ", ".join(filter(None, (_refusals(advice, picked), *_effects(advice, picked))))
    return f"{done}: {effects}." if advice.verdict == "better" else f"Promising: {uncapitalize(done)}, {effects}."


def _leave_it(advice: Advice) -> str:
    """Nothing is better: as some wish stands in the way, as nothing is cut yet, or as nothing tried was."""
    base, others = advice.points[0], advice.points[1:]
    if advice.points[advice.trials.index(advice.chosen)].broken:
        return advice.why[0]
    if abs(base.cost - 1) < SAME and others and all(p.cost > 1 - SAME or p.kept < base.kept for p in others):
        return "Don’t trim this one: every setting that does costs more or forgets."
    return advice.why[0]


def refused_base(advice: Advice) -> str:
    """ "An API would refuse 31 of the 62 requests that LangChain trim_messages makes."; "" where it would none."""
    base = advice.trials[0]
    if not isinstance(advice.against, TrimmerLane) or not base.rejected:
        return ""
    return f"{refused_words(foreign_word(advice), base.rejected, base.figures['requests'])}."


def _refusals(advice: Advice, trial: Trial) -> str:
    """ "no request refused instead of 31": said before the cost, where an API would refuse more of a trimmer."""
    before, now = advice.trials[0].rejected, trial.rejected
    if not refused_base(advice) or now >= before:
        return ""
    return f"{count_of(now, 'request') if now else 'no request'} refused instead of {before:,}"


def _effects(advice: Advice, trial: Trial) -> tuple[str, str]:
    beside, grown = advice.beside_base(trial), advice.cost_when_grown(trial)
    cost = cost_in_words(beside.cost.value, priced=advice.priced)
    if abs(beside.cost.value - 1) < SAME and abs(grown - 1) >= SAME:
        cost = f"{cost_in_words(grown, priced=advice.priced)} {WHEN_GROWN}"
    return cost, _facts_in_words(beside)


def losses_beside(beside: Comparison) -> tuple[int, int]:
    """The facts lost under the base and under the settings beside it."""
    before, now = (round((1 - kept) * beside.needs) for kept in (beside.base_kept, beside.kept))
    return before, now


def _facts_in_words(beside: Comparison) -> str:
    (before, now), in_summary = losses_beside(beside), round((beside.noted - beside.base_noted) * beside.needs)
    if not beside.needs:
        return ""
    noted = f" ({in_summary:,} only in the summary)" if in_summary > 0 else ""
    if not now or now == before:
        return f"{f'the same {now:,} lost' if now else 'no fact lost'}{noted}"
    fact = "more fact" if now > before else "fewer fact"
    return f"{count_of(abs(now - before), fact)} lost{noted}"


def action_in_words(advice: Advice, trial: Trial) -> str:
    """The settings as something to do: "Summarise when 96k is full"; of several things the first two that are new."""
    new = [long for long, _ in _new_actions(advice, trial)]
    changes = advice.points[advice.trials.index(trial)].changes
    options = {name: value for name, value in changes.items() if name.endswith(OPTIONS)}
    if len(new) == 1 and options and new == [long for long, _ in _actions(advice.trials[0].settings)][:1]:
        new = [f"{new[0]}, {changes_in_words(options)}"]  # nothing else tells it from the base
    return capitalize_first(" and ".join(new[:2]) or "send everything")


def foreign_word(advice: Advice) -> str:
    """ "as sent", or a trimmer's name: the base where it isn't settings."""
    return noun_of_base(advice.against) if isinstance(advice.against, TrimmerLane) else "as sent"


def noun_of_base(base: Lane) -> str:
    """ "yours", "what was really sent", "LangChain trim_messages": what settings are set beside."""
    if isinstance(base, TrimmerLane):
        return one_line(base.title, NAME)
    return "yours" if isinstance(base, Settings) else "what was really sent"


def short_name(advice: Advice, trial: Trial) -> str:
    """The settings as the name of a point: "summarise at 96k", "not trimming"; "yours" for the base."""
    if trial is advice.trials[0]:
        return "yours" if trial.is_ours else foreign_word(advice)
    return next((short for _, short in _new_actions(advice, trial)), "not trimming")


def _new_actions(advice: Advice, trial: Trial) -> list[tuple[str, str]]:
    """List what the settings do and the base doesn't; beside what was sent, those the search began at."""
    before = list(_actions(advice.trials[0].settings))
    actions = list(_actions(trial.settings))
    return [each for each in actions if each not in before] or actions[:1]


def _actions(settings: Settings) -> Iterator[tuple[str, str]]:
    """Each thing that the settings do to a history, as a request and as a name; what decides most comes first."""
    if settings.pruner != "off":
        yield prune_words(settings)
    if settings.policy == "none":
        yield "send no history", "no history"
    elif settings.policy != "all":
        counted = "message" if settings.policy == "lastMessages" else "user message"
        last = f"last {count_of(settings.length, counted)}"
        yield f"send only the {last}", last
    for each in chosen_members("tool_output", settings.tool_output):
        if each.name != "off":
            words = TOOL_OUTPUTS.get(each.name, each.title.lower())
            yield words, words
    if settings.compaction != "off":
        window = settings.window or window_of(settings.model)
        share = f"{in_percent(settings.threshold)} of the window"
        full = short_count(round(settings.threshold * window)) if window else share
        yield f"summarise when {full} is full", f"summarise at {full}"


def prune_words(settings: Settings) -> tuple[str, str]:
    """The pruner at its budget as something to do and as a name: "summarise when 8k is full", "summarise at 8k"."""
    values: dict[str, Any] = {"budget": short_count(settings.budget)}
    if settings.pruner == "sliding_window":
        values["turns"] = settings.value("pruner.sliding_window.turns")
    if settings.pruner == "message_window":
        values["keep"] = settings.value("pruner.message_window.keep")
        values["counted"] = NOUNS[settings.value("pruner.message_window.unit")]
    title = settings.pruner.replace("_", " ")
    long, short = PRUNERS.get(settings.pruner, (f"{title} when {{budget}} is full", f"{title} at {{budget}}"))
    return long.format(**values), short.format(**values)


def sureness(advice: Advice) -> str:
    """Say how sure the advice is: "Likely to hold (88%): 141 facts, 18 settings tried"."""
    rests = f"{count_of(advice.evidence, 'fact')}, {count_of(len(advice.trials), 'settings')} tried"
    chance = f"({whole_percent(min(advice.chance, 0.99))})"
    words = {"better": f"Likely to hold {chance}", "promising": f"Not proven {chance}"}
    return f"{words[advice.verdict]}: {rests}" if advice.verdict in words else rests


def why_not_whole(advice: Advice) -> str:
    """The reason why not trimming isn't advised though it is cheaper and keeps as much; "" where it isn't."""
    whole = next((trial for trial in advice.trials if trial.sends_all), None)
    if whole is None or advice.chosen in (whole, advice.trials[0]):
        return ""
    there, ours = (advice.points[advice.trials.index(trial)] for trial in (whole, advice.chosen))
    if there.cost > ours.cost * (1 - SAME) or there.kept < ours.kept:
        return ""
    window, most = whole.settings.window or window_of(whole.settings.model), whole.figures["tokens_peak"]
    if window and most > window:
        return f"Not trimming doesn't fit: {short_count(most)} tokens in a window of {short_count(window)}."
    if there.broken:
        return f"Not trimming breaks “{there.broken[0]}”."
    grown = advice.cost_when_grown(whole) / max(advice.cost_when_grown(advice.chosen), 1e-9)
    if grown > 1 + SAME:
        return f"Not trimming costs no more yet, but {whole_percent(grown - 1)} more {WHEN_GROWN}."
    return ""
