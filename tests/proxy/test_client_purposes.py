"""A compaction or a title that a client asks for itself passes whole, and is said; a quoted prompt is nothing new."""

from __future__ import annotations

import json

import httpx2
import pytest
from proxy_process import write_settings
from proxy_server import chat, running_proxy

from historylab import Settings, load
from historylab.conversation.exchange import Exchange
from historylab.recordings.recorder import Recorder
from historylab.recordings.sent_plans import sent_plans
from historylab.stores.base import open_store
from historylab.wording.live import faults_in_words

CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
GEMINI = "/v1beta/models/gemini-3-pro:generateContent"
SAID = [f"message {k}" for k in range(9)]
TALK = chat(*SAID)["messages"]
CONTENTS = [{"role": ("user", "model")[k % 2], "parts": [{"text": text}]} for k, text in enumerate(SAID[:-1])]
CLAUDE = "CRITICAL: Respond with TEXT ONLY. No tools.\n\nYour task is to create a detailed summary of the conversation."
CODEX = "You are performing a CONTEXT CHECKPOINT COMPACTION. Hand over."
SNAPSHOT = "First, reason in your scratchpad. Then, generate the <state_snapshot>."
TITLE = "Generate a concise, sentence-case title for it."
OPENCODE = "You are a title generator. You output ONLY a thread title."
NAMED = {"type": "json_schema", "schema": {"type": "object", "properties": {"title": {"type": "string"}}}}


def user(*texts: str) -> dict:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def claude(*messages: dict, **fields) -> dict:
    return {"model": "claude-opus-4-5", "max_tokens": 9, "messages": [*TALK[:-1], *messages], **fields}


def codex(*items: dict, **fields) -> dict:
    return {"model": "gpt-5.5", "input": [*TALK[:-1], *items], **fields}


REMINDER = "<system-reminder>\nThe list is empty.\n</system-reminder>"
TURN = {"x-codex-turn-metadata": json.dumps({"request_kind": "compaction"})}
ASKED = [
    (MESSAGES, claude(user(CLAUDE)), "compaction"),
    (MESSAGES, claude(user("Go on.", CLAUDE, REMINDER)), "compaction"),
    (MESSAGES, claude(user(CLAUDE), {"role": "system", "content": "Be brief."}), "compaction"),
    (MESSAGES, claude({"role": "user", "content": CLAUDE.partition("\n\n")[2]}), "compaction"),
    (RESPONSES, codex({"role": "user", "content": [{"type": "input_text", "text": CODEX}]}), "compaction"),
    (RESPONSES, codex(client_metadata={"request_kind": "compaction"}), "compaction"),
    (RESPONSES, codex(client_metadata=TURN), "compaction"),
    (RESPONSES, codex({"type": "compaction_trigger"}), "compaction"),
    (CHAT, chat(*SAID, "", CODEX), "compaction"),
    (GEMINI, {"contents": [*CONTENTS, {"role": "user", "parts": [{"text": SNAPSHOT}]}]}, "compaction"),
    (CHAT, {"messages": [{"role": "system", "content": OPENCODE}, *TALK]}, "title"),
    (MESSAGES, claude(TALK[-1], system=f"You name things.\n{TITLE}", output_config={"format": NAMED}), "title"),
]
NOT_ASKED = [
    (MESSAGES, claude(user(f"What does this mean? {CLAUDE}"))),
    (MESSAGES, claude(user(CLAUDE.partition("\n")[0]))),
    (MESSAGES, claude(user(CLAUDE), {"role": "assistant", "content": "Done."}, user("Thanks."))),
    (CHAT, chat(*SAID[:-1], CODEX, "As you say.", "Go on.")),
    (RESPONSES, codex(client_metadata={"request_kind": "turn", "note": '{"request_kind": 7}', "broken": "{"})),
    (MESSAGES, claude(TALK[-1], system=f"Never do this: {TITLE}", output_config={"format": NAMED})),
    (MESSAGES, claude(TALK[-1], system=TITLE, output_config=7)),
]


@pytest.mark.parametrize(("path", "body", "purpose"), ASKED)
def test_what_a_client_asks_for_itself_passes_as_it_came(client, upstream, path, body, purpose):
    sent = json.dumps(body, indent=1).encode()
    headers = client.post(path, content=sent).headers
    assert headers["historylab-untrimmed"] == purpose and "historylab-decisions" not in headers
    assert upstream.bytes == [sent]


