"""Random settings on samples, generated, damaged and real conversations: does what is sent keep every promise?

    python benchmarks/attacks/settings.py [FOLDER] [--settings 500] [--conversations 40] [--seed 0]

Under each settings a few requests of each conversation are looked at as an application sends them. Counted are
requests with a tool result or a call left alone, an untrue token count, an overrun that isn't said, somebody's text in
the system's role, other messages from `trim()` than on screen, and changed or shared objects of the caller's; and, in a
loop in which the trimmed list takes the history's place, more than one summary. The first of each kind is shown.
"""

from __future__ import annotations

import argparse
import copy
import json
import logging
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from historylab import Conversation, Message, Settings, generate, load, replay, trim
from historylab.errors import LoadError, SettingsError
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.formats.samples import load_sample, samples
from historylab.planning.pipeline import open_instruments, plan_history
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.returned import read_summary
from historylab.registry import members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import stage_options

LONGEST = 90  # messages of a conversation
REQUESTS = 3  # looked at, of each conversation under each settings
LOOPS = 20  # one pair of settings and conversation in so many is played as a loop
NUMBERS = {
    "length": (0, 1, 3, 50),
    "budget": (0, 100, 400, 1500, 100_000),
    "reserve": (0, 0, 50),
    "overhead": (0, 0, 30),
    "min_turns": (0, 0, 1, 3),
    "threshold": (0.02, 0.3, 1.0),
    "window": (300, 2000, 100_000),
    "preserve_system_messages": (True, True, False),
    "counter": ("chars/4", "chars/4", "exact"),
    "summary_heading": ("[Summary of {n} earlier messages]", "Before, in short:", "({n}) [a-z]*"),
}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lG"}}


def random_settings(dice: random.Random) -> Settings:
    """Any member of every family with any of its options; no model is asked."""
    chosen: dict[str, Any] = {name: dice.choice(values) for name, values in NUMBERS.items()}
    for family in FIELDS_THAT_CHOOSE:
        names = [name for name, m in members(family).items() if not m.attributes.get("asks")]
        if family not in ("counter", "model"):
            chosen[family] = "off" if "off" in names and dice.random() < 0.4 else dice.choice(names)
    for name, option in stage_options().items():
        if chosen.get(name.split(".")[0]) == name.split(".")[1] and dice.random() < 0.5:
            chosen[name] = dice.choice(values_of(option))
    try:
        return Settings(**chosen)
    except SettingsError:
        return random_settings(dice)


def values_of(option: Any) -> list[Any]:
    low, high = option.schema.get("minimum", 0), option.schema.get("maximum", 1)
    kind = option.schema.get("type")
    if "enum" in option.schema:
        return list(option.schema["enum"])
    numbers = {"integer": [1, 2, 5, 20, 200], "number": [0.05, 0.3, 0.8, 1.0], "boolean": [True, False]}
    found = [value for value in numbers.get(str(kind), ["", "ann", "moss"]) if kind == "string" or low <= value <= high]
    return found or [option.default]


