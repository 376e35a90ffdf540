"""What Claude Code sends beside messages: prompts typed while it works, attachments, hooks, local commands."""

from __future__ import annotations

import pytest
from claude_sessions import Session, call, lines_of, result, text

from historylab import as_sent
from historylab.conversation.message import words_of_person


@pytest.fixture
def session() -> Session:
    found = Session()
    found.put("user", "Mend the lamp.")
    return found


def attach(session: Session, kind: str, *, parent: str | None = "last", record=(), **held) -> str:
    return session.put("attachment", parent=parent, attachment={"type": kind, **held}, **dict(record))


def answer(session: Session) -> tuple[str, bool]:
    """What the message before the answer says, and whether it is injected."""
    session.put("assistant", [text("Done.")], reply="m9")
    (conversation,) = session.load()
    return conversation[-2].content, conversation[-2].injected


def test_a_prompt_typed_while_the_model_works_is_its_persons_in_its_place(session):
    session.put("assistant", [call("Read", "c1")], reply="m1")
    session.put("user", [result("c1", "found")])
    attach(session, "queued_command", prompt="And the switch.", commandMode="prompt", origin={"kind": "human"})
    session.put("assistant", [text("Both done.")], reply="m2")
    (conversation,) = loaded = session.load()
    assert lines_of(conversation)[2:] == ["t found", "u And the switch.", "a Both done."]
    assert words_of_person(conversation[3]) == "And the switch."
    assert (loaded.report.records, loaded.report.skips) == (5, 0)


def test_a_prompt_of_parts_keeps_its_image(session):
    attach(session, "queued_command", prompt=[text("Like this."), {"type": "image", "source": {}}])
    session.put("assistant", [text("Done.")], reply="m1")
    prompt = session.load()[0][1]
    assert (prompt.content, prompt.media, prompt.injected) == ("Like this.", ("image",), False)


@pytest.mark.parametrize(
    "held",
    [
        {"prompt": "<task-notification>It ended.</task-notification>", "commandMode": "prompt"},
        {"prompt": [text("<task-notification>It ended.</task-notification>")]},
        {"prompt": "It ended.", "commandMode": "task-notification"},
        {"prompt": "Are you done?", "origin": {"kind": "peer"}},
    ],
)
def test_a_queued_prompt_of_a_program_is_injected(session, held):
    attach(session, "queued_command", **held)
    assert answer(session)[1]


def test_words_that_were_sent_count_before_the_fields(session):
    attach(session, "date_change", newDate="2026-01-02", record={"rendered": [{"content": "A new day."}]})
    assert answer(session) == ("A new day.", True)


@pytest.mark.parametrize(
    ("kind", "held", "words"),
    [
        ("hook_additional_context", {"hookName": "Stop", "content": ["Lint", "first."]}, "Stop\nLint\nfirst."),
        ("hook_blocking_error", {"hookName": "Stop", "blockingError": {"blockingError": "No."}}, "Stop\nNo."),
        ("hook_success", {"hookEvent": "SessionStart", "content": "On main."}, "On main."),
        ("edited_text_file", {"filename": "a.py", "snippet": "1 x = 2"}, "a.py\n1 x = 2"),
        ("file", {"filename": "a.py", "content": {"type": "text", "file": {"content": "x = 1"}}}, "a.py\nx = 1"),
        ("selected_lines_in_ide", {"filename": "a.py", "lineStart": 3, "lineEnd": 4, "content": "x"}, "a.py\n3\n4\nx"),
        ("todo_reminder", {"content": [{"content": "Mend", "status": "pending"}]}, "Mend\npending"),
    ],
)
def test_older_attachments_are_told_under_their_names(session, kind, held, words):
    attach(session, kind, **held)
    named = kind.replace("_", " ")
    assert answer(session) == (f"<system-reminder>\n{named}:\n{words}\n</system-reminder>", True)


def test_rules_of_a_folder_are_told_as_rules(session):
    attach(session, "nested_memory", path="/x/CLAUDE.md", content={"path": "/x/CLAUDE.md", "content": "Be brief."})
    assert answer(session)[0].startswith("<system-reminder>\nContents of /x/CLAUDE.md:\n")


def test_an_image_that_was_given_is_media(session):
    attach(session, "file", filename="a.png", content={"type": "image", "file": {"base64": "AAAA"}})
    session.put("assistant", [text("Done.")], reply="m1")
    given = session.load()[0][1]
    assert (given.media, "AAAA" in given.content) == (("image",), False)


def test_what_was_not_sent_or_has_no_words_is_passed_over_and_what_is_unknown_skipped(session):
    attach(session, "hook_success", hookEvent="PostToolUse", content="ok")
    attach(session, "plan_mode", planExists=False)
    attach(session, "total_tokens_reminder", record={"rendered": [{"content": "9 tokens left"}]})
    attach(session, "never_seen", content="?")
    session.put("assistant", [text("Done.")], reply="m1")
    (conversation,) = loaded = session.load()
    assert len(conversation) == 2
    assert (loaded.report.passed, loaded.report.skips) == (3, 4)
    assert "an attachment without words that were sent (never_seen)" in loaded.report.skipped


