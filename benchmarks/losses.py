"""What later requests lost, and how bad that is: prints a row of docs/evidence.md for each way of cutting.

    python benchmarks/losses.py FILE_OR_FOLDER…

References only: what tool calls use of what was said earlier. The interval (95 %) of the share kept is a bootstrap
over conversations, since the needs of one are not independent. Fetching again is a share of the bill it would come on
top of, at prices of 1 for input, 5 for output, 0.1 for a cache read and 1.25 for a write to an explicit cache.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from historylab import Settings, load, replay
from historylab.conversation.conversation import Conversation
from historylab.costs.bill import bill
from historylab.errors import HistoryLabError
from historylab.pricing import Prices
from historylab.recall.references import find_needs
from historylab.recall.retention import Retention, retention
from historylab.recall.severity import SEVERITIES
from historylab.recall.uses import OLD_TEXT
from historylab.summarizers.values import argument_values

WAYS = {
    "fifo 8k": Settings(policy="all"),
    "fifo 8k, down to a half": Settings(policy="all", options={"pruner.fifo.trim_to": 0.5}),
    "results cut to 100 tokens": Settings(
        policy="all", pruner="off", tool_output="truncate", options={"tool_output.truncate.limit": 100}
    ),
}
PRICES = Prices(input=1, output=5, cache_read="0.1", cache_write="1.25")
DRAWS, FEWEST = 2000, 10  # resamples; conversations below which there is no interval


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    conversations = [
        c
        for c in read(parser.parse_args().paths)
        if any(n.kind == "reference" for needs in find_needs(c) for n in needs)
    ]
    edits = [edit for c in conversations for edit in edits_of(c)]
    print(
        f"{len(conversations)} conversations; of {len(edits)} old texts of several lines {sum(edits)} were said before"
    )
    print(f"| | kept | of | {' | '.join(SEVERITIES)} | fetching again |\n" + "|---" * (4 + len(SEVERITIES)) + "|")
    for name, settings in WAYS.items():
        print(row(name, [retention(replay(c, settings)) for c in conversations]))


def read(paths: Sequence[Path]) -> Iterator[Conversation]:
    for path in paths:
        for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
            with suppress(HistoryLabError):
                yield from load(file)


def edits_of(conversation: Conversation) -> Iterator[bool]:
    """Of every old text of several lines in a call, whether it was found to be said before."""
    found = {(need.message, need.value) for needs in find_needs(conversation) for need in needs}
    for i, message in enumerate(conversation):
        for call in message.tool_calls:
            for path, value in argument_values(call):
                if "\n" in value.strip() and OLD_TEXT.match(path.rpartition(".")[2]):
                    yield (i, value.strip()) in found


def row(name: str, found: Sequence[Retention]) -> str:
    kept = np.array([(each.references.kept, each.references.total) for each in found])
    total, of = kept.sum(axis=0)
    draws = kept[np.random.default_rng(0).integers(len(kept), size=(DRAWS, len(kept)))].sum(axis=1)
    low, high = np.percentile(draws[:, 0] / draws[:, 1], (2.5, 97.5))
    interval = f" [{low:.1%}, {high:.1%}]" if len(found) >= FEWEST else ""
    lost = Counter(loss.severity for each in found for loss in each.losses if loss.kind == "reference")
    bills = [bill(each.timeline, "explicit", PRICES) for each in found]
    again = sum(priced.cost_of_fetching(each.fetched_tokens()) for priced, each in zip(bills, found, strict=True))
    share = float(again / sum(priced.total for priced in bills))
    counts = " | ".join(str(lost[severity]) for severity in SEVERITIES)
    return f"| {name} | {total / of:.1%}{interval} | {of:,} | {counts} | +{share:.1%} |"


if __name__ == "__main__":
    main()
