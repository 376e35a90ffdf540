"""Sentences with a number, sampled over conversations and random settings, each computed again from new plans.

    python benchmarks/attacks/sentences.py [--sentences N] [--seed N] [FOLDER …]

Conversations are the samples, generated ones, and those of the transcripts in the folders. Prints how many sentences of
each kind were checked and how many were untrue, and every untrue one with the settings under which it was said.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.formats.load import load
from historylab.formats.samples import load_sample, samples
from historylab.generators.base import generate
from historylab.planning.replay import Timeline, replay
from historylab.settings.model import Settings

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
import true_sentences as true
from conversation_strategies import ASKS_OTHERS
from setting_values import values

LONGEST = 400  # messages of a conversation
CHOICES = (*registry.STAGE_FAMILIES, "summarizer", "layout", "projection")


def conversations(folders: list[Path], seed: int) -> list[Conversation]:
    found = [c for name in samples() for c in load_sample(name)]
    found += [generate(name, seed=seed + k) for name in registry.members("generator") for k in range(3)]
    for path in sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in {".json", ".jsonl", ".traj"}):
        try:
            found += list(load(path))[:3]
        except HistoryLabError:
            continue
    return [Conversation(c.messages[:LONGEST], c.title, c.metadata) for c in found if len(c)]


def random_settings(chance: random.Random, tokens: int) -> Settings:
    """Some members of some families with some of their options, and a budget up to the conversation's size."""
    changes: dict[str, object] = {
        "policy": chance.choice(["all", "all", "lastN", "none"]),
        "length": chance.choice([1, 3, 10]),
        "budget": chance.randint(20, max(50, tokens)),
        "min_turns": chance.choice([0, 0, 0, 1, 4]),
        "reserve": chance.choice([0, 0, 100]),
        "window": max(100, tokens),
    }
    for family in CHOICES:
        if family == "policy" or (family != "pruner" and chance.random() < 0.75):
            continue
        member = chance.choice([m for m in registry.members(family).values() if (family, m.name) not in ASKS_OTHERS])
        changes[family] = member.name
        for option in member.options:
            if chance.random() < 0.4:
                name = f"{family}.{member.name}.{option.name}"
                changes[name] = chance.choice(values(name))
    return Settings(**changes)


def check(timeline: Timeline, chance: random.Random) -> Iterator[tuple[str, list[str]]]:
    """Sentences of one timeline: their kind, and what is untrue of each."""
    yield "refused requests", list(true.untrue_refusals(timeline))
    for request in chance.sample(range(len(timeline.plans)), min(3, len(timeline.plans))):
        yield "verdict", list(true.untrue_verdict(timeline, request))
        if timeline.plans[request].over_budget:
            yield "over budget", list(true.untrue_over_budget(timeline, request))
        size = timeline.plans[request].size
        for message in chance.sample(range(size), min(4, size)):
            answer = timeline.explain(request, message)
            yield "since", list(true.untrue_since(timeline, request, message, answer))
            if answer.undo and any(not isinstance(v, bool | str) for v in answer.undo.values()):
                yield "sent if", list(true.untrue_undo(timeline, request, message, answer))
            if answer.explanation.numbers and true.numbers_in(answer.explanation.sentence):
                yield "reason", list(true.untrue_reason(timeline, request, message))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", nargs="*", type=Path)
    arguments.add_argument("--sentences", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    chance, said, untrue = random.Random(given.seed), Counter[str](), Counter[str]()
    pool = conversations(given.folders, given.seed)
    while said.total() < given.sentences:
        conversation = chance.choice(pool)
        tokens = sum(len(m.content) for m in conversation) // 4
        try:
            timeline = replay(conversation, random_settings(chance, tokens))
        except HistoryLabError:  # a combination that is refused
            continue
        if not timeline.plans:
            continue
        for kind, faults in check(timeline, chance):
            said[kind] += 1
            untrue[kind] += bool(faults)
            for fault in faults[:1]:
                changes = {n: v for n, v in timeline.settings.values().items() if v != Settings().value(n)}
                print(f"UNTRUE {kind}: {fault}\n  {conversation.title!r} under {changes}")
    for kind, count in sorted(said.items()):
        print(f"{kind:20} {count:6,} sentences, {untrue[kind]:4,} untrue")
    print(f"{'all':20} {said.total():6,} sentences, {untrue.total():4,} untrue, on {len(pool):,} conversations")


if __name__ == "__main__":
    main()
