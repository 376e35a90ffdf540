"""Wishes in words: "keep every reference, never over 8k, cheapest under automatic caching".

Phrases are separated by commas, semicolons or "and". PHRASES lists what is understood. A wish is data: a name of
REQUIREMENTS with its limit, or an aim.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from historylab.costs.caches.base import NO_CACHE, cache_members, caching_word
from historylab.errors import SettingsError

BETTER, BETTER_IN_BOTH = "better than mine", "better than mine in both"
AIMS = ("cheapest", "keeps most", "balanced", BETTER, BETTER_IN_BOTH)
BALANCED = 0.95  # of what the best one keeps: cheaper settings that keep less are not looked at

EVERY_STAR, EVERY_REFERENCE = "keep every must-remember message", "keep every reference"
ALL_EVIDENCE, EVERY_RULE = "keep all evidence", "keep every rule"
ALL_SAID, NOTHING_GONE = "forgets nothing a person said", "loses nothing for good"
CACHING = [*(caching_word(name) for name in cache_members() if name != NO_CACHE), caching_word(NO_CACHE)]
PHRASES = (
    EVERY_STAR,
    EVERY_REFERENCE,
    "keep 95% of references",
    ALL_EVIDENCE,
    EVERY_RULE,
    ALL_SAID,
    NOTHING_GONE,
    "never over the budget",
    "never over 8k",
    "never rejected",
    "no summaries",
    "at most $2",
    "at most 0.8x not trimming",
    f"cheapest under {CACHING[0]} caching (or {', or '.join(CACHING[1:])} caching)",
    *AIMS[1:],
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a wish asks of one column of a sweep.

    `broken(found, limit)` is False of an unknown figure (NaN). `phrase` takes the limit, and `noun` for what is kept.
    """

    column: str
    phrase: str
    broken: Callable[[Any, Any], bool]


def _any(found: Any, _limit: Any) -> bool:
    return bool(found > 0)


REQUIREMENTS: Mapping[str, Requirement] = {
    "every_star": Requirement("stars_kept", EVERY_STAR, operator.lt),
    "references": Requirement("references_kept", "keep {limit:.0%} of {noun}", operator.lt),
    "all_evidence": Requirement("evidence_kept", ALL_EVIDENCE, operator.lt),
    "every_rule": Requirement("rules_kept", EVERY_RULE, operator.lt),
    "all_said": Requirement("person_lost", ALL_SAID, _any),
    "nothing_gone": Requirement("gone_for_good", NOTHING_GONE, _any),
    "within_budget": Requirement("over_budget", "never over the budget", _any),
    "peak": Requirement("tokens_peak", "never over {limit:,} tokens", operator.gt),
    "no_rejections": Requirement("rejected", "never rejected", _any),
    "no_summaries": Requirement("summaries", "no summaries", _any),
    "cost": Requirement("cost_{cache}", "at most ${limit:,.2f}", operator.gt),
    "ratio": Requirement("ratio_{cache}", "at most {limit:g}× not trimming", operator.gt),
}
"""Field of Constraints → what it requires."""
RELATIVE: Mapping[str, str] = {"no_more_lost": "forgets no more", "no_more_cost": "costs no more"}
"""Wishes on settings beside others, which only a check knows → their phrase."""

CHECKED = (*(phrase for phrase in PHRASES if not phrase.startswith(("cheapest", *AIMS))), *RELATIVE.values())
"""Phrases that a check knows: no aims."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One phrase: a requirement by name with its limit, or `name="aim"`; `cache` is the one it names, if any."""

    name: str
    limit: Any
    said: str
    cache: str | None = None


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints that must hold, and the objective: `aim` is one of AIMS, costs are under `cache`."""

    every_star: bool = False
    references: float | None = None  # least share kept
    all_evidence: bool = False
    every_rule: bool = False
    all_said: bool = False  # nothing that a person said is lost
    nothing_gone: bool = False  # nor what no tool can be asked for again
    within_budget: bool = False
    peak: int | None = None  # most tokens a request may send
    no_rejections: bool = False
    no_summaries: bool = False
    cost: float | None = None  # dollars at most
    ratio: float | None = None  # times the cost of not trimming, at most
    aim: str = "balanced"
    cache: str = "automatic"

    @property
    def required(self) -> dict[str, Any]:
        """The limit of every requirement that is stated, by its name."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {name: values[name][0] for name in REQUIREMENTS if values[name][0] != values[name][1]}

    @property
    def any_set(self) -> bool:
        """Whether anything is required at all, besides what is best."""
        return bool(self.required)

    def broken_by(self, point: Mapping[str, Any], noun: str = "references") -> list[str]:
        """The constraints, in words, that a candidate's figures break. `noun` is what references are called."""
        asked = [(REQUIREMENTS[name], limit) for name, limit in self.required.items()]
        broken = []
        for each, limit in asked:
            column = each.column.format(cache=self.cache)
            if column not in point:
                raise SettingsError(f"the table has no column {column!r}, which “{each.phrase}” needs; sweep again")
            if each.broken(point[column], limit):
                broken.append(each.phrase.format(limit=limit, noun=noun))
        return broken


