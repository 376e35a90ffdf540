"""How much of what answers a question the pruner `relevance` sends, and what each part of it is worth.

python benchmarks/relevance.py                       # the generator that plants facts, or --generator NAME
python benchmarks/relevance.py FOLDER --half report  # files with gold evidence, or LoCoMo's own JSON

What answers is a conversation's gold evidence; where it has none, what its answers use of what was said (links).
A conversation belongs to the half `develop` if the first eight hex digits of its digest are an even number, else to
`report`: what is chosen on one half is reported on the other.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from historylab import Conversation, Message, Settings, generate, load, replay, retention
from historylab.errors import HistoryLabError
from historylab.planning.pipeline import open_instruments
from historylab.planning.strategies.pruners import relevance
from historylab.recall.retention import Kept
from historylab.relevance.base import Relevance
from historylab.relevance.bm25 import BM25, BM25Index

SEEDS = range(24)
WEIGHTS = (0, 0.2, 0.4, 0.6, 0.8, 1)
ADVERSARIAL = 5  # LoCoMo's category of questions that nothing answers


class PlainIndex(BM25Index):
    """Words as bm25s splits them, in English, unstemmed: what the product did before."""

    def _stems(self, text: str, before: np.ndarray) -> list[str]:
        found = bm25s.tokenize([text], stopwords="en", return_ids=False, show_progress=False)
        return list(found[0])


class Plain(BM25):
    name = "plain"

    def index(self, texts: Sequence[str]) -> BM25Index:
        return PlainIndex().followed_by(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders (default: the generators)")
    parser.add_argument("--generator", default="planted_facts")
    parser.add_argument("--half", choices=("develop", "report", "both"), default="both")
    parser.add_argument("--budget", type=int, nargs="+", default=[250, 500, 1000, 4000])
    arguments = parser.parse_args()
    found = read(arguments.paths) if arguments.paths else generated(arguments.generator)
    conversations = [c for c in found if arguments.half in ("both", half_of(c))]
    needs = sum(answers(c, Settings(policy="all", pruner="off"), BM25()).total for c in conversations)
    print(f"{len(conversations)} conversations, {needs} answers, half: {arguments.half}")
    print(f"{'answers held at a budget of':38}", *(f"{budget:>7,}" for budget in arguments.budget), "  CPU s", sep="")

    def row(label: str, scorer: Relevance | None = None, weight: float = 0, **chosen: Any) -> None:
        relevance.NEIGHBOUR = weight
        start = time.process_time()
        shares = [share_held(conversations, budget, scorer, chosen) for budget in arguments.budget]
        print(f"{label:38}", *(f"{s:7.3f}" for s in shares), f"{time.process_time() - start:7.1f}", sep="")

    row("fifo", pruner="fifo")
    row("relevance, the last 20 user messages", BM25(), relevance.NEIGHBOUR, policy="lastN", length=20)
    row("relevance, plain words", Plain())
    for weight in WEIGHTS:
        row(f"  stems, neighbours × {weight}", BM25(), weight)


def share_held(
    conversations: Iterable[Conversation], budget: int, scorer: Relevance | None, chosen: Mapping[str, Any]
) -> float:
    settings = Settings(**{"policy": "all", "pruner": "relevance", "budget": budget, **chosen})
    held = [answers(c, settings, scorer) for c in conversations]
    return sum(kept.kept for kept in held) / max(1, sum(kept.total for kept in held))


def answers(conversation: Conversation, settings: Settings, scorer: Relevance | None) -> Kept:
    instruments = replace(open_instruments(settings), relevance=scorer)
    found = retention(replay(conversation, settings, instruments=instruments))
    return found.kept["evidence" if conversation.metadata.get("evidence") else "link"]


# -- conversations with gold evidence


def generated(name: str) -> list[Conversation]:
    return [generate(name, seed=seed) for seed in SEEDS]


def read(paths: Sequence[Path]) -> Iterator[Conversation]:
    for path in paths:
        for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
            yield from (c for c in _conversations(file) if c.metadata.get("evidence"))


def _conversations(file: Path) -> Iterator[Conversation]:
    records = json.loads(file.read_text()) if file.suffix == ".json" else None
    if isinstance(records, list) and records and "qa" in records[0]:
        yield from map(locomo, records)
        return
    try:
        yield from load(str(file))
    except HistoryLabError as error:
        print(f"{file}: {error}")


def locomo(record: Mapping[str, Any]) -> Conversation:
    """A LoCoMo record: two people, one as user and one as assistant, and the questions asked after everything."""
    said = record["conversation"]
    sessions = sorted(
        (key for key in said if key.startswith("session_") and key[8:].isdigit()), key=lambda k: int(k[8:])
    )
    messages = [
        Message("user" if turn["speaker"] == said["speaker_a"] else "assistant", turn["text"], turn["dia_id"])
        for session in sessions
        for turn in said[session]
    ]
    gold = [
        {"question": asked["question"], "messages": asked["evidence"]}
        for asked in record["qa"]
        if asked.get("evidence") and asked.get("category") != ADVERSARIAL
    ]
    return Conversation(messages, str(record.get("sample_id", "")), {"evidence": gold})


def half_of(conversation: Conversation) -> str:
    return "report" if int(conversation.digest[:8], 16) % 2 else "develop"


if __name__ == "__main__":
    np.seterr(all="raise")
    main()
