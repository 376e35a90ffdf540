"""The proxy's counts as Prometheus reads them. No label has a value from outside, such as an app, a path or a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)

from historylab._version import __version__
from historylab.proxy.counts import BOUNDS, Counts
from historylab.proxy.patience import PatientStore

CONTENT_TYPE = CONTENT_TYPE_LATEST
UPSTREAM = "upstream"
"""The code of a refusal in place of an answer that the upstream didn't give."""


def metrics_text(counts: Counts, store: PatientStore) -> bytes:
    """All metrics as they are now, in the text format."""
    return generate_latest(_Now(counts, store))  # of a registry nothing else is asked


class _Now(NamedTuple):
    counts: Counts
    store: PatientStore

    def collect(self) -> Iterator[Metric]:
        counts = self.counts
        refused = {code: number for code, number in counts.refused.items() if code != UPSTREAM}
        outcomes = {
            "trimmed": counts.trimmed,
            "whole": counts.sent_whole,
            "watched": counts.watched,
            "untrimmed": counts.untrimmed.total(),
            "passed_through": counts.passed_through,
            "refused": sum(refused.values()),
        }
        errors = {**counts.upstream_errors, "none": counts.refused[UPSTREAM]}
        yield InfoMetricFamily("historylab", "The version that runs", {"version": __version__})
        yield _counters("requests", "Requests by what became of them", "outcome", outcomes)
        yield _counters("untrimmed", "Requests sent as they came, by cause", "cause", counts.untrimmed)
        yield _counters("refused", "Requests answered by the proxy itself, by cause", "cause", refused)
        yield _counter("cancelled", "Requests whose client hung up", counts.cancelled)
        yield _counter("stale", "Requests decided under the last state known", counts.stale)
        yield _counter("unrecorded", "Requests that a recording was asked for and has not", counts.unrecorded)
        yield _counter("redacted", "Keys and other secrets left out of the recording", counts.redacted)
        yield _counters("upstream_errors", "Error answers of the upstream; none: it gave no answer", "status", errors)
        yield _counter("tokens_before", "Tokens of the requests decided, as they came", counts.tokens_before)
        yield _counter("tokens_sent", "Tokens of the requests decided, as they were sent", counts.tokens_sent)
        buckets = zip([*map(str, BOUNDS), "+Inf"], accumulate(counts.deciding.counts), strict=True)
        about = "Seconds that a decision took, waiting for a thread and the store included"
        yield HistogramMetricFamily(
            "historylab_decision_seconds", about, buckets=[*buckets], sum_value=counts.deciding.total
        )
        is_up = float(not self.store.away_since)
        yield GaugeMetricFamily("historylab_store_up", "1 while the store answers in time", is_up)


def _counter(name: str, about: str, number: int) -> Metric:
    return CounterMetricFamily(f"historylab_{name}", about, float(number))


def _counters(name: str, about: str, label: str, numbers: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(f"historylab_{name}", about, labels=(label,))
    for value, number in numbers.items():
        family.add_metric((value,), float(number))
    return family
