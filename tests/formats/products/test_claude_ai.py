"""Claude.ai's export: what repeats what, what is attached, which branch was newest."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

ROOT = "00000000-0000-4000-8000-000000000000"


def said(sender: str, *content, key="", after: str | None = None, **more) -> dict:
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    words = "\n".join(block.get("text", "") for block in blocks)
    record = {"uuid": key or words, "sender": sender, "text": words, "content": blocks, **more}
    return record if after is None else {**record, "parent_message_uuid": after}


def exported(*messages, **more):
    return load(json.dumps([{"uuid": "c", "name": "T", "chat_messages": list(messages), **more}]).encode())


def lines_of(conversation) -> list[str]:
    return [f"{m.role[0]} {m.content}" for m in conversation]


def call(name="search", **more) -> dict:
    return {"type": "tool_use", "name": name, "input": {"q": "x"}, "message": "Searching", "icon_name": "globe", **more}


def result(content, **more) -> dict:
    return {"type": "tool_result", "name": "search", "content": content, "structured_content": None, **more}


def test_content_is_read_and_the_text_that_repeats_it_is_not():
    (conversation,) = loaded = exported(said("human", "Hello."), said("assistant", "Hi.", start_timestamp="x"))
    assert (conversation.title, lines_of(conversation)) == ("T", ["u Hello.", "a Hi."])
    assert list(loaded.report.warnings) == ["a field 'start_timestamp' not read"]


@pytest.mark.parametrize("content", [[], None, [{"type": "text", "text": ""}]])
def test_the_text_is_read_where_the_content_says_nothing(content):
    (conversation,) = exported({"uuid": "a", "sender": "human", "text": "Hello.", "content": content})
    assert lines_of(conversation) == ["u Hello."]


def test_calls_and_results_within_a_turn_become_messages_of_their_own():
    page = {"type": "knowledge", "title": "Page", "url": "http://x", "text": "Found.", "metadata": {}}
    blocks = [call(id="c1"), result([page], tool_use_id="c1"), "Found it.", call(id="c2")]
    last = result([{"type": "text", "text": "no"}], tool_use_id="c2", is_error=True)
    (conversation,) = loaded = exported(said("human", "Look."), said("assistant", "I look.", *blocks, last))
    assert lines_of(conversation) == ["u Look.", "a I look.", "t Page\nhttp://x\nFound.", "a Found it.", "t no"]
    assert [len(m.tool_calls) for m in conversation] == [0, 1, 0, 1, 0]
    assert conversation[4].metadata == {"is_error": True}
    assert len({m.id for m in conversation}) == len(conversation)
    assert conversation.columns.clean
    assert loaded.report.remarks == 0


def test_calls_without_ids_get_their_results_in_order():
    blocks = [call("one"), call("two"), result("1"), result("2")]
    (conversation,) = exported(said("human", "Look."), said("assistant", *blocks, key="m"))
    ids = [c.id for c in conversation[1].tool_calls]
    assert [m.tool_call_id for m in conversation[2:]] == ids
    assert len(set(ids)) == 2


def test_thinking_is_kept_beside_the_reply():
    thought = {"type": "thinking", "thinking": "Hmm.", "summaries": [{"summary": "Thinking"}], "cut_off": False}
    (conversation,) = loaded = exported(
        said("human", "Why?"), said("assistant", thought, "So."), said("assistant", thought)
    )
    assert lines_of(conversation) == ["u Why?", "a So."]
    assert conversation[1].metadata["thinking"] == "Hmm."
    assert list(loaded.report.warnings) == ["a reply of nothing but thinking, which isn't sent again"]


def test_the_text_of_attachments_is_sent_and_files_are_media():
    attached = [{"file_name": "a.txt", "extracted_content": "Inside."}, {"file_name": "b.bin", "extracted_content": ""}]
    files = [
        {"file_name": "c.PNG", "file_uuid": "1"},
        {"file_name": "d.pdf", "file_uuid": "2", "file_kind": "document"},
    ]
    (conversation,) = exported(said("human", "Read.", attachments=attached, files=files, files_v2=files[:1]))
    assert lines_of(conversation) == ["u Read.\nInside."]
    assert conversation[0].media == ("file", "image", "file")
    assert conversation[0].metadata["attachments"] == ["a.txt", "b.bin", "c.PNG", "d.pdf"]


def test_a_message_of_files_alone_is_read():
    (conversation,) = loaded = exported(said("human", files=[{"file_name": "c.png"}], key="m"))
    assert (conversation[0].content, conversation[0].media) == ("", ("image",))
    assert loaded.report.remarks == 0


def branched(**more):
    return exported(
        said("human", "One.", key="a", after=ROOT),
        said("assistant", "Old.", key="b", after="a", created_at="2026-01-01T10:00:00Z"),
        said("assistant", "New.", key="c", after="a", created_at="2026-01-01T12:00:00Z"),
        said("human", "Further.", key="d", after="b", created_at="2026-01-01T11:00:00Z"),
        **more,
    )


@pytest.mark.parametrize("unknown", [ROOT, "deleted"])
def test_a_file_may_have_its_newest_message_first(unknown):
    told = [
        said("assistant", "Later.", key="d", after="c", created_at="2026-01-02T10:01:00Z"),
        said("human", "Again?", key="c", after=unknown, created_at="2026-01-02T10:00:00Z"),
        said("assistant", "Hello!", key="b", after="a", created_at="2026-01-01T10:01:00Z"),
        said("human", "Hi.", key="a", after=ROOT, created_at="2026-01-01T10:00:00Z"),
    ]
    (conversation,) = exported(*told)
    assert lines_of(conversation) == ["u Again?", "a Later."]
    assert [lines_of(branch) for branch in conversation.branches] == [["u Hi.", "a Hello!"]]


def test_the_newest_branch_is_the_conversation_and_the_others_are_offered():
    (conversation,) = loaded = branched()
    assert lines_of(conversation) == ["u One.", "a New."]
    (branch,) = conversation.branches
    assert (branch.title, lines_of(branch)) == ("from message 2: Old.", ["u One.", "a Old.", "u Further."])
    assert branch[0] is conversation[0]
    assert (loaded.report.records, loaded.report.remarks) == (4, 0)


def test_the_leaf_the_file_names_as_current_is_followed():
    assert lines_of(branched(current_leaf_message_uuid="d")[0]) == ["u One.", "a Old.", "u Further."]


def test_branches_beyond_the_twentieth_are_counted_from_the_first_in_the_file_on():
    loaded = exported(*(said("human", f"{k}", after=ROOT, created_at=f"2026-01-01T10:{k}:00Z") for k in range(10, 40)))
    older = loaded.report.skipped["a message on a branch older than those offered"]
    assert (older.count, older.first) == (9, "[0] chat_messages[0]")


def test_messages_without_parents_follow_each_other_whatever_their_times():
    messages = [said("human", "One.", created_at="2026-01-02T10:00:00Z"), said("assistant", "Two.", created_at=None)]
    assert lines_of(exported(*messages, said("human", "Three.", created_at="2026-01-01T10:00:00Z"))[0]) == [
        "u One.",
        "a Two.",
        "u Three.",
    ]


def test_model_and_provider_are_recorded_and_the_account_is_not():
    (conversation,) = loaded = exported(
        said("human", "Hi."), model="claude-opus-4-5", account={"uuid": "me"}, project={"a": 1}
    )
    assert (conversation.recorded.model, conversation.recorded.provider) == ("claude-opus-4-5", "anthropic")
    assert "me" not in conversation.metadata.values()
    assert list(loaded.report.kept) == ["project"]


def test_projects_and_what_else_is_no_conversation_are_counted():
    project = {"uuid": "p", "name": "Garden", "prompt_template": "", "docs": []}
    talk = {"name": "T", "chat_messages": [said("human", "Hi."), said("human", "Hi."), 5]}
    loaded = load(json.dumps([talk, project, {"uuid": "u", "full_name": "Iris"}]).encode())
    assert {why: t.first for why, t in loaded.report.skipped.items()} == {
        "a message with the uuid of one before it": "[0] chat_messages[1]",
        "a number, no message": "[0] chat_messages[2]",
        "a project: its documents are no conversation": "[1]",
        "an object without chat_messages": "[2]",
    }


def test_what_is_not_read_of_a_message_is_named_and_its_text_taken_instead():
    (conversation,) = loaded = exported({**said("human", {"type": "text", "TEXT": "x"}, key="a"), "text": "Hello."})
    assert lines_of(conversation) == ["u Hello."]
    page = {"type": "knowledge", "title": "Page", "text": ["no text"]}
    more = exported(said("assistant", call(id="c"), result([page], tool_use_id="c")), said("human", "Bare."))
    assert list(loaded.report.warnings) == ["a field 'TEXT' not read"]
    assert list(more.report.warnings) == ["a part of type 'knowledge' not read"]


def test_other_chat_messages_are_not_claimed():
    for value in ({"chat_messages": {}}, {"chat_messages": [{"role": "user", "content": "x"}]}):
        assert "claude_ai" not in match_strengths(Content(json.dumps(value).encode()))
