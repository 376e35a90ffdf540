"""Traces that Langfuse publishes with what its own reader makes of them, if they are on this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from historylab.formats.load import load

FOLDER = Path(os.environ.get("HISTORYLAB_REAL") or "/nowhere") / "kinds" / "langfuse"
ROLES = {"model": "assistant"}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="HISTORYLAB_REAL names no folder with them")


def golden(path: Path):
    for observation in json.loads(path.read_text()).values():
        for side in observation.values():
            yield from side.get("data", ())


def texts_in(content: object) -> list[str]:
    parts = content if isinstance(content, list) else [{"text": content}]
    return [part["text"] for part in parts if isinstance(part.get("text"), str) and part["text"].strip()]


def calls_spelled(text: str) -> list[tuple[str, str]]:
    try:
        return [(call["id"], call["function"]["name"]) for call in json.loads(text)]
    except (ValueError, TypeError, KeyError):
        return []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.chatml.json")), ids=lambda path: path.name.split("-20")[0])
def test_every_text_call_and_result_of_a_golden_is_read(path):
    loaded = load(path.with_name(path.name.replace(".chatml.", ".trace.")))
    messages = [m for c in loaded for m in c]
    calls = {(call.id, call.name) for m in messages for call in m.tool_calls}
    names = {name for _, name in calls}
    for said in golden(path):
        role = said.get("role")
        role = "tool" if role in names else ROLES.get(role, role)
        for text in texts_in(said.get("content")):
            if spelled := calls_spelled(text):
                assert calls >= set(spelled)
            else:
                assert any(text.strip() in m.content and role in (None, m.role) for m in messages), (role, text)
        named = [(call["id"], call["name"]) for call in said.get("tool_calls") or ()]
        assert calls >= {call for call in named if call[0]}
        assert names >= {name for _, name in named}
        if answered := said.get("tool_call_id"):
            assert any(m.tool_call_id == answered for m in messages)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.trace.json")), ids=lambda path: path.name.split("-20")[0])
def test_every_result_answers_a_call_before_it(path):
    for conversation in load(path):
        called = set()
        for message in conversation:
            assert message.role != "tool" or message.tool_call_id in called
            called |= {call.id for call in message.tool_calls}
