"""Transcripts other people published, if they are on this machine: HISTORYLAB_REAL names their folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from historylab.errors import LoadError
from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

FOLDER = os.environ.get("HISTORYLAB_REAL", "")  # read now: tests run without HISTORYLAB_ variables


@dataclass(frozen=True)
class Known:
    """A published file: the member that reads it, and the counts its publisher's table states.

    `messages` are per conversation; `calls`, `users` and `replies` of all of them together; None where not stated.
    """

    path: str
    member: str
    messages: tuple[int, ...]
    calls: int | None = None
    users: int | None = None
    replies: int | None = None
    branches: int = 0
    usage: int | None = None


TAU = (58, 62, 12, 28, 32, 10, 46, 62, 12, 30, 42, 12)
SHAREGPT = (4, 2, 6) * 6 + (4, 2)
OPENHANDS = "openhands-sdk/litellm_proxy__"

FILES = (
    Known("claude-code-log/37f83ec9-f2ea-42a9-925e-0d5c105cb6e8.jsonl", "claude_code", (214,), 101, 8, 105, usage=105),
    Known("claude-code-log/7acd37a8-2745-4b58-a8a9-46164b22ad9e.jsonl", "claude_code", (115,), 71, 8, 36, usage=36),
    Known("claude-code-log/dag_fork.jsonl", "claude_code", (6,), 0, 4, 2, branches=1),
    Known("claude-code-log/edge_cases.jsonl", "claude_code", (11, 1), 3, 7, 4),
    Known("claude-code-log/sidechain.jsonl", "claude_code", (1, 5), 3, 1, 4),
    Known("compacted/8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl", "claude_code", (323, 33), 196, 4, 156, usage=156),
    Known("compacted/ae4a77f8-aedd-4bc1-888f-c94edc91af04.jsonl", "claude_code", (466, 16), 254, 8, 220, usage=220),
    Known("claude-code-transcripts/sample_session.json", "claude_code", (33,), 12, 6, 15),
    Known("agentsview/claude/valid_session.jsonl", "claude_code", (4,), 1, 2, 2),
    Known("agentsview/codex/fc_args_1.jsonl", "codex", (2,), 1, 1, 1),
    Known("agentsview/codex/fc_args_2.jsonl", "codex", (2,), 1, 1, 1),
    Known("agentsview/codex/fc_stdin.jsonl", "codex", (2,), 1, 1, 1),
    Known("agentsview/codex/function_calls.jsonl", "codex", (2,), 2, 1, 1),
    Known("agentsview/codex/standard_session.jsonl", "codex", (2,), 0, 1, 1),
    Known("agentsview/gemini/standard_session.json", "gemini_cli", (4,), 0, 2, 2),
    Known("agentsview/gemini/thinking_only.json", "gemini_cli", (2,), 0, 1, 1),
    Known("agentsview/gemini/tool_calls.json", "gemini_cli", (2,), 1, 1, 1),
    Known("tau-bench/gpt-4o-airline-12.json", "tau_bench", TAU, 106),
    Known("swe-agent/pydicom__pydicom-1458.traj", "swe_agent", (26,)),
    Known("swe-agent/6e44b9__sweagenttestrepo-1c2844.traj", "swe_agent", (10,), 4),
    Known("swe-agent/function_calling_simple.traj", "swe_agent", (12,), 5),
    Known(f"{OPENHANDS}anthropic__claude-sonnet-4-20250514-1757015046.707.json", "openhands", (13,), 6, usage=1),
    Known(f"{OPENHANDS}deepseek__deepseek-chat-1757015062.589.json", "openhands", (5,), 2, usage=1),
    Known("inspect-ai/2025-05-12T20-28-26-04-00_security-guide.json", "inspect", (3, 3, 3)),
    Known("fastchat/dummy_conversation-20.json", "sharegpt", SHAREGPT),
)
SPECSTORY, VCR, CONVERSE = "kinds/specstory/", "kinds/vcr/test_", "kinds/bedrock_vcr/test_"
TEXTS = (
    Known(f"{SPECSTORY}2026-01-16_16-48-38Z-the-code-in-specstory.md", "specstory", (105,), 37, 11, 57),
    Known(f"{SPECSTORY}2026-02-20_22-41-47Z-02-20-26-17.md", "specstory", (247,), 107, 9, 131),
    Known(f"{SPECSTORY}2026-07-01_12-53-16Z-evaluate-the-cursor-ide.md", "specstory", (79,), 32, 3, 44),
    *(
        Known(f"{SPECSTORY}{name}.md", "specstory", (5,), 1, 2, 2)
        for name in ("antigravity", "deepseek", "droid", "gemini")
    ),
    Known(f"{VCR}anthropic_model_thinking_part.yaml", "vcr", (4,), 0, 2, 2, usage=2),
    Known(f"{VCR}groq_model_web_search_tool.yaml", "vcr", (2,), 0, 1, 1, usage=1),
    Known(f"{VCR}tool_use_failed_error.yaml", "vcr", (7,), 2, 1, 3, usage=2),
    Known(f"{VCR}tool_use_failed_error_with_text.yaml", "vcr", (5,), 1, 2, 2, usage=1),
    Known(f"{CONVERSE}nova_converse.yaml", "vcr", (3,), 0, 1, 1, usage=1),
    Known(f"{CONVERSE}anthropic_converse_stream_with_tool_use.yaml", "vcr", (2,), 1, 1, 1, usage=1),
)
EDITORS = (
    Known("kinds/cline/success.messages.json", "cline", (4,), 1, 1, 2, usage=1),
    Known("kinds/cline/basic.compaction.json", "cline", (11,), 0, 5, 5, usage=0),
    Known("kinds/cursor_agent/transcript.jsonl", "cursor_agent", (2,), 0, 1, 1),
)
HISTORY = "kinds/aider/chat-history.md"
NOTICES = "agentsview/gemini/system_messages.json"  # nothing but notices of the program: no message in it

pytestmark = pytest.mark.skipif(not FOLDER, reason="HISTORYLAB_REAL names no folder")
every_file = pytest.mark.parametrize(
    "known", [*FILES, *TEXTS, *EDITORS], ids=lambda known: known.path.rsplit("/", 1)[-1]
)


@every_file
def test_a_published_file_loads_under_its_member_with_the_counts_stated(known):
    loaded = load(Path(FOLDER) / known.path)
    messages = [message for conversation in loaded for message in conversation]
    assert (loaded.report.member, tuple(map(len, loaded))) == (known.member, known.messages)
    found = {
        "calls": sum(len(message.tool_calls) for message in messages),
        "users": sum(message.role == "user" for message in messages),
        "replies": sum(message.role == "assistant" for message in messages),
        "branches": sum(len(conversation.branches) for conversation in loaded),
        "usage": sum("usage" in message.metadata for message in messages),
    }
    stated = {name: getattr(known, name) for name in found}
    assert {name: found[name] for name, count in stated.items() if count is not None} == {
        name: count for name, count in stated.items() if count is not None
    }


@every_file
def test_one_member_is_the_surest_of_a_published_file(known):
    file = Path(FOLDER) / known.path
    claims = match_strengths(Content(file.read_bytes(), file.name))
    others = [sure for name, sure in claims.items() if name != known.member]
    assert claims[known.member] > max(others, default=0)


def test_a_history_of_a_thousand_sessions_has_every_prompt_and_answer():
    loaded = load(Path(FOLDER) / HISTORY)
    messages = [message for conversation in loaded for message in conversation]
    assert (loaded.report.member, len(loaded)) == ("aider", 576)
    assert (len(messages), sum(message.role == "assistant" for message in messages)) == (2535, 915)
    assert sum("usage" in message.metadata for message in messages) == 820


def test_a_session_of_nothing_but_notices_is_refused_under_its_formats_name():
    with pytest.raises(LoadError, match=r"as Gemini CLI: 3 records were left out \(1 × an info row of the program"):
        load(Path(FOLDER) / NOTICES)


def test_every_trial_is_a_conversation_with_its_own_title():
    titles = [conversation.title for conversation in load(Path(FOLDER) / "tau-bench/gpt-4o-airline-12.json")]
    assert len(set(titles)) == len(titles) == 12


def test_every_published_file_is_in_the_table():
    files = [p.relative_to(FOLDER) for p in Path(FOLDER).rglob("*") if p.suffix in {".json", ".jsonl", ".traj"}]
    found = {str(path) for path in files if not {"kinds", "subagents"} & {*path.parts}}
    assert found == {known.path for known in FILES} | {NOTICES}
