"""The cuts of a Claude Code session: what its requests were sent from a compaction on, and what it cleared."""

from __future__ import annotations

import json

import pytest
from claude_sessions import Session, call, result, text, usage
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab import as_sent
from historylab.conversation.sent import SENT_HISTORIES, sent_histories
from historylab.formats.load import load


@pytest.fixture
def session() -> Session:
    return Session()


def talk(session: Session, *names: str) -> None:
    for name in names:
        session.put("user", f"Ask {name}.")
        session.put("assistant", [text(f"Say {name}.")], reply=f"m{name}", usage=usage(5, reads=9_000))


def compact(session: Session, summary: str = "In short.", **told) -> str:
    metadata = {"compactMetadata": {"trigger": "auto", "preTokens": 9_100, **told}}
    boundary = session.put(
        "system", parent=None, subtype="compact_boundary", logicalParentUuid=session.last, **metadata
    )
    session.put("user", summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    return boundary


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def test_from_a_boundary_on_the_summary_stands_for_what_came_before(session):
    talk(session, "A", "B")
    compact(session, postTokens=700)
    talk(session, "C")
    (conversation,) = session.load()
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.trigger, cut.tokens_before, cut.tokens_after, cut.told_after) == (
        2,
        "auto",
        9_100,
        9_013,
        700,
    )
    assert (cut.dropped, cut.summary, cut.by) == ((0, 1, 2, 3), 4, "Claude Code")
    assert [plan.sketch() for plan in as_sent(conversation).plans] == ["K", "KKK", "SSSSKK"]


def test_a_boundary_is_read_and_the_report_says_what_became_of_the_summary(session):
    talk(session, "A")
    compact(session)
    talk(session, "B")
    report = session.load().report
    assert (report.records, report.skips, list(report.kept)) == (6, 0, ["compactions"])
    assert list(report.warnings) == ["a summary Claude Code made, sent from there on in place of what came before"]


@pytest.mark.parametrize(
    "told",
    [
        {"preservedSegment": {"headUuid": "r2", "tailUuid": "r3", "anchorUuid": "r5"}},
        {"preservedMessages": {"uuids": ["r2", "r3"], "anchorUuid": "r5"}},
        {"preservedMessages": {"allUuids": ["r2", "r3"]}},
        {"preservedMessages": {"uuids": ["r2", "r3"]}, "preservedSegment": {"headUuid": "r0", "tailUuid": "r3"}},
    ],
)
@pytest.mark.parametrize("after", ["r3", "r5"])
def test_what_a_compaction_preserved_is_sent_after_the_summary(session, told, after):
    talk(session, "A", "B")
    compact(session, **told)
    session.last = after
    talk(session, "C")
    (conversation,) = session.load()
    assert sent(conversation) == ["In short.", "Ask B.", "Say B.", "Ask C."]
    assert conversation.branches == ()


def test_an_attachment_may_stand_between_boundary_and_summary(session):
    talk(session, "A")
    logical = session.last
    session.put("system", parent=None, subtype="compact_boundary", logicalParentUuid=logical)
    session.put("attachment", attachment={"type": "file"})
    session.put("user", "In short.", isCompactSummary=True)
    talk(session, "B")
    (conversation,) = session.load()
    assert sent(conversation) == ["In short.", "Ask B."]
    (cut,) = conversation.recorded.compactions
    assert (cut.trigger, cut.tokens_before, cut.inferred) == (None, 9_013, False)


def test_a_stream_writes_with_underscores_and_may_leave_out_the_boundarys_id(session):
    talk(session, "A", "B")
    told = {"trigger": "manual", "pre_tokens": 9_200, "preserved_segment": {"head_uuid": "r2", "tail_uuid": "r3"}}
    session.put("system", subtype="compact_boundary", compact_metadata=told)
    del session.records[-1]["uuid"]
    talk(session, "C")
    (conversation,) = session.load()
    assert [(c.request, c.trigger, c.tokens_before, c.summary) for c in conversation.recorded.compactions] == [
        (2, "manual", 9_200, None)
    ]
    assert sent(conversation) == ["Ask B.", "Say B.", "Ask C."]


def test_an_older_file_has_a_summary_and_no_boundary(session):
    talk(session, "A")
    session.put("user", "In short.", isCompactSummary=True)
    talk(session, "B")
    (conversation,) = session.load()
    assert sent(conversation) == ["In short.", "Ask B."]


def test_a_second_compaction_replaces_the_summary_of_the_first(session):
    talk(session, "A")
    compact(session, "Short A.")
    talk(session, "B")
    compact(session, "Short B.")
    talk(session, "C")
    (conversation,) = session.load()
    assert [sent(conversation, k) for k in range(3)] == [["Ask A."], ["Short A.", "Ask B."], ["Short B.", "Ask C."]]
    assert [(c.request, c.dropped) for c in conversation.recorded.compactions] == [(1, (0, 1)), (2, (2, 3, 4))]


