"""The measures of one conversation, read off arrays of settings × requests: `measures.py` says the same of a replay."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from historylab.costs.bill import price_as_recorded, prices_by_request, total_costs
from historylab.costs.caches.base import Cache, as_charged
from historylab.costs.cut_traffic import SharedPrefixes, shared_prefixes
from historylab.costs.recorded_cache import as_recorded
from historylab.costs.traffic import Traffic, baseline_of, scale_shared
from historylab.planning.contexts import contexts_of
from historylab.planning.cut_validity import naively_refused, refused_requests
from historylab.planning.cut_vectors import CutVectors
from historylab.planning.replay import Timeline
from historylab.pricing import prices_of
from historylab.recall.cut_losses import CutLosses, needed_values
from historylab.recall.held import mentions_of_message
from historylab.recall.must_remember import marked_in_file, resolve_indices
from historylab.recall.references import Need, index_mentions
from historylab.recall.rules import find_rules
from historylab.recall.sayers import BY_PERSON
from historylab.recall.severity import GONE_FOR_GOOD, Severity, fetch_of, severity_of
from historylab.settings.model import Settings
from historylab.tuning.combine import Row
from historylab.tuning.measures import CERTAIN, measures_under
from historylab.tuning.replayed import MeasureOptions


class CountedRows:
    """The measures of s settings over one conversation, each a list with a value per setting.

    `known` holds what they share with those over other ground.
    """

    def __init__(
        self,
        carrier: Timeline,
        vectors: CutVectors,
        settings: Sequence[Settings],
        options: MeasureOptions,
        known: dict[Any, Any],
    ):
        self.carrier, self.vectors, self.settings, self.options, self.known = carrier, vectors, settings, options, known
        self.conversation = carrier.conversation
        self.contexts = contexts_of(self.conversation, carrier.settings, carrier.counter, vectors.tokens)
        self.losses = CutLosses(vectors)
        stars = options.stars_on(self.conversation)
        self.marks = marked_in_file(self.conversation) if stars is None else resolve_indices(self.conversation, stars)

    def rows(self) -> list[Row]:
        """One row per setting."""
        columns = {name: column(self) for name, column in COUNTED.items()}
        for cache in self.options.caches:
            columns[f"cost_{cache.name}"], columns[f"ratio_{cache.name}"] = self._bills(cache)
        names = [each.name for each in measures_under(self.options.caches)]
        return [{name: columns[name][k] for name in names} for k in range(len(self.settings))]

    # -- money

    @cached_property
    def prefixes(self) -> SharedPrefixes:
        return shared_prefixes(self.vectors)

    @cached_property
    def baseline(self) -> Traffic:
        return baseline_of(self.carrier)

    @cached_property
    def traffic(self) -> Traffic:
        """All arrays are [s, requests], but those of what no setting decides."""
        overhead, whole = self.carrier.settings.overhead, self.baseline
        shared = scale_shared(self.prefixes.common, self.vectors.tokens, self.contexts, overhead)
        return Traffic(self.contexts, shared, self.prefixes.broken, whole.idle, whole.output, ())

    def _bills(self, cache: Cache) -> tuple[list[float], list[float]]:
        model = self.carrier.settings.model
        prices, unknown = self.options.prices or prices_of(model), [math.nan] * len(self.settings)
        if prices is None:
            return unknown, unknown
        charged = as_charged(cache, prices)
        key = cache, model, self.carrier.settings.overhead, self.carrier.counter.key
        if key not in self.known:
            self.known[key] = price_as_recorded(self.carrier, self.baseline, prices, charged).total
        whole: Decimal = self.known[key]
        sent, lasting = as_recorded(self.carrier, self.traffic, prices, charged)
        totals = total_costs(sent, prices, lasting, prices_by_request(self.carrier, prices, self.contexts.shape[1]))
        return [float(total) for total in totals], [float(t / whole) if whole else math.nan for t in totals]

    # -- what is lost

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        return needed_values(self.conversation).needs

    @cached_property
    def lost_values(self) -> np.ndarray:
        """bool[s, v]."""
        return self.losses.find_lost()

    @cached_property
    def lost_needs(self) -> np.ndarray:
        """bool[s, n]: of several lines all must be held."""
        firsts = needed_values(self.conversation).of[:-1]
        return np.logical_or.reduceat(self.lost_values, firsts, axis=1) if len(firsts) else self.lost_values

    @cached_property
    def lost_stars(self) -> np.ndarray:
        """bool[s, k]: marked messages that a later request lacks."""
        lost = np.zeros((len(self.settings), len(self.marks)), bool)
        for k, mark in enumerate(self.marks):
            said = mentions_of_message(self.conversation, mark)
            since = self.conversation.columns.first_request_after(mark)
            lost[:, k] = self.losses.find_lost_later(*said, since).any(1)
        return lost

    def count_kept(self, kind: str) -> tuple[int, list[int]]:
        """The number of needs of that kind, and of each setting the number it holds."""
        chosen = needed_values(self.conversation).kinds == kind
        total = int(chosen.sum())
        return total, (total - self.lost_needs[:, chosen].sum(1)).tolist()

    @cached_property
    def rules_kept(self) -> list[float]:
        requests, first_after = self.vectors.cuts.shape[1], self.conversation.columns.first_request_after
        pairs, lost = 0, np.zeros(len(self.settings), np.int64)
        for rule in find_rules(self.conversation):
            since = first_after(rule.message)
            pairs += requests - since
            lost += self.losses.find_lost_later(rule.text, index_mentions(self.conversation).of(rule.text), since).sum(
                1
            )
        return _shares(pairs, (pairs - lost).tolist())

    @cached_property
    def badness(self) -> list[tuple[int, int, int, int]]:
        """Per setting: references and stars that are lost; those of them gone for good, and those that a person said;
        and the tokens for fetching again what can be, links too."""
        return [self._badness(k) for k in range(len(self.settings))]

    def _badness(self, setting: int) -> tuple[int, int, int, int]:
        wanted, certain = set[tuple[int, int]](), list[Severity]()
        for number in np.flatnonzero(self.lost_needs[setting]).tolist():
            need, found = self.needs[number], self._severity_of(number, setting)
            if need.kind in CERTAIN:
                certain.append(found)
            wanted.update((need.step, result) for result in found.results)
        for k in np.flatnonzero(self.lost_stars[setting]).tolist():
            value, mentions = mentions_of_message(self.conversation, self.marks[k])
            certain.append(severity_of(self.conversation, [(value, mentions)]))
        gone = sum(each.name in GONE_FOR_GOOD for each in certain)
        person = sum(each.name == BY_PERSON for each in certain)
        return len(certain), gone, person, sum(self._fetch_tokens(result) for _, result in wanted)

    def _severity_of(self, number: int, setting: int) -> Severity:
        """The severity of losing a need, or those of its lines that are lost."""
        need, values = self.needs[number], needed_values(self.conversation)
        lost = self.lost_values[setting, values.of[number] : values.of[number + 1]] if need.lines else None
        key = number, lost.tobytes() if lost is not None else b""
        known = self.conversation.remember("severities of needs", dict[tuple[int, bytes], Severity])
        if key not in known:
            lines = [need.lines[k] for k in np.flatnonzero(lost)] if lost is not None else []
            known[key] = severity_of(self.conversation, lines or [(need.value, need.mentions)])
        return known[key]

    def _fetch_tokens(self, result: int) -> int:
        key = self.carrier.counter.key, result
        if key not in self.known:
            self.known[key] = fetch_of(self.carrier, [result]).tokens
        tokens: int = self.known[key]
        return tokens

    # -- per request

    def count(self, requests: np.ndarray) -> list[int]:
        """The number of requests (bool[s, r]) of each setting."""
        counts: list[int] = requests.sum(1).tolist()
        return counts

    def same(self, value: float | str) -> list[Any]:
        """A value that no setting changes, once per setting."""
        return [value] * len(self.settings)


def _shares(total: int, kept: Iterable[int]) -> list[float]:
    return [each / total if total else math.nan for each in kept]


def _tokens_share(counted: CountedRows) -> list[float]:
    overhead = counted.carrier.settings.overhead * counted.contexts.shape[1]
    whole = int(counted.baseline.sent.sum()) - overhead
    return [(sent - overhead) / max(1, whole) for sent in counted.contexts.sum(1).tolist()]


def _tokens_mean(counted: CountedRows) -> list[float]:
    means: list[float] = counted.contexts.mean(1).tolist() if counted.contexts.shape[1] else counted.same(0.0)
    return means


def _stable_share(counted: CountedRows) -> list[float]:
    after = counted.contexts.shape[1] - 1
    breaks = counted.count(counted.prefixes.broken)
    return [1 - each / after if after > 0 else 1.0 for each in breaks]


def _count_refused(counted: CountedRows) -> list[int]:
    return counted.count(refused_requests(counted.vectors, counted.carrier.settings.model))


COUNTED: Mapping[str, Callable[[CountedRows], list[Any]]] = {
    "title": lambda c: c.same(c.conversation.title),
    "messages": lambda c: c.same(len(c.conversation)),
    "requests": lambda c: c.same(c.contexts.shape[1]),
    "tokens_mean": _tokens_mean,
    "tokens_peak": lambda c: c.contexts.max(1, initial=0).tolist(),
    "tokens_total": lambda c: c.contexts.sum(1).tolist(),
    "tokens_share": _tokens_share,
    "over_budget": lambda c: c.count(c.vectors.over_budget),
    "rejected": _count_refused,
    "rejected_naive": lambda c: c.count(naively_refused(c.vectors, c.settings)),
    "summaries": lambda c: c.same(0),
    "references": lambda c: c.same(c.count_kept("reference")[0]),
    "references_kept": lambda c: _shares(*c.count_kept("reference")),
    "links_kept": lambda c: _shares(*c.count_kept("link")),
    "stars": lambda c: c.same(len(c.marks)),
    "stars_kept": lambda c: _shares(len(c.marks), (len(c.marks) - c.lost_stars.sum(1)).tolist()),
    "rules": lambda c: c.same(len(find_rules(c.conversation))),
    "rules_kept": lambda c: c.rules_kept,
    "evidence_kept": lambda c: c.same(math.nan),
    "questions_kept": lambda c: c.same(math.nan),
    "losses": lambda c: [each[0] for each in c.badness],
    "gone_for_good": lambda c: [each[1] for each in c.badness],
    "person_lost": lambda c: [each[2] for each in c.badness],
    "fetch_tokens": lambda c: [each[3] for each in c.badness],
    "prefix_stable": _stable_share,
    "prefix_breaks": lambda c: c.count(c.prefixes.broken),
}
"""Of each measure, by its name, the values of all settings."""
