"""Claude Code sessions: every trap the real files hold, one by one."""

from __future__ import annotations

import json

import pytest
from claude_sessions import Session, call, lines_of, result, text, usage
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab.errors import LoadError
from historylab.formats.convert import write
from historylab.formats.detect import match_strengths
from historylab.formats.files.content import Content
from historylab.formats.load import load


@pytest.fixture
def session() -> Session:
    return Session()


def test_lines_of_one_reply_are_one_message_and_their_usage_counts_once(session):
    session.put("user", "Look.")
    session.put("assistant", [text("I look.")], reply="m1", usage=usage(1))
    session.put("assistant", [call("Read", "c1", path="a b")], reply="m1", usage=usage(25))
    session.put("user", [result("c1", "found")])
    (conversation,) = loaded = session.load()
    reply = conversation[1]
    assert [m.role for m in conversation] == ["user", "assistant", "tool"]
    assert reply.content == "I look."
    assert [(c.id, c.name, json.loads(c.arguments)) for c in reply.tool_calls] == [("c1", "Read", {"path": "a b"})]
    assert reply.metadata["usage"] == {"input": 4, "output": 25, "cache_reads": 70, "cache_writes": 9}
    assert sum("usage" in m.metadata for m in conversation) == 1
    assert (loaded.report.records, loaded.report.messages, loaded.report.skips) == (4, 3, 0)


def test_parallel_results_are_a_message_each_though_they_hang_on_different_branches(session):
    session.put("user", "Look at both.")
    first = session.put("assistant", [call("Read", "c1")], reply="m1")
    second = session.put("assistant", [call("Read", "c2")], reply="m1")
    session.put("user", [result("c1", "one")], parent=first)
    session.put("user", [result("c2", "two")], parent=second)
    session.put("assistant", [text("Both.")], reply="m2")
    (conversation,) = loaded = session.load()
    assert lines_of(conversation) == ["u Look at both.", "a ", "t one", "t two", "a Both."]
    assert conversation.columns.clean
    assert loaded.report.skips == 0


def test_results_in_one_line_are_split_and_come_before_what_the_user_adds(session):
    session.put("user", "Look.")
    session.put("assistant", [call("Read", "c1"), call("Read", "c2")], reply="m1")
    session.put(
        "user", [text("Hurry."), result("c1", [text("one"), text("more")]), {**result("c2", "no"), "is_error": True}]
    )
    (conversation,) = session.load()
    assert lines_of(conversation)[2:] == ["t one\nmore", "t no", "u Hurry."]
    assert conversation[3].metadata == {"is_error": True}
    assert len({m.id for m in conversation}) == len(conversation)


