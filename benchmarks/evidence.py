"""What trimming costs and breaks on a folder of transcripts: prints the tables of docs/evidence.md.

    python benchmarks/evidence.py FOLDER [--counter chars/4]

Every readable transcript under FOLDER takes part. Claude Code sessions (`~/.claude/projects`) carry the provider's
usage and times, so their fixed overhead is fitted, and the predicted cache reads and the cost as they open are checked
against what was reported. A budget covers the history alone; the overhead is added to it. Costs are ratios to not
trimming, at prices of 1 for input, 0.1 for a cache read and 1.25 for a write to an explicit cache; output and the
offline summarizer are free.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from historylab import Settings, load, replay, settings_for
from historylab.conversation.conversation import Conversation
from historylab.conversation.usage import usage_by_request, usage_of
from historylab.costs.bill import price
from historylab.costs.caches.base import open_cache
from historylab.costs.lost_prefix import lost_prefixes
from historylab.costs.proposal import proposed_settings
from historylab.costs.reported import AsReported, against_reported
from historylab.costs.traffic import Traffic, baseline_of, traffic
from historylab.counters.base import open_counter
from historylab.counters.calibration import Calibration, calibrate
from historylab.errors import LoadError
from historylab.planning.replay import Timeline
from historylab.planning.validity import naive_validity, validity
from historylab.pricing import Prices, prices_of

PRICES = Prices(input=1, output=0, cache_read="0.1", cache_write=1)
CACHES = (open_cache("explicit", write_premium="1.25"), open_cache("automatic"), open_cache("none"))
HEAD = 2  # lines of an empty table
FEWEST_REQUESTS = 5  # shorter conversations say nothing about trimming
BLOCK = {"pruner.fifo.unit": "block"}
HALF = {"pruner.fifo.trim_to": 0.5}
LENGTHS = {"last 5 messages": 5, "last 10 messages": 10, "last 20 messages": 20}


@dataclass(frozen=True)
class Case:
    """A conversation, the settings that cut nothing, and the calibration from its usage, if it has any."""

    name: str
    conversation: Conversation
    uncut: Settings
    fit: Calibration | None


def conversations(folder: Path) -> Iterator[tuple[str, Conversation]]:
    """Every conversation that can be read, by file name."""
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".json", ".jsonl", ".traj"}):
        with suppress(LoadError):
            yield from ((f"{path.stem[:12]}#{number}", conversation) for number, conversation in enumerate(load(path)))


def cases(folder: Path, counter: str) -> Iterator[Case]:
    """Every conversation that is long enough, by file name."""
    for name, conversation in conversations(folder):
        if len(conversation.columns.requests) >= FEWEST_REQUESTS:
            fit = calibrate(conversation, open_counter(counter, "gpt-4o"))
            uncut = Settings(policy="all", pruner="off", counter=counter, overhead=fit.overhead if fit else 0)
            yield Case(name, conversation, uncut, fit)


def policies(uncut: Settings, budget: int) -> dict[str, Settings]:
    """The policies compared at a history of `budget` tokens."""
    window = budget + uncut.overhead
    fifo = uncut.replace(pruner="fifo", budget=window, **BLOCK)
    halve = {"compaction.at_threshold.target": (budget / 2 + uncut.overhead) / window}
    halve |= {"compaction.at_threshold.max_share": 500 / window, "compaction.at_threshold.unit": "block"}
    return {
        f"FIFO {budget:,}, exactly to the budget at every request": fifo,
        f"FIFO {budget:,}, whole turns": fifo.replace(**{"pruner.fifo.unit": "turn"}),
        f"FIFO {budget:,}, down to 50 %": fifo.replace(**HALF),
        f"FIFO {budget:,}, down to 50 %, early in a pause": fifo.replace(**HALF, **{"pruner.fifo.when": "cold"}),
        f"FIFO {budget:,}, down to 50 %, early at a turn": fifo.replace(**HALF, **{"pruner.fifo.when": "turn"}),
        f"compaction {budget:,}, down to 50 %": uncut.replace(
            compaction="at_threshold", window=window, threshold=1, **halve
        ),
    }


def unbudgeted(uncut: Settings) -> dict[str, Settings]:
    last = {"filter.newest.messages": 20}
    return {
        "last 20 messages, paired": uncut.replace(filter="newest", **last),
        "last 5 user turns": uncut.replace(policy="lastN", length=5),
        "sliding window of 6 turns, down to 50 %": uncut.replace(
            pruner="sliding_window", **{"pruner.sliding_window.turns": 6, "pruner.sliding_window.trim_to": 0.5}
        ),
        "old results cleared at every request": uncut.replace(tool_output="clear", **{"tool_output.clear.batch": 1}),
        "old results cleared in batches of 10": uncut.replace(tool_output="clear"),
        "out-of-date reads cleared in batches of 10": uncut.replace(tool_output="stale_reads"),
    }


def costs(found: Traffic) -> np.ndarray:
    """float64[caches]: cost under each cache model."""
    return np.array([float(price(found, PRICES, cache).total) for cache in CACHES])


def check_of_reads(found: Sequence[Case]) -> Iterator[str]:
    """Predicted and reported cache reads of the untrimmed replay, with the calibration used."""
    columns = (
        "requests | overhead | characters per token | counted too few | fit R² | reads predicted | reported | off by"
    )
    yield f"| file | {columns} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for case in found:
        timeline = replay(case.conversation, case.uncut)
        real = in_provider_tokens(traffic(timeline), case.fit)
        pairs = [(i, u) for i, p in enumerate(timeline.plans) if (u := usage_of_reply(case.conversation, p.size))]
        reads = price(real, PRICES, CACHES[0]).cache_reads
        predicted, reported = sum(int(reads[i]) for i, _ in pairs), sum(u.cache_reads for _, u in pairs)
        size = f"{case.fit.characters_per_token:.1f} | {1 - 1 / case.fit.factor:.0%}"
        fit = f"{case.fit.overhead:,} | {size} | {case.fit.fit:.3f}"
        context = sum(u.context for _, u in pairs)
        off = f"{predicted / reported - 1:+.1%}" if reported else "–"
        yield (
            f"| {case.name} | {len(pairs)} | {fit} | {predicted:,} ({predicted / context:.1%} of all input) "
            f"| {reported:,} ({reported / context:.1%}) | {off} |"
        )


def in_provider_tokens(counted: Traffic, fit: Calibration) -> Traffic:
    """Traffic with the fitted overhead, its other tokens times the fitted factor."""

    def real(tokens: np.ndarray) -> np.ndarray:
        scaled = np.rint(fit.overhead + fit.factor * (tokens - fit.overhead)).astype(np.int64)
        return np.where(tokens > 0, scaled, 0)

    return replace(counted, sent=real(counted.sent), shared=real(counted.shared))


def usage_of_reply(conversation: Conversation, size: int):
    return usage_of(conversation[size]) if size < len(conversation) else None


def as_opened_table(folder: Path) -> Iterator[str]:
    """Conversations with usage as they open, whole: their cost by our figures, and by what the provider reported."""
    columns = (
        "requests | overhead | factor | fit | computed | reported | off by | input alone | output counted | reported"
    )
    yield f"| file | {columns} | lost prefixes |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for name, conversation in conversations(folder):
        timeline = replay(conversation, settings_for(conversation))
        found, proposed = against_reported(timeline), proposed_settings(conversation)
        if found and proposed.measured:
            settings, fit = timeline.settings, proposed.calibration
            size = (
                f"{found.requests} | {settings.overhead:,} | {settings.counter_factor} | {fit.margin if fit else '–'}"
            )
            cost = f"${found.computed:.3f} | ${found.reported:.3f} | {found.error:+.1%} | {_of_output(timeline, found)}"
            lost = Counter(one.cause for one in lost_prefixes(conversation))
            why = ", ".join(f"{count} {cause}" for cause, count in sorted(lost.items()))
            yield f"| {name} | {size} | {cost} | {why or 'none'} |"


def _of_output(timeline: Timeline, found: AsReported) -> str:
    """How far the input alone is off, and the tokens of output, counted and reported."""
    prices, usages = prices_of(timeline.settings.model), usage_by_request(timeline.original)
    counted = sum(int(n) for n, usage in zip(baseline_of(timeline).output, usages, strict=True) if usage)
    reported = sum(usage.output for usage in usages if usage)
    ours, theirs = (
        total - tokens * prices.output / 1_000_000
        for total, tokens in ((found.computed, counted), (found.reported, reported))
    )
    return f"{ours / theirs - 1:+.1%} | {counted:,} | {reported:,}"


def cost_table(found: Sequence[Case], budgets: Sequence[int]) -> Iterator[str]:
    """Per policy: cost of all conversations ÷ not trimming under each cache model, and prefix invalidations."""
    plain = [traffic(replay(case.conversation, case.uncut)) for case in found]
    base = sum(map(costs, plain))
    history = np.mean(np.concatenate([t.sent - case.uncut.overhead for t, case in zip(plain, found, strict=True)]))
    yield "| policy | history ÷ budget | explicit | automatic | no cache | prefix invalidations | read from cache |"
    yield "|---|---|---|---|---|---|---|"
    rows = [(name, 0) for name in unbudgeted(found[0].uncut)]
    rows += [(name, budget) for budget in budgets for name in policies(found[0].uncut, budget)]
    for name, budget in rows:
        chosen = [(policies(c.uncut, budget) if budget else unbudgeted(c.uncut))[name] for c in found]
        sent = [traffic(replay(case.conversation, s)) for case, s in zip(found, chosen, strict=True)]
        ratios = " | ".join(f"{r:.2f}" for r in sum(map(costs, sent)) / base)
        relation = f"{history / budget:.1f}" if budget else "–"
        yield f"| {name} | {relation} | {ratios} | {_moves_and_reads(sent)} |"


def _moves_and_reads(sent: Sequence[Traffic]) -> str:
    requests, tokens = sum(len(t.sent) for t in sent), sum(int(t.sent.sum()) for t in sent)
    reads = sum(int(price(t, PRICES, CACHES[0]).cache_reads.sum()) for t in sent)
    return f"{sum(t.breaks for t in sent)} of {requests} | {reads / tokens:.0%}"


def validity_table(found: Sequence[Case]) -> Iterator[str]:
    """Share of requests that are invalid when sliced naively, and how many of ours are."""
    yield "| sliced naively | a result without its call | doesn't start with the user | ours: halves sent |"
    yield "|---|---|---|---|"
    for name, length in LENGTHS.items():
        yield _validity_row(name, found, {"policy": "lastN", "length": length})
    for budget in (2000, 8000):
        yield _validity_row(f"FIFO {budget:,}", found, {"pruner": "fifo", "budget": budget, "overhead": 0})


def _validity_row(name: str, found: Sequence[Case], changes: dict) -> str:
    timelines = [replay(case.conversation, case.uncut.replace(**changes)) for case in found]
    naive, ours = [naive_validity(t) for t in timelines], [validity(t) for t in timelines]
    orphans = np.concatenate([v.orphans > 0 for v in naive]).mean()
    start = np.concatenate([v.wrong_start for v in naive]).mean()
    wrong = sum(int(((v.orphans > 0) | (v.unanswered > 0)).sum()) for v in ours)
    return f"| {name} | {orphans:.0%} | {start:.0%} | {wrong} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--counter", default="chars/4")
    given = parser.parse_args()
    if not given.folder.is_dir():
        parser.error(f"there is no folder {str(given.folder)!r}")
    everything = list(cases(given.folder, given.counter))
    tools = [case for case in everything if any(m.role == "tool" for m in case.conversation)]
    sessions, others = [c for c in tools if c.fit], [c for c in tools if not c.fit]
    print(f"{len(everything)} conversations of {FEWEST_REQUESTS} requests or more, {len(tools)} with tools")
    if len(opened := list(as_opened_table(given.folder))) > HEAD:
        print("\n## As they open\n", *opened, sep="\n")
    groups = [("with usage", sessions, (2000, 8000, 32000)), ("without usage", others, (2000, 3000, 4000))]
    for title, group, budgets in groups:
        if group:
            print(f"\n## Conversations {title}: {len(group)}\n")
            tables = [check_of_reads(group)] if group is sessions else []
            for table in (*tables, cost_table(group, budgets), validity_table(group)):
                print("\n".join(table), end="\n\n")
            for case in group if group is sessions else ():
                print(f"{case.name} alone\n")
                print("\n".join(cost_table([case], budgets)), end="\n\n")


if __name__ == "__main__":
    main()
