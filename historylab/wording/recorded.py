"""The recorded model, tools and usage of a file, and which of them is used, in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from historylab.costs.amounts import count_of
from historylab.costs.caches.base import NO_CACHE, cache_of
from historylab.costs.proposal import SettingsProposal
from historylab.counters.base import FACTOR
from historylab.counters.calibration import Calibration
from historylab.pricing import prices_of, window_of
from historylab.settings.resolve import Resolution
from historylab.wording.phrases import capitalize_first, list_in_words
from historylab.wording.untrusted import one_line

MODEL = 80  # characters of a model's name


def recorded_sentence(
    proposal: SettingsProposal, resolution: Resolution | None = None, *, opens_as_sent: bool = False
) -> str:
    """ "Recorded with claude-opus-4-5: its window, prices and cache are used; 20,211 measured tokens counted as …".

    Names only what is used: with a `resolution`, the values that no other source decides. Of a file that
    `opens_as_sent`, with its cuts, it doesn't say that it opens untrimmed. "" if the file says nothing.
    """
    used = {name: value for name, value in proposal.values.items() if _decides(name, resolution)}
    parts = [
        _of_the_model(proposal, resolution),
        _of_the_overhead(proposal, used),
        _of_the_factor(proposal, used),
        "" if opens_as_sent and proposal.fits else _of_the_budget(proposal, used),
    ]
    said = [part for part in parts if part]
    if not said:
        return ""
    with_model = f"Recorded with {one_line(proposal.model, MODEL)}: " if proposal.model else ""
    return f"{with_model}{capitalize_first('; '.join(said)) if not with_model else '; '.join(said)}."


def measured_sentence(found: Calibration) -> str:
    """The overhead and the factor that the reported usage shows."""
    return (
        f"The provider's usage on {found.requests:,} requests shows {found.overhead:,} tokens outside the transcript "
        f"(system prompt, tools), and {found.factor:.2f} of its tokens for each token counted here ({found.margin})."
    )


def _decides(name: str, resolution: Resolution | None) -> bool:
    return resolution is None or resolution.provenance[name].source == "recorded"


def _of_the_model(proposal: SettingsProposal, resolution: Resolution | None) -> str:
    """ "its window, prices and cache are used", of what is known; or that another model is.

    Whoever sets the recorded model, its facts are used.
    """
    if not proposal.model:
        return ""
    model = proposal.values.get("model")
    if model is None or (resolution and resolution.settings.model != model):
        return "another model is set"
    prices = prices_of(model)
    known = {
        "window": window_of(model) is not None,
        "prices": prices is not None,
        "cache": prices is not None and cache_of(prices).name != NO_CACHE,
    }
    found = [noun for noun, is_known in known.items() if is_known]
    unknown = [noun for noun in ("window", "prices") if not known[noun]]
    parts = [_sentence(found, "used")] if found else []
    return " and ".join([*parts, _sentence(unknown, "unknown")] if unknown else parts)


def _sentence(nouns: Sequence[str], end: str) -> str:
    verb = "are" if len(nouns) > 1 or nouns[-1].endswith("s") else "is"
    return f"its {list_in_words(nouns)} {verb} {end}"


def _of_the_overhead(proposal: SettingsProposal, used: Mapping[str, Any]) -> str:
    """ "1 tool and 20,211 measured tokens counted as overhead": what is counted outside the transcript."""
    tools = count_of(proposal.tools, "tool") if proposal.tools else ""
    if not used.get("overhead"):
        return ""
    if not proposal.measured:
        return f"{tools} ({used['overhead']:,} tokens) counted as overhead"
    counted = count_of(used["overhead"], "measured token")
    return f"{tools} and {counted} counted as overhead" if tools else f"{counted} counted as overhead"


def _of_the_budget(proposal: SettingsProposal, used: Mapping[str, Any]) -> str:
    """ "it fits its window of 200,000 and opens untrimmed", or the budget that is suggested, and where it was full."""
    if proposal.fits and all(name in used for name in proposal.suggested):
        return f"it fits its window of {proposal.fits:,} and opens untrimmed"
    full = f"its program compacted it at {proposal.full:,}, which counts as its window" if "window" in used else ""
    budget = f"a budget of {used['budget']:,} is suggested for this file" if "budget" in used else ""
    return "; ".join(filter(None, (full if proposal.full else "", budget)))


def _of_the_factor(proposal: SettingsProposal, used: Mapping[str, Any]) -> str:
    fit = proposal.calibration
    if fit is None:
        return ""
    if not fit.good:
        fits = f"R² {fit.fit:.2f}, {fit.margin}"
        return (
            f"the usage of its {fit.requests:,} requests fits its text too poorly for a tokenizer correction ({fits})"
        )
    return f"tokens are {fit.words}" if FACTOR in used else ""