def test_what_a_record_or_its_frame_marks_as_the_programs_is_injected(session):
    session.put("user", "Look at the lamps.", origin={"kind": "human"}, userType="external")
    session.put("user", "Lamp 7 is done.", origin={"kind": "task-notification"})
    session.put("user", "Go on by yourself.", turnOrigin="hook")
    session.put("user", "For the transcript.", isVisibleInTranscriptOnly=True)
    session.put("user", "Say banana, as the skill has it.", isMeta=True)
    session.put("user", "In short: lamps.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    session.put("user", "<local-command-stdout>Set model to lamp</local-command-stdout>")
    session.put("user", [text("<ide_opened_file>lamps.py is open.</ide_opened_file>"), text("Mend it.")])
    session.put("user", [result("c1", "found"), text("<system-reminder>Be brief.</system-reminder>")])
    (conversation,) = session.load()
    assert [m.injected for m in conversation] == [False, True, True, True, True, True, True, False, False, True]


def test_what_is_no_message_is_skipped_with_counts(session):
    session.records.append({"type": "summary", "summary": "A title", "leafUuid": "r1"})
    session.put("user", "Hello.")
    session.put("system", subtype="hook")
    session.put("assistant", [text("API Error")], reply="m0", isApiErrorMessage=True)
    session.put("assistant", [text("Hello!")], reply="m1")
    session.records += [{"type": "queue-operation"}, {"type": "attachment"}, {"silly": "this"}, 42, "oops", [1]]
    (conversation,) = loaded = session.load()
    assert lines_of(conversation) == ["u Hello.", "a Hello!"]
    assert conversation.title == "A title"
    assert (loaded.report.records, loaded.report.passed) == (len(session.records), 4)
    assert sorted((why, t.count) for why, t in loaded.report.skipped.items()) == [
        ("a number, not a record", 2),
        ("a queue-operation record, not a message", 1),
        ("a record without a type", 1),
        ("a summary record, not a message", 1),
        ("a system record (hook), not a message", 1),
        ("an attachment without words that were sent (None)", 1),
        ("an error notice of the program", 1),
        ("text, not a record", 1),
    ]


def test_thinking_is_kept_beside_the_reply_and_no_part_of_it(session):
    session.put("user", "Why?")
    session.put("assistant", [{"type": "thinking", "thinking": "Hmm."}], reply="m1")
    session.put("assistant", [text("Because.")], reply="m1")
    session.put("assistant", [{"type": "thinking", "thinking": "Enough?", "signature": "A"}], reply="m1")
    (conversation,) = loaded = session.load()
    assert lines_of(conversation) == ["u Why?", "a Because."]
    assert conversation[1].metadata["thinking"] == "Hmm.\nEnough?"
    assert loaded.report.remarks == 0


def test_encrypted_thinking_and_a_reply_of_thinking_alone_are_named(session):
    session.put("user", "Why?")
    session.put("assistant", [{"type": "thinking", "thinking": "Hmm."}], reply="m0")
    session.put("assistant", [{"type": "redacted_thinking", "data": "x"}], reply="m1")
    loaded = session.load()
    assert lines_of(loaded[0]) == ["u Why?"]
    assert list(loaded.report.warnings) == [
        "a reply of nothing but thinking, which isn't sent again",
        "redacted thinking, which only the provider can read",
        "empty content",
    ]


def test_a_session_says_what_it_was_recorded_with(session):
    session.put("system", subtype="init", tools=[{"name": "Read", "description": "Reads a file."}])
    session.put("user", "Hello.", version="2.0.1", cwd="/somewhere")
    session.put("assistant", [text("Hello!")], reply="m1", usage=usage(3), version="2.0.1")
    session.records[-1]["message"]["model"] = "claude-opus-4-5"
    (conversation,) = session.load()
    recorded = conversation.recorded
    assert (recorded.model, recorded.provider, recorded.tools.count) == ("claude-opus-4-5", "anthropic", 1)
    assert recorded.parameters == {"service_tier": "standard"}
    assert conversation.metadata["version"] == "2.0.1"
    assert "/somewhere" not in str(conversation.metadata)


def test_the_title_somebody_gave_counts_before_the_one_the_program_made(session):
    session.put("user", "Hello.")
    session.records.append({"type": "ai-title", "aiTitle": "A greeting", "sessionId": "s1"})
    assert session.load()[0].title == "A greeting"
    session.records.append({"type": "custom-title", "customTitle": "My own", "sessionId": "s1"})
    session.records.append({"type": "custom-title", "customTitle": "Another's", "sessionId": "s9"})
    assert session.load()[0].title == "My own"


def test_images_are_media_without_their_data(session):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 5000}}
    session.put("user", [text("See?"), image])
    session.put("assistant", [call("Shot", "c1")], reply="m1")
    session.put("user", [result("c1", [image])])
    (conversation,) = session.load()
    assert [m.media for m in conversation] == [("image",), (), ("image",)]
    assert all("AAAA" not in m.content for m in conversation)


def test_the_copy_of_a_tools_output_for_the_screen_is_ignored(session):
    session.put("user", "Look.")
    session.put("assistant", [call("Read", "c1")], reply="m1")
    session.put("user", [result("c1", "short")], toolUseResult={"stdout": "long " * 100})
    (conversation,) = session.load()
    assert conversation[2].content == "short"


def test_broken_records_are_reported_where_they_stand(session):
    session.put("user", "Hello.")
    session.put("user", [result("c9", "late")])
    session.records[1]["message"] = {"role": "user", "contenst": []}
    session.put("user", "x")
    session.records[2]["message"] = "error"
    session.put("assistant", [text("Still here."), 7, {"type": "mystery"}], reply="m1", timestamp="soon")
    (conversation,) = loaded = session.load()
    assert lines_of(conversation) == ["u Hello.", "a Still here."]
    assert {why: t.first for why, t in loaded.report.skipped.items()} == {
        "a user record without content": "line 2",
        "a user record whose message is text": "line 3",
    }
    assert len(loaded.report.warnings) == 3
    assert conversation[1].timestamp is None


def test_a_line_copied_by_a_resume_counts_once(session):
    session.put("user", "Hello.")
    session.put("assistant", [text("Hello!")], reply="m1")
    session.records.append(session.records[0])
    (conversation,) = loaded = session.load()
    assert len(conversation) == 2
    assert loaded.report.skipped["a record with the uuid of one before it"].count == 1