_NUMBER = r"(?P<number>[0-9.,]+)\s*(?P<kilo>k)?"
_REFERENCES = r"(?:references?|facts? in tool calls)"
_CACHING = r"(?:\s+(?:under|with)\s+(?P<cache>[\w-]+)\s+(?:cach\w*|prefix cach\w*))?"
_RULES = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (r"keeps? (?:every|all|the)\s*(?:stars?|must-remember messages?)", "every_star"),
        (rf"keeps? (?:every|all)\s*{_REFERENCES}", "references"),
        (rf"keeps? (?:at least )?{_NUMBER}\s*% of (?:the |all )?{_REFERENCES}", "references"),
        (r"keeps? (?:every|all)(?: (?:the|piece of|gold))? evidence", "all_evidence"),
        (r"keeps? (?:every|all|the)(?: the)? rules?", "every_rule"),
        (r"(?:forgets?|loses?) nothing (?:that )?(?:a person|people|users?|the user) (?:said|says)", "all_said"),
        (r"(?:forgets?|loses?) nothing for good", "nothing_gone"),
        (r"(?:never|not|nothing) over (?:the )?budget", "within_budget"),
        (rf"(?:never (?:over|above)|at most|under) {_NUMBER}(?:\s*tokens)?", "peak"),
        (r"(?:never|nothing|no requests?) (?:is |are )?(?:rejected|refused)", "no_rejections"),
        (r"(?:no|without) summar(?:y|ies)", "no_summaries"),
        (rf"(?:at most|under) \$\s*{_NUMBER}{_CACHING}", "cost"),
        (rf"(?:at most|under) {_NUMBER}\s*[x×](?: (?:the cost of )?not trimming)?{_CACHING}", "ratio"),
        (r"(?:forgets?|loses?) (?:no|nothing) more", "no_more_lost"),
        (r"costs? no more", "no_more_cost"),
        (rf"(?P<aim>cheapest|balanced){_CACHING}", "aim"),
        (rf"keeps? (?:the )?(?P<aim>most){_CACHING}", "aim"),
        (rf"(?P<aim>better than mine(?: in both)?){_CACHING}", "aim"),
    )
)


def read_constraints(words: str, offered: Iterable[str] = PHRASES) -> Constraints:
    """The constraints a sentence states. Raises SettingsError, with what is `offered`, for an unknown phrase."""
    return constraints_of(read_wishes(words, offered))


def constraints_of(wishes: Iterable[Wish], aim: str = "balanced") -> Constraints:
    """The wishes as constraints; of two on the same thing the last counts. Raises SettingsError for a relative one."""
    found: dict[str, Any] = {"aim": aim}
    for wish in wishes:
        if wish.name in RELATIVE:
            raise SettingsError(f"“{wish.said}” is on other settings, which only `historylab check --against` knows")
        found |= {wish.name: wish.limit} | ({"cache": wish.cache} if wish.cache else {})
    return Constraints(**found)


def read_wishes(words: str, offered: Iterable[str] = CHECKED) -> tuple[Wish, ...]:
    """Each phrase of a sentence, in its order. Raises SettingsError as `read_constraints` does."""
    phrases = re.split(r",(?!\d)|;|\band\b", words.strip().rstrip("."))
    return tuple(_read(" ".join(phrase.lower().split()), offered) for phrase in phrases if phrase.strip())


def _read(phrase: str, offered: Iterable[str]) -> Wish:
    caches = {caching_word(name): name for name in cache_members()}
    for pattern, field in _RULES:
        match = pattern.fullmatch(phrase)
        if match and match.groupdict().get("cache") in (None, *caches):
            given = match.groupdict()
            return Wish(field, _value(field, given), phrase, caches.get(given.get("cache") or ""))
    raise SettingsError(f"{phrase!r} is no wish we know; say for instance {'; '.join(offered)}")


def _value(field: str, given: Mapping[str, str | None]) -> Any:
    if field == "aim":
        return "keeps most" if given["aim"] == "most" else given["aim"]
    if "number" not in given:
        return 1.0 if field == "references" else True
    try:
        number = float((given["number"] or "").replace(",", "")) * (1000 if given["kilo"] else 1)
    except ValueError:
        raise SettingsError(f"{given['number']!r} is not a number") from None
    if field == "references" and number > 100:
        raise SettingsError(f"no more than 100% of references can be kept, so not {number:g}%")
    return {"references": number / 100, "peak": int(number)}.get(field, number)