def conversations(folder: Path | None, wanted: int, dice: random.Random) -> Iterator[list[dict[str, Any]]]:
    """Records of chats: real ones if there are any, samples, generated ones, and damaged copies of all of those."""
    whole = [*real(folder), *(c for name in samples() for c in load_sample(name))]
    whole += [generate(name, turns=12, seed=seed) for name in members("generator") for seed in range(3)]
    dice.shuffle(whole)
    sound = [in_turn for in_turn in map(records_of_chat, whole) if len(in_turn) > 3]
    yield from sound[: wanted // 2]
    yield from (damaged(dice.choice(sound), dice) for _ in range(wanted - len(sound[: wanted // 2])))


def real(folder: Path | None) -> Iterator[Conversation]:
    for path in sorted(folder.rglob("*")) if folder else []:
        if path.is_file() and path.stat().st_size < 3_000_000:
            try:
                yield from load(path)[:2]
            except LoadError:
                continue


def records_of_chat(conversation: Conversation) -> list[dict[str, Any]]:
    named = [replace(m, name=m.name or m.metadata.get("participant")) for m in conversation[:LONGEST]]
    return [to_record(message) for message in named]


def damaged(records: list[dict[str, Any]], dice: random.Random) -> list[dict[str, Any]]:
    """A copy with messages lost, doubled, moved, in another role, or with a picture."""
    records = copy.deepcopy(records)
    for _ in range(dice.randint(1, 8)):
        at, to = dice.randrange(len(records)), dice.randrange(len(records))
        match dice.choice(("lose", "double", "move", "system", "picture", "empty")):
            case "lose" if len(records) > 4:
                del records[at]
            case "double":
                records.insert(to, copy.deepcopy(records[at]))
            case "move":
                records.insert(to, records.pop(at))
            case "system":
                records.insert(at, {"role": "system", "content": f"Update {at}."})
            case "picture" if isinstance(records[at].get("content"), str):
                records[at]["content"] = [{"type": "text", "text": records[at]["content"]}, copy.deepcopy(PICTURE)]
            case "empty":
                records[at]["content"] = ""
    return records


class Found(Counter[str]):
    """How often each promise was broken, and the first case of each."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, str] = {}

    def note(self, what: str, broken: bool, case: str) -> None:
        if broken:
            self[what] += 1
            self.first.setdefault(what, case)


def sent_of(plan: HistoryPlan) -> list[Any]:
    return [to_record(m) if m.source is None else m.source for m in plan.render()]


def look(records: list[dict[str, Any]], settings: Settings, dice: random.Random, found: Found, case: str) -> int:
    """Check a few requests; how many."""
    before = json.dumps(records)
    given = Conversation(to_messages(records))
    shown = {plan.size: plan for plan in replay(given, settings).plans}
    instruments = open_instruments(settings)
    sizes = given.columns.requests.tolist()
    for size in dice.sample(sizes, min(REQUESTS, len(sizes))):
        now = plan_history(Conversation(given[:size]), settings, instruments=instruments)
        sent = trim(records[:size], settings)
        check_request(sent, records, now, found, f"{case}, {size} messages")
        on_screen = shown.get(now.size)
        found.note("not what the screen shows", on_screen is not None and sent_of(on_screen) != sent, case)
    found.note("the caller's objects changed", json.dumps(records) != before, case)
    return min(REQUESTS, len(sizes))


def check_request(sent: list[Any], records: list[dict[str, Any]], plan: HistoryPlan, found: Found, case: str) -> None:
    counter, read = plan.history.counter, to_messages(sent)
    tokens = int(counter.count(read).sum()) + counter.per_request
    found.note("calls and results that don't match", unmatched(read), case)
    found.note("an untrue token count", tokens != plan.tokens, case)
    found.note("over the budget unsaid", (tokens > plan.budget) != plan.over_budget, case)
    said = {m.content for m in to_messages(records) if m.role == "system"} | (
        {plan.summary.text} if plan.summary else set()
    )
    found.note("text in the system's role", any(m.role == "system" and m.content not in said for m in read), case)
    own = {id(record) for record in records}
    shared = {id(x) for record in records for x in nested(record)}
    new = [record for record in sent if id(record) not in own]
    found.note("nested objects shared", any(id(x) in shared for record in new for x in nested(record)), case)


def unmatched(messages: list[Message]) -> bool:
    """Whether a result follows no call of its own, or a call that isn't the last lacks results."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                return True
            waiting.remove(message.tool_call_id)
        elif waiting:
            return True
        else:
            waiting = [call.id for call in message.tool_calls]
    return False


def nested(value: Any) -> Iterator[Any]:
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(inner, dict | list):
            yield inner
            yield from nested(inner)


def loop(records: list[dict[str, Any]], settings: Settings, found: Found, case: str) -> int:
    """`messages = trim(messages)` at every request; how many there were."""
    kept, known = list[Any](), 0
    sizes = Conversation(to_messages(records)).columns.requests.tolist()
    systems = sum(m.role == "system" for m in to_messages(records))
    for size in sizes:
        kept = json.loads(json.dumps(trim([*kept, *records[known:size]], settings)))
        known, read = size, to_messages(kept)
        ours = [m for m in read if read_summary(m, settings.summary_heading)]
        folds = "summarizer" in {n for f in ("pruner", "compaction") for n in members(f)[getattr(settings, f)].reads}
        found.note("in a loop: more than one summary", folds and len(ours) > 1, case)
        found.note("in a loop: system messages grow", sum(m.role == "system" for m in read) > systems + 1, case)
        found.note("in a loop: calls and results that don't match", unmatched(read), case)
    return len(sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="real transcripts; every file that can be read takes part")
    parser.add_argument("--settings", type=int, default=500)
    parser.add_argument("--conversations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    logging.getLogger("historylab").setLevel(logging.CRITICAL)
    dice, found, looked, looped = random.Random(arguments.seed), Found(), 0, 0
    chats = list(conversations(arguments.folder, arguments.conversations, dice))
    for number in range(arguments.settings):
        settings = random_settings(dice)
        for which, records in enumerate(chats):
            case = f"settings {number} ({settings!r}), conversation {which}"
            try:
                looked += look(records, settings, dice, found, case)
                if dice.randrange(LOOPS) == 0:
                    looped += loop(records, settings, found, case)
            except Exception as problem:  # any error of ours is a finding
                found.note(f"{type(problem).__name__}: {problem}"[:120], True, case)
    print(
        f"{arguments.settings:,} settings × {len(chats)} conversations: {looked:,} requests, {looped:,} more in loops"
    )
    for what, count in found.most_common():
        print(f"  {count:,} × {what}\n      first: {found.first[what]}")
    if not found:
        print("  nothing found")


if __name__ == "__main__":
    main()