def test_without_ids_a_copy_is_told_from_the_same_words_said_again_by_its_time():
    def line(minute):
        return {"type": "user", "timestamp": f"2026-01-01T10:{minute:02d}:00Z", "message": {"content": "Yes."}}

    timeless = {"type": "user", "message": {"content": "Yes."}}
    (conversation,) = load("\n".join(map(json.dumps, [line(1), line(2), line(1), timeless, timeless])).encode())
    assert [m.timestamp for m in conversation] == ["2026-01-01T10:01:00Z", "2026-01-01T10:02:00Z", None, None]


def test_a_result_or_a_repeated_call_that_cannot_be_read_is_named(session):
    session.put("assistant", [call("Read", "c1", path="a")], reply="m1")
    session.put("assistant", [call("Read", "c1", path="a"), call("Read", "c2")], reply="m1")
    session.put("assistant", [call("Read", "c1", path="b")], reply="m1")
    session.put("user", [result("c1", {"stdout": "x"}), result("c2", None)])
    (conversation,) = loaded = session.load()
    assert [c.id for c in conversation[0].tool_calls] == ["c1", "c2"]
    assert {why: t.first for why, t in loaded.report.warnings.items()} == {
        "a call with the id of another one, left out": "line 3",
        "a tool result whose content is an object": "line 4",
        "a conversation without any user message": "",
    }


def test_without_ids_the_order_of_the_file_counts():
    lines = [
        {"type": "user", "message": {"content": "Fix it"}},
        {"type": "assistant", "message": {"content": [text("Looking"), call("Read", "c1")]}},
        {"type": "user", "message": {"content": "That's right"}},
        {"type": "assistant", "message": {"content": [text("Done")]}},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    (conversation,) = load(data)
    assert lines_of(conversation) == ["u Fix it", "a Looking", "u That's right", "a Done"]
    assert match_strengths(Content(data)) == {"claude_code": 0.8}


def test_the_web_export_holds_the_same_records():
    lines = [
        {"type": "user", "timestamp": "2026-01-01T10:00:00Z", "message": {"role": "user", "content": "Hi"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [text("Hello")]}},
    ]
    (conversation,) = loaded = load(json.dumps({"loglines": lines, "branch": "main", "error": None}).encode())
    assert lines_of(conversation) == ["u Hi", "a Hello"]
    assert list(loaded.report.warnings) == ["a field 'branch' not read"]


def test_another_jsonl_is_not_claimed():
    rows = b'{"type": "user", "text": "hi"}\n{"type": "event", "message": {"content": "x"}}'
    assert "claude_code" not in match_strengths(Content(rows))


def test_a_file_of_nothing_but_snapshots_is_refused_in_words():
    with pytest.raises(LoadError):
        load(b'{"type": "file-history-snapshot", "snapshot": {}}\n' * 3, name="x.jsonl")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=6,
)


FIELDS = (
    "type",
    "uuid",
    "parentUuid",
    "sessionId",
    "agentId",
    "isSidechain",
    "isMeta",
    "timestamp",
    "message",
    "leafUuid",
)


@pytest.mark.slow
@tried(deadline=None, max_examples=150)
@given(st.data())
def test_whatever_stands_in_a_field_nothing_but_a_refusal_comes_out(data):
    session = Session()
    session.records.append({"type": "summary", "summary": "A title", "leafUuid": "r1"})
    session.put("user", [text("Look."), {"type": "image"}])
    session.put("assistant", [text("So."), call("Read", "c1", path="a")], reply="m1", usage=usage(3))
    session.put("user", [result("c1", [text("found")])])
    for _ in range(data.draw(st.integers(1, 3))):
        target = data.draw(st.sampled_from(session.records))
        while data.draw(st.booleans()):  # somewhere deeper
            inside = [v for v in target.values() if isinstance(v, dict)]
            inside += [b for v in target.values() if isinstance(v, list) for b in v if isinstance(b, dict)]
            if not inside:
                break
            target = data.draw(st.sampled_from(inside))
        target[data.draw(st.sampled_from([*FIELDS, *target]))] = data.draw(anything)
    try:
        loaded = load("\n".join(map(json.dumps, session.records)).encode(), name="x.jsonl", format="claude_code")
    except LoadError:
        return
    assert loaded.report.records == len(session.records)
    for conversation in loaded:
        assert conversation.digest
        assert conversation.columns is not None


def test_images_of_a_prompt_and_of_a_result_are_written_for_anthropic(session):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo"}}
    session.put("user", [text("See?"), image])
    session.put("assistant", [call("Read", "c1", path="a")])
    session.put("user", [result("c1", [image])])
    written = write(session.load()[0], "anthropic")
    assert written.text.count("iVBORw0KGgo") == 2
    assert "images, sound and files" not in written.losses.counts
