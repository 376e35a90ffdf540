"""Does the interval hold? How often `share_interval` holds the share of the pool that its conversations are drawn from.

    python benchmarks/check.py [FILE_OR_FOLDER…] [--draws 3000] [--seed 1]

Pools: the made-up shapes of `tests/support/pools.py`, and of the files the share of references kept under each of
some settings. Conversations are drawn with replacement. *Mean*: of the conversations' shares; *all needs*: kept ÷
needed of the whole pool. In brackets the worst pool.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean

from historylab import Settings, load, replay, retention, share_interval
from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from pools import Part, coverage, pools

CONVERSATIONS = (3, 5, 8, 15, 30)
WAYS = {f"fifo {budget:,}": Settings(policy="all", budget=budget) for budget in (1_000, 4_000, 8_000, 16_000, 32_000)}
FEWEST = 10  # conversations with needs that make a pool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--draws", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| pools | conversations | mean held | all needs held | width |\n|---|---|---|---|---|")
    kinds = {"made": pools(given.seed), "read": read_pools(given.paths)}
    for kind, found in kinds.items():
        for conversations in CONVERSATIONS if found else ():
            print(row(kind, found, conversations, given.draws, given.seed))


def row(kind: str, found: Mapping[str, Sequence[Part]], conversations: int, draws: int, seed: int) -> str:
    seen = {name: coverage(share_interval, pool, conversations, draws, seed) for name, pool in found.items()}
    means, together, widths = zip(*seen.values(), strict=True)
    worst = [min(seen, key=lambda name: seen[name][reading]) for reading in (0, 1)]
    held = [
        f"{fmean(each):.1%} ({seen[name][reading]:.0%}: {name})"
        for reading, (each, name) in enumerate(zip((means, together), worst, strict=True))
    ]
    return f"| {kind} ({len(found)}) | {conversations} | {held[0]} | {held[1]} | {fmean(widths):.2f} |"


def read_pools(paths: Sequence[Path]) -> dict[str, list[Part]]:
    conversations = list(read(paths))
    found = {}
    for name, settings in WAYS.items():
        kept = [retention(replay(each, settings)).kept["reference"] for each in conversations]
        found[name] = [(each.kept, each.total) for each in kept if each.total]
    return {name: pool for name, pool in found.items() if len(pool) >= FEWEST}


def read(paths: Sequence[Path]) -> Iterator[Conversation]:
    for path in paths:
        for file in sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]:
            with suppress(HistoryLabError):
                yield from load(file)


if __name__ == "__main__":
    main()
