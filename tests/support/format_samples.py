"""The samples of every format: files in tests/formats/samples/NAME, and what each loads into (expected.json there).

SQLite, Parquet and other binary samples are made by the functions in binary_samples.py, named NAME__FILE.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import binary_samples

from historylab.conversation.conversation import Conversation
from historylab.formats.load import Conversations

GOLDEN = "expected.json"
OTHER_KINDS = ("5", '"x"', "[]", "{}", "null", "true", '[{"type": "text", "text": 5}]', '{"a": [1]}', "[[]]", "1e300")
MADE = {name: make for name, make in vars(binary_samples).items() if "__" in name.strip("_")}


@dataclass(frozen=True)
class FormatSample:
    """One file: the member it is of, its name and its bytes."""

    member: str
    name: str
    data: bytes

    def __str__(self) -> str:
        return f"{self.member}/{self.name}"


def format_samples(folder: Path) -> Iterator[FormatSample]:
    """Every sample of every format."""
    for file in sorted(folder.glob("*/*")):
        if file.name != GOLDEN:
            yield FormatSample(file.parent.name, file.name, file.read_bytes())
    for name, make in MADE.items():
        member, _, stem = name.partition("__")
        yield FormatSample(member, stem.replace("_db", ".db").replace("_parquet", ".parquet"), make())


def expected(folder: Path, member: str) -> dict[str, Any]:
    """File name → what it loaded into before."""
    file = folder / member / GOLDEN
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def outcome(loaded: Conversations) -> dict[str, Any]:
    """What a file loaded into, briefly: the report, and each conversation with what it says of its recording."""
    return {"report": str(loaded.report), "conversations": [_conversation(c) for c in loaded]}


def _conversation(conversation: Conversation) -> dict[str, Any]:
    recorded = conversation.recorded
    usage = [u for u in recorded.usage if u]
    said = {
        "model": recorded.model,
        "provider": recorded.provider,
        "tools": recorded.tools.count,
        "usage": len(usage),
        "tokens": sum(u.input + u.output + u.cache_reads + u.cache_writes for u in usage),
        "thinking": sum("thinking" in m.metadata for m in conversation),
        "times": sum(m.timestamp is not None for m in conversation),
        "branches": [f"{branch.title}: {sketch(branch)}" for branch in conversation.branches],
    }
    about = {"title": conversation.title, "roles": sketch(conversation), "digest": conversation.digest}
    return about | {key: value for key, value in said.items() if value}


def sketch(conversation: Conversation) -> str:
    """Initials of the roles, calls in brackets: "s u a(2)tt a"."""
    return "".join(m.role[0] + (f"({len(m.tool_calls)})" if m.tool_calls else "") for m in conversation)


def as_golden(name: str, found: dict[str, Any]) -> str:
    """The entry as expected.json has it."""
    return json.dumps({name: found}, ensure_ascii=False, indent=2)


def damages(data: bytes, tries: int = 4) -> Iterator[bytes]:
    """The bytes cut short, and with bytes changed, the same in every run."""
    chance = random.Random(len(data))
    for _ in range(tries):
        changed = bytearray(data[: chance.randrange(len(data) // 2, len(data))] if chance.random() < 0.5 else data)
        for _ in range(chance.randrange(1, 6)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        yield bytes(changed)


def retypings(data: bytes, tries: int = 5) -> Iterator[bytes]:
    """JSON or lines of it with values of other kinds in some places, the same in every run; nothing for other data."""
    try:
        values = [json.loads(line) for line in data.splitlines() if line.strip()]
    except ValueError:
        try:
            values = [json.loads(data)]
        except ValueError:
            return
    chance = random.Random(len(data))
    for _ in range(tries):
        changed = json.loads(json.dumps(values))
        for _ in range(chance.randrange(1, 4)):
            holder: Any = changed
            key: Any = chance.randrange(len(changed))
            while isinstance(holder[key], dict | list) and holder[key] and chance.random() < 0.8:
                holder = holder[key]
                key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            holder[key] = json.loads(chance.choice(OTHER_KINDS))
        yield "\n".join(map(json.dumps, changed)).encode()


if __name__ == "__main__":  # python tests/support/format_samples.py NAME: write what its samples load into now
    import sys

    from historylab.formats.load import load

    folder = Path(__file__).parent.parent / "formats" / "samples"
    found = {f.name: outcome(load(f.data, name=f.name)) for f in format_samples(folder) if f.member == sys.argv[1]}
    text = json.dumps(found, ensure_ascii=False, indent=2)
    (folder / sys.argv[1] / GOLDEN).write_text(text + "\n", encoding="utf-8")
