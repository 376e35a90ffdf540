"""Constraints and objective in words: "keep every reference, never over 8k, cheapest under automatic caching".

Phrases are separated by commas, semicolons or "and". PHRASES lists what is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from historylab.costs.caches.base import NO_CACHE, cache_members, caching_word
from historylab.errors import SettingsError

AIMS = ("cheapest", "keeps most", "balanced")
BALANCED = 0.95  # of what the best one keeps: cheaper settings that keep less are not looked at

EVERY_STAR, EVERY_REFERENCE = "keep every must-remember message", "keep every reference"
CACHING = [*(caching_word(name) for name in cache_members() if name != NO_CACHE), caching_word(NO_CACHE)]
PHRASES = (
    EVERY_STAR,
    EVERY_REFERENCE,
    "keep 95% of references",
    "never over the budget",
    "never over 8k",
    "never rejected",
    "no summaries",
    "at most $2",
    "at most 0.8x not trimming",
    f"cheapest under {CACHING[0]} caching (or {', or '.join(CACHING[1:])} caching)",
    "keeps most",
    "balanced",
)


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints that must hold, and the objective: `aim` is one of AIMS, costs are under `cache`."""

    every_star: bool = False
    references: float | None = None  # least share kept
    references_are: str = "references"  # what they were called
    within_budget: bool = False
    peak: int | None = None  # most tokens a request may send
    no_rejections: bool = False
    no_summaries: bool = False
    cost: float | None = None  # dollars at most
    ratio: float | None = None  # times the cost of not trimming, at most
    aim: str = "balanced"
    cache: str = "automatic"

    @property
    def any_set(self) -> bool:
        """Whether anything is required at all, besides what is best."""
        beside = ("aim", "cache", "references_are")
        return any(getattr(self, each.name) != each.default for each in fields(self) if each.name not in beside)

    def broken_by(self, point: Mapping[str, Any]) -> list[str]:
        """The constraints, in words, that a candidate's figures break. An unknown figure (NaN) breaks none."""
        return [words for words, holds in self._checks(point) if not holds]

    def _checks(self, point: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
        if self.every_star:
            yield EVERY_STAR, not point["stars_kept"] < 1
        if self.references is not None:
            yield f"keep {self.references:.0%} of {self.references_are}", not point["references_kept"] < self.references
        if self.within_budget:
            yield "never over the budget", not point["over_budget"]
        if self.peak is not None:
            yield f"never over {self.peak:,} tokens", point["tokens_peak"] <= self.peak
        if self.no_rejections:
            yield "never rejected", not point["rejected"]
        if self.no_summaries:
            yield "no summaries", not point["summaries"]
        if self.cost is not None:
            yield f"at most ${self.cost:,.2f}", not point[f"cost_{self.cache}"] > self.cost
        if self.ratio is not None:
            yield f"at most {self.ratio:g}× not trimming", not point[f"ratio_{self.cache}"] > self.ratio


_NUMBER = r"(?P<number>[0-9.,]+)\s*(?P<kilo>k)?"
_REFERENCES = r"(?:references?|(?P<fact>facts?) in tool calls)"
_CACHING = r"(?:\s+(?:under|with)\s+(?P<cache>[\w-]+)\s+(?:cach\w*|prefix cach\w*))?"
_RULES = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (r"keeps? (?:every|all|the)\s*(?:stars?|must-remember messages?)", "every_star"),
        (rf"keeps? (?:every|all)\s*{_REFERENCES}", "references"),
        (rf"keeps? (?:at least )?{_NUMBER}\s*% of (?:the |all )?{_REFERENCES}", "references"),
        (r"(?:never|not|nothing) over (?:the )?budget", "within_budget"),
        (rf"(?:never (?:over|above)|at most|under) {_NUMBER}(?:\s*tokens)?", "peak"),
        (r"(?:never|nothing) rejected", "no_rejections"),
        (r"(?:no|without) summar(?:y|ies)", "no_summaries"),
        (rf"(?:at most|under) \$\s*{_NUMBER}{_CACHING}", "cost"),
        (rf"(?:at most|under) {_NUMBER}\s*[x×](?: (?:the cost of )?not trimming)?{_CACHING}", "ratio"),
        (rf"(?P<aim>cheapest|balanced){_CACHING}", "aim"),
        (rf"keeps? (?:the )?(?P<aim>most){_CACHING}", "aim"),
    )
)


def read_constraints(words: str) -> Constraints:
    """The constraints a sentence states. Raises SettingsError for a phrase that isn't understood."""
    found = Constraints()
    for phrase in re.split(r",\s|;|\band\b", words.strip().rstrip(".")):
        if phrase.strip():
            found = replace(found, **_read(" ".join(phrase.lower().split())))
    return found


def _read(phrase: str) -> dict[str, Any]:
    caches = {caching_word(name): name for name in cache_members()}
    for pattern, field in _RULES:
        match = pattern.fullmatch(phrase)
        if match and match.groupdict().get("cache") in (None, *caches):
            given = match.groupdict()
            more = {"cache": caches[given["cache"]]} if given.get("cache") else {}
            if given.get("fact"):
                more["references_are"] = "facts in tool calls"
            return {field: _value(field, given), **more}
    raise SettingsError(f"{phrase!r} is no constraint we know; say for instance {'; '.join(PHRASES)}")


def _value(field: str, given: Mapping[str, str | None]) -> Any:
    if field == "aim":
        return "keeps most" if given["aim"] == "most" else given["aim"]
    if "number" not in given:
        return 1.0 if field == "references" else True
    try:
        number = float((given["number"] or "").replace(",", "")) * (1000 if given["kilo"] else 1)
    except ValueError:
        raise SettingsError(f"{given['number']!r} is not a number") from None
    return {"references": number / 100, "peak": int(number)}.get(field, number)