@pytest.mark.parametrize(("path", "body"), NOT_ASKED)
def test_what_only_quotes_such_a_prompt_is_cut_as_ever(client, upstream, path, body):
    assert "historylab-untrimmed" not in client.post(path, json=body).headers
    assert len(upstream.requests[0].get("messages") or upstream.requests[0]["input"]) < len(TALK) - 1


def test_a_tools_result_that_quotes_such_a_prompt_is_cut_as_ever(client, upstream):
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": CLAUDE}]}
    assert "historylab-untrimmed" not in client.post(MESSAGES, json=claude(TALK[-1], call, result)).headers
    assert len(upstream.requests[0]["messages"]) == 5


def test_the_upstreams_own_error_passes_where_it_is_too_long(client, upstream):
    upstream.behaviours = [lambda handler: handler.send(400, '{"error": "prompt is too long"}')]
    answer = client.post(MESSAGES, json=claude(user(CLAUDE)))
    assert (answer.status_code, answer.json()) == (400, {"error": "prompt is too long"})


def test_under_a_filter_it_is_filtered_and_not_cut(upstream, tmp_path):
    hiding = Settings(filter="newest", policy="lastN", length=1, **{"filter.newest.messages": 4})
    file = write_settings(tmp_path / "settings.json", hiding)
    with running_proxy(upstream.url, file) as proxy:
        headers = httpx2.post(f"{proxy.url}{MESSAGES}", json=claude(user(CLAUDE))).headers
    assert headers["historylab-untrimmed"] == "compaction" and headers["historylab-decisions"] == "D5K4"
    assert [item["content"] for item in upstream.requests[0]["messages"]][1:3] == SAID[5:7]


def test_a_header_says_how_much_context_of_a_coding_agent_stays(client, upstream):
    rules = user("# AGENTS.md instructions for /srv/x\n\n<INSTRUCTIONS>\nTabs.\n</INSTRUCTIONS>")
    assert client.post(MESSAGES, json=claude(TALK[-1])).headers.get("historylab-pinned") is None
    body = claude(TALK[-1])
    body["messages"][:0] = [rules, {"role": "assistant", "content": "Aye."}]
    assert client.post(MESSAGES, json=body).headers["historylab-pinned"] == "agent_context=1"
    assert upstream.requests[1]["messages"][0]["content"][0] == rules["content"][0]


def asked_on_record(upstream, settings, folder, texts):
    """The conversations on record where each of these texts is asked after what was said, compactions aside."""
    file, answer = folder / "r.db", {"role": "assistant", "content": "hello there"}
    store = open_store(f"sqlite:///{file}")
    recorder, talk = Recorder(store), []
    with running_proxy(upstream.url, settings, recorder=recorder) as proxy:
        for text in texts:
            asked = [*talk, {"role": "user", "content": text}]
            httpx2.post(f"{proxy.url}{CHAT}", json={"model": "gpt-5.5", "messages": asked})
            talk = talk if text == CODEX else [*asked, answer]
    recorder.close()
    store.close()
    return load(file)


def test_on_record_it_neither_tears_nor_mixes_its_conversation(upstream, settings, tmp_path):
    found = asked_on_record(upstream, settings, tmp_path, [*SAID[:2], CODEX, SAID[2], CODEX, SAID[3]])
    assert [[m.content for m in c if m.role == "user"] for c in found] == [SAID[:4]]


@pytest.mark.parametrize("hidden", ["", "newest"])
def test_the_screen_shows_it_as_it_was_sent(upstream, tmp_path, hidden):
    hiding = {"filter": hidden, "filter.newest.messages": 3} if hidden else {}
    file = write_settings(tmp_path / "settings.json", Settings(policy="lastN", length=1, **hiding))
    (found,) = asked_on_record(upstream, file, tmp_path, [*SAID[:3], CODEX])
    plans = sent_plans(found).timeline.plans
    assert [plan.sketch() for plan in plans] == ["K", "DDK", "DDDDK", "DDDDKKK" if hidden else "KKKKKKK"]


def test_live_says_that_it_went_whole_and_calls_it_no_fault():
    ended = "2026-11-26T10:00:00+00:00"
    (said,) = faults_in_words([Exchange(ended=ended, mode="trim", untrimmed="compaction"), Exchange(ended=ended)])
    assert said.startswith("1 of 2 requests went whole for the client's own use: at ") and "(compaction)" in said