def test_a_compaction_on_one_branch_is_none_of_the_other(session):
    talk(session, "A")
    fork = session.last
    compact(session)
    talk(session, "B")
    session.last = fork
    talk(session, "C")
    (conversation,) = session.load()
    assert conversation.recorded.compactions == ()
    assert SENT_HISTORIES not in conversation.metadata
    assert sent(conversation.branches[0]) == ["In short.", "Ask B."]


def test_a_microcompaction_clears_results_and_the_file_keeps_them(session):
    session.put("user", "Look.")
    session.put("assistant", [call("Read", "c1"), call("Read", "c2")], reply="m1")
    session.put("user", [result("c1", "one"), result("c2", "two")])
    told = {"trigger": "auto", "preTokens": 9_000, "tokensSaved": 400, "compactedToolIds": ["c1", "gone", 5]}
    session.put("system", subtype="microcompact_boundary", microcompactMetadata=told)
    session.put("user", "Go on.")
    session.put("assistant", [text("Done.")], reply="m2")
    (conversation,) = session.load()
    assert sent(conversation) == ["Look.", "", "[Old tool result content cleared]", "two", "Go on."]
    assert [(c.tokens_before, c.told_after, c.dropped) for c in conversation.recorded.compactions] == [
        (9_000, 8_600, ())
    ]


def test_what_the_api_cleared_is_known_by_its_number_alone(session):
    session.put("user", "Look.")
    session.put("assistant", [call("Read", "c1")], reply="m1")
    session.put("user", [result("c1", "one")])
    session.put("assistant", [text("Done.")], reply="m2", usage=usage(5))
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 1, "cleared_input_tokens": 50}
    session.records[-1]["message"]["context_management"] = {"applied_edits": [edit]}
    talk(session, "B")
    (conversation,) = session.load()
    assert [step.known for step in as_sent(conversation).steps] == [True, False, True]
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.tokens_before, cut.tokens_after) == (1, 133, 83)
    reason = as_sent(conversation).plans[1].reason(2).sentence
    assert reason == "Not known: the API cleared 1 tool result here, 50 tokens, and doesn’t say which."


def test_a_compaction_of_the_api_within_a_session_is_a_cut(session):
    talk(session, "A")
    session.put("user", "Ask B.")
    session.put("assistant", [{"type": "compaction", "content": "In short."}, text("Say B.")], reply="mB")
    talk(session, "C")
    (conversation,) = session.load()
    assert sent(conversation) == ["In short.\nSay B.", "Ask C."]
    assert [cut.by for cut in conversation.recorded.compactions] == ["Anthropic’s API"]


def test_a_boundary_that_nothing_follows_changes_nothing(session):
    talk(session, "A")
    session.put("system", parent=None, subtype="compact_boundary", logicalParentUuid=session.last)
    assert session.load()[0].recorded.compactions == ()


def test_a_file_may_begin_with_a_boundary(session):
    compact(session)
    talk(session, "A")
    (conversation,) = session.load()
    assert [(c.request, c.tokens_before, c.dropped) for c in conversation.recorded.compactions] == [(0, 9_100, ())]
    assert sent(conversation) == ["In short.", "Ask A."]


ODD = st.sampled_from(
    [None, 5, "", "r1", "r3", "gone", [], ["r1", 5, "r9"], {}, {"uuids": ["r3", "r1"]}, True, -1, 1e9]
)
PARTS = ("headUuid", "tailUuid", "anchorUuid", "uuids", "allUuids")


@tried(deadline=None, max_examples=150)
@given(st.data())
def test_whatever_boundaries_say_every_history_fits_its_conversation(data):
    session = Session()
    for k in range(data.draw(st.integers(1, 7))):
        kind = data.draw(st.sampled_from(["talk", "compact", "microcompact", "summary"]))
        if kind == "talk":
            talk(session, f"{k}")
        elif kind == "summary":
            session.put("user", "In short.", isCompactSummary=data.draw(st.sampled_from([True, 1])))
        else:
            parts = {name: data.draw(st.one_of(ODD, st.dictionaries(st.sampled_from(PARTS), ODD))) for name in
                     ("preservedSegment", "preservedMessages", "trigger", "preTokens", "compactedToolIds")}  # fmt: skip
            told = {f"{kind}Metadata": data.draw(st.one_of(ODD, st.just(parts)))}
            session.put(
                "system", parent=data.draw(ODD), subtype=f"{kind}_boundary", logicalParentUuid=session.last, **told
            )
        if data.draw(st.booleans()):
            session.last = data.draw(st.sampled_from(["r0", "r1", "r2", session.last]))
    if not any("message" in record for record in session.records):
        return
    for conversation in load("\n".join(map(json.dumps, session.records)).encode(), format="claude_code"):
        for path in (conversation, *conversation.branches):
            assert len(sent_histories(path) or ()) == len(path.metadata.get(SENT_HISTORIES, ()))
            assert all(cut.request < len(path.columns.requests) for cut in path.recorded.compactions)