@pytest.mark.parametrize("held", [7, "x", [], {}, {"type": 7}, {"type": "file"}, {"type": "todo", "content": 7.5}])
def test_an_attachment_of_any_shape_is_counted(session, held):
    session.put("attachment", attachment=held, rendered=7)
    session.put("assistant", [text("Done.")], reply="m1")
    (conversation,) = loaded = session.load()
    assert (len(conversation), loaded.report.skips, loaded.report.records) == (2, 1, 3)


def test_a_local_command_and_what_it_put_out_are_sent(session):
    for words in ("<command-name>/cost</command-name>", "<local-command-stdout>3 €</local-command-stdout>"):
        session.put("system", subtype="local_command")
        session.records[-1]["content"] = words
    assert answer(session) == ("<local-command-stdout>3 €</local-command-stdout>", True)


def test_what_comes_with_parallel_results_comes_after_all_of_them(session):
    first = session.put("assistant", [call("Read", "c1")], reply="m1")
    second = session.put("assistant", [call("Read", "c2")], reply="m1")
    session.put("user", [result("c1", "one")], parent=first)
    attach(session, "hook_additional_context", content=["On one."])
    session.put("user", [result("c2", "two")], parent=second)
    attach(session, "hook_additional_context", content=["On two."])
    session.put("assistant", [text("Both.")], reply="m2")
    (conversation,) = loaded = session.load()
    assert [m.role for m in conversation] == ["user", "assistant", "tool", "tool", "user", "user", "assistant"]
    assert ["On one." in conversation[4].content, "On two." in conversation[5].content] == [True, True]
    assert (conversation.columns.clean, conversation.branches, loaded.report.skips) == (True, (), 0)


def test_an_attachment_goes_with_the_branch_that_followed_it(session):
    start = session.last
    attach(session, "edited_text_file", filename="a.py", snippet="old")
    session.put("assistant", [text("Old.")], reply="m1")
    session.put("assistant", [text("New.")], reply="m2", parent=start)
    (conversation,) = session.load()
    assert lines_of(conversation) == ["u Mend the lamp.", "a New."]
    assert [len(branch) for branch in conversation.branches] == [3]


def test_an_early_time_of_a_queued_prompt_turns_no_clock_back(session):
    start = session.last
    session.put("assistant", [text("Newer.")], reply="m1", timestamp="2026-01-01T12:00:00Z")
    attach(session, "queued_command", prompt="Go on.", record={"timestamp": "2026-01-01T10:00:00Z"})
    session.put("assistant", [text("Older.")], reply="m2", parent=start, timestamp="2026-01-01T11:00:00Z")
    assert lines_of(session.load()[0]) == ["u Mend the lamp.", "a Newer.", "u Go on."]


def test_no_hook_names_a_session(session):
    session.records.clear()
    attach(session, "hook_success", parent=None, hookEvent="SessionStart", content="On main.")
    session.put("user", "Mend the lamp.")
    session.put("assistant", [text("Done.")], reply="m1")
    side = {"isSidechain": True}
    attach(session, "hook_success", parent=None, record=side, hookEvent="SubagentStart", content="Hello.")
    session.put("user", "Check it.", isSidechain=True)
    assert [one.title for one in session.load()] == ["Mend the lamp.", "Subagent: Check it."]


def test_the_system_prompt_leads_and_outlives_a_compaction(session):
    first = session.records.pop()
    attach(session, "prompt_snapshot", parent=None, systemPrompt=["You sell lamps."])
    attach(
        session, "prompt_snapshot", parent=None, systemPrompt=["You mend lamps.", "Be brief."], tools=[{"name": "Read"}]
    )
    session.put("user", first["message"]["content"])
    session.put("assistant", [text("Done.")], reply="m1")
    logical = session.last
    session.put("system", parent=None, subtype="compact_boundary", logicalParentUuid=logical)
    session.put("user", "In short: mended.", isCompactSummary=True)
    session.put("user", "Thanks. And the switch?")
    session.put("assistant", [text("Done, too.")], reply="m2")
    (conversation,) = loaded = session.load()
    prompt = "You mend lamps.\n\nBe brief."
    assert (conversation[0].role, conversation[0].content) == ("system", prompt)
    sent = [m.content for m in as_sent(conversation).plans[-1].render()]
    assert sent == [prompt, "In short: mended.", "Thanks. And the switch?"]
    assert (conversation.recorded.tools.count, loaded.report.skips) == (1, 0)


def test_an_attachment_that_lost_its_type_is_counted(session):
    attach(session, "hook_additional_context", content=["x"], record={"rendered": [{"content": "x"}]})
    del session.records[-1]["type"]
    answer(session)
    assert list(session.load().report.skipped) == ["a record without a type"]
