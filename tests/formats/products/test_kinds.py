"""Kinds of sessions: what their programs send of what their files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from historylab.formats.load import Conversations, load

SAMPLES = Path(__file__).parents[1] / "samples"


def lines(*records: dict[str, Any]) -> Conversations:
    return load("\n".join(map(json.dumps, records)).encode())


def test_pi_sends_the_commands_a_user_ran_and_what_its_extensions_say():
    (found,) = load(SAMPLES / "pi" / "session.jsonl")
    assert [(m.role, m.content) for m in found if m.injected] == [
        ("user", "ls kites\n17 files"),
        ("user", "The wind is weak."),
        ("user", "The largest was asked for."),
    ]


def test_outputs_of_gptme_are_sent_by_the_system():
    usage = {"usage": {"input_tokens": 9, "output_tokens": 3}}
    asked, answer = {"role": "user", "content": "go"}, {"role": "assistant", "content": "I go.", "metadata": usage}
    records = [
        {**each, "timestamp": "2026-06-13T10:00:00"} for each in (asked, answer, {"role": "tool", "content": "gone"})
    ]
    (found,) = lines(*records)
    assert [m.role for m in found] == ["user", "assistant", "system"]
