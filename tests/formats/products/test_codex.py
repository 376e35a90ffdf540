"""Codex rollouts: items beside events that repeat them, usage after each answer, compactions and rollbacks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab import as_sent
from historylab.conversation.sent import SENT_HISTORIES, sent_histories
from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths


class Rollout:
    """Writes the lines of a session."""

    def __init__(self):
        self.lines: list = [{"type": "session_meta", "timestamp": "2026-01-01T10:00:00Z", "payload": {"id": "s1"}}]

    def put(self, kind: str, **payload):
        time = f"2026-01-01T10:{len(self.lines):02d}:00Z"
        self.lines.append({"type": kind, "timestamp": time, "payload": payload})

    def item(self, kind: str, **fields):
        self.put("response_item", type=kind, **fields)

    def says(self, role: str, words: str):
        self.put("response_item", **message(role, words))

    def spends(self, taken: int, cached: int, output: int, total: int | None = None):
        last = {"input_tokens": taken, "cached_input_tokens": cached, "output_tokens": output, "total_tokens": 1}
        info = {"last_token_usage": last, "total_token_usage": {"total_tokens": total or len(self.lines)}}
        self.put("event_msg", type="token_count", info=info, rate_limits=None)

    def load(self, format=None):
        return load("\n".join(map(json.dumps, self.lines)).encode(), format, name="rollout.jsonl")


def message(role: str, words: str) -> dict:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def lines_of(conversation) -> list[str]:
    return [f"{m.role[0]} {m.content}" for m in conversation]


@pytest.fixture
def rollout() -> Rollout:
    return Rollout()


def test_items_are_read_and_the_events_that_repeat_them_are_not(rollout):
    rollout.says("user", "Hello.")
    rollout.put("event_msg", type="user_message", message="Hello.")
    rollout.put("event_msg", type="agent_message", message="Hi.")
    rollout.says("assistant", "Hi.")
    (conversation,) = loaded = rollout.load()
    assert lines_of(conversation) == ["u Hello.", "a Hi."]
    assert [m.timestamp for m in conversation] == ["2026-01-01T10:01:00Z", "2026-01-01T10:04:00Z"]
    assert list(loaded.report.skipped) == [
        "an event of the program's (agent_message)",
        "a prompt on the screen, which repeats what is read",
    ]


def test_reasoning_text_and_calls_of_one_answer_are_one_message(rollout):
    rollout.says("user", "Look.")
    rollout.item("reasoning", summary=[{"type": "summary_text", "text": "Hmm."}])
    rollout.says("assistant", "Looking.")
    rollout.item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id="c1")
    rollout.item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2")
    rollout.spends(100, 80, 5)
    rollout.item("function_call_output", call_id="c1", output="a b")
    rollout.item("custom_tool_call_output", call_id="c2", output="Done")
    (conversation,) = rollout.load()
    assert lines_of(conversation) == ["u Look.", "a Looking.", "t a b", "t Done"]
    assert [(c.name, c.arguments) for c in conversation[1].tool_calls] == [
        ("shell", '{"command": ["ls"]}'),
        ("apply_patch", "*** Begin Patch"),
    ]
    assert conversation[1].metadata["thinking"] == "Hmm."
    assert conversation.columns.clean


@pytest.mark.parametrize(
    ("given", "arguments"), [('{"a": 1}', '{"a": 1}'), ({"a": 1}, '{"a": 1}'), (None, "{}"), ("not json", "not json")]
)
def test_arguments_may_be_text_an_object_or_absent(rollout, given, arguments):
    rollout.item("function_call", name="x", call_id="c", **({} if given is None else {"arguments": given}))
    (conversation,) = rollout.load()
    assert conversation[0].tool_calls[0].arguments == arguments


def test_an_output_that_is_an_object_gives_its_text_and_whether_it_failed(rollout):
    rollout.item("function_call", name="x", call_id="c", arguments="{}")
    rollout.item("function_call_output", call_id="c", output={"content": "no such file", "success": False})
    (conversation,) = rollout.load()
    assert (conversation[1].content, conversation[1].metadata) == ("no such file", {"is_error": True})


def test_usage_belongs_to_the_answer_before_it_without_what_was_cached(rollout):
    rollout.says("user", "Hello.")
    rollout.item("function_call", name="x", call_id="c", arguments="{}")
    rollout.spends(1000, 800, 50, total=1)
    rollout.spends(1000, 800, 50, total=1)  # once more, as a limit changed
    rollout.item("function_call_output", call_id="c", output="y")
    rollout.says("assistant", "One.")
    rollout.spends(1100, 1000, 7)
    rollout.says("assistant", "Two.")
    (conversation,) = rollout.load()
    assert [m.metadata.get("usage") for m in conversation if m.role == "assistant"] == [
        {"input": 200, "output": 50, "cache_reads": 800, "cache_writes": 0},
        {"input": 100, "output": 7, "cache_reads": 1000, "cache_writes": 0},
        None,
    ]


def test_usage_that_older_versions_report_first_belongs_to_the_answer_after_it(rollout):
    for k in (1, 2):
        rollout.says("user", "Hello.")
        rollout.spends(100 * k, 0, k)
        rollout.says("assistant", "Hi.")
    (conversation,) = rollout.load()
    assert [m.metadata["usage"]["input"] for m in conversation if m.role == "assistant"] == [100, 200]


@pytest.mark.parametrize("info", [None, 5, {}, {"last_token_usage": None}, {"last_token_usage": {"total_tokens": 9}}])
def test_a_usage_report_of_nothing_is_none(rollout, info):
    rollout.says("assistant", "Hi.")
    rollout.put("event_msg", type="token_count", info=info)
    assert "usage" not in rollout.load()[0][0].metadata


@pytest.mark.parametrize(
    "words",
    [
        "<environment_context>\n<cwd>/x</cwd>",
        "<user_instructions>Be brief.",
        "# AGENTS.md instructions for /x",
        "<turn_aborted>",
        "<permissions instructions>",
    ],
)
def test_what_the_program_says_in_the_users_name_is_marked(rollout, words):
    rollout.says("user", words)
    rollout.says("user", "A question.")
    (conversation,) = rollout.load()
    assert [m.metadata for m in conversation] == [{"injected": True}, {}]
    assert conversation.title == "A question."


def test_what_a_session_says_of_itself_is_recorded(rollout):
    tools = [{"name": "lookup", "description": "Looks it up."}]
    about = {"base_instructions": {"text": "You are careful."}, "cli_version": "0.98.0", "cwd": "/somewhere"}
    rollout.lines[0]["payload"] |= about | {"model_provider": "azure", "dynamic_tools": tools}
    rollout.put("turn_context", model="gpt-5.2-codex", effort="high", cwd="/somewhere")
    rollout.says("user", "Hello.")
    rollout.says("assistant", "Hi.")
    (conversation,) = rollout.load()
    recorded = conversation.recorded
    assert (recorded.model, recorded.provider, recorded.tools.count) == ("gpt-5.2-codex", "azure", 1)
    assert recorded.parameters == {"reasoning_effort": "high"}
    assert recorded.system_prompt == "You are careful."
    assert conversation.metadata["version"] == "0.98.0"
    assert "/somewhere" not in str(conversation.metadata)


def test_a_compaction_is_a_cut_from_which_on_its_replacement_is_sent(rollout):
    rollout.lines[0]["payload"]["base_instructions"] = {"text": "Be careful."}
    rollout.says("user", "Question.")
    rollout.says("assistant", "Long answer.")
    rollout.spends(9_000, 0, 5)
    kept = [message("user", "Question."), message("user", "In short.")]
    rollout.put("compacted", message="", replacement_history=kept)
    rollout.says("user", "Next.")
    rollout.says("assistant", "Yes.")
    rollout.spends(700, 0, 5)
    (conversation,) = loaded = rollout.load()
    assert lines_of(conversation) == [
        *("s Be careful.", "u Question.", "a Long answer.", "u In short.", "u Next.", "a Yes."),
    ]
    assert conversation[3].metadata == {"compact_summary": True}
    assert sent(conversation) == ["Be careful.", "Question.", "In short.", "Next."]
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.tokens_before, cut.tokens_after) == (1, 9_000, 700)
    assert (cut.dropped, cut.summary, cut.by) == ((2,), 3, "Codex")
    assert (conversation.branches, loaded.report.records) == ((), 5)
    assert list(loaded.report.warnings) == ["a summary Codex made, sent from there on in place of what came before"]


def test_a_compaction_without_a_replacement_keeps_what_the_user_said_and_its_own_summary_alone(rollout):
    for words in ("One", "Two"):
        rollout.says("user", f"{words}.")
        rollout.says("assistant", f"To {words}.")
        rollout.put("compacted", message=f"Up to {words}.")
    rollout.says("assistant", "On.")
    (conversation,) = rollout.load()
    assert sent(conversation, 1) == ["One.", "Up to One.", "Two."]
    assert sent(conversation) == ["One.", "Two.", "Up to Two."]
    assert [cut.dropped for cut in conversation.recorded.compactions] == [(1,), (2, 4)]


def test_of_equal_messages_a_replacement_keeps_the_newest(rollout):
    for _ in range(3):
        rollout.says("user", "Go on.")
        rollout.says("assistant", "Done.")
    rollout.put("compacted", replacement_history=[message("user", "Go on."), message("user", "In short.")])
    rollout.says("assistant", "Yes.")
    assert as_sent(rollout.load()[0]).plans[-1].sketch() == "SSSSKSK"


def test_a_replacement_may_shorten_a_result_and_bring_what_is_in_no_line(rollout):
    rollout.says("user", "Look.")
    rollout.item("function_call", name="x", call_id="c", arguments="{}")
    rollout.item("function_call_output", call_id="c", output="a long output")
    shorter = {"type": "function_call_output", "call_id": "c", "output": "a lo…"}
    asked = {"type": "function_call", "name": "x", "call_id": "c", "arguments": "{}"}
    kept = [message("developer", "<permissions instructions>"), asked, shorter, message("user", "In short.")]
    rollout.put("compacted", replacement_history=kept)
    rollout.says("assistant", "Yes.")
    (conversation,) = rollout.load()
    assert sent(conversation) == ["<permissions instructions>", "", "a lo…", "In short."]


def test_of_a_compaction_that_only_the_provider_can_read_its_place_is_known(rollout):
    rollout.says("user", "Question.")
    rollout.says("assistant", "Answer.")
    kept = [message("user", "Question."), {"type": "compaction", "encrypted_content": "x"}]
    rollout.put("compacted", replacement_history=kept)
    rollout.says("user", "Next.")
    rollout.says("assistant", "Yes.")
    (conversation,) = loaded = rollout.load()
    assert lines_of(conversation) == ["u Question.", "a Answer.", "u Next.", "a Yes."]
    assert sent(conversation) == ["Question.", "[a compaction that only the provider can read]", "Next."]
    assert as_sent(conversation).plans[-1].sketch() == "KSK"
    assert [step.known for step in as_sent(conversation).steps] == [True, False]
    assert loaded.report.warnings["a compaction item, which only the provider can read"].count == 1


def test_a_rollback_to_before_a_compaction_goes_on_from_what_was_sent(rollout):
    for words in ("One.", "Two.", "Three."):
        rollout.says("user", words)
        rollout.says("assistant", f"To {words}")
    rollout.put("compacted", message="In short.")
    rollout.says("user", "Four.")
    rollout.says("assistant", "To Four.")
    rollout.put("event_msg", type="thread_rolled_back", num_turns=2)
    rollout.says("user", "Instead.")
    rollout.says("assistant", "Fine.")
    (conversation,) = rollout.load()
    assert sent(conversation) == ["One.", "Two.", "Instead."]
    assert sent(conversation.branches[0]) == ["One.", "Two.", "Three.", "In short.", "Four."]


def test_a_reply_of_nothing_but_thinking_moves_no_cut(rollout):
    rollout.says("user", "One.")
    rollout.item("reasoning", summary=[{"type": "summary_text", "text": "Hmm."}])
    rollout.spends(9_000, 0, 5)
    rollout.says("user", "Two.")
    rollout.says("assistant", "To Two.")
    rollout.put("compacted", message="In short.")
    rollout.says("assistant", "On.")
    assert sent(rollout.load()[0]) == ["One.", "Two.", "In short."]


def test_a_rollback_takes_turns_back_and_leaves_a_branch(rollout):
    for words in ("<environment_context>", "One.", "Two.", "Three."):
        rollout.says("user", words)
        rollout.says("assistant", f"To {words}")
    rollout.put("event_msg", type="thread_rolled_back", num_turns=2)
    rollout.says("user", "Instead.")
    (conversation,) = rollout.load()
    assert [m.content for m in conversation][2:] == ["One.", "To One.", "Instead."]
    assert [m.content for m in conversation.branches[0]][4:] == ["Two.", "To Two.", "Three.", "To Three."]


def test_the_file_of_a_fork_holds_the_beginning_of_the_other_session_too(rollout):
    rollout.lines[0]["payload"] |= {"forked_from_id": "s0"}
    rollout.put("session_meta", id="s0", base_instructions={"text": "Not this."})
    rollout.says("user", "Hello.")
    (conversation,) = loaded = rollout.load()
    assert lines_of(conversation) == ["u Hello."]
    assert conversation.metadata["session"] == "s1"
    assert list(loaded.report.skipped) == ["the start of a session that this one goes on from"]


def test_sessions_one_after_the_other_are_conversations_of_their_own(rollout):
    rollout.says("user", "One.")
    rollout.put("session_meta", id="s2")
    rollout.says("user", "Two.")
    assert [lines_of(c) for c in rollout.load()] == [["u One."], ["u Two."]]


def test_an_answer_of_nothing_but_thinking_is_left_out_and_named(rollout):
    rollout.says("user", "Hello.")
    rollout.item("reasoning", summary=[{"type": "summary_text", "text": "Hmm."}])
    (conversation,) = loaded = rollout.load()
    assert lines_of(conversation) == ["u Hello."]
    assert list(loaded.report.warnings) == ["a reply of nothing but thinking, which isn't sent again"]


def test_lines_that_are_none_are_counted(rollout):
    rollout.says("user", "Hello.")
    rollout.item("ghost_snapshot", ghost_commit={})
    rollout.lines += [5, {"type": "compacted", "payload": "x"}, {"record_type": "state"}]
    loaded = rollout.load()
    assert list(loaded.report.skipped) == [
        "an item of type ghost_snapshot, which isn't sent",
        "a number, not a record",
        "a compacted line whose payload is text",
        "a state line of the program",
    ]


def test_older_files_have_bare_items_or_are_one_object():
    items = [message("user", "Hello."), message("assistant", "Hi.")]
    header = {"id": "s1", "timestamp": "2025-08-01T10:00:00Z", "instructions": None}
    lines = "\n".join(map(json.dumps, [header, {"record_type": "state"}, *items])).encode()
    whole = json.dumps({"session": header, "items": items}).encode()
    for data in (lines, whole):
        assert match_strengths(Content(data))["codex"] == 1
        (conversation,) = load(data)
        assert lines_of(conversation) == ["u Hello.", "a Hi."]
        assert conversation.metadata["session"] == "s1"


def test_other_lines_with_a_payload_are_not_claimed():
    for line in ({"type": "event", "payload": {}}, {"type": ["session_meta"], "payload": {}}, {"record_type": "x"}):
        assert "codex" not in match_strengths(Content(json.dumps(line).encode()))


def test_a_users_message_that_no_event_tells_of_is_the_programs(rollout):
    for words, typed in (("Skill: lamps.", None), ("Mend it.", "Mend it."), ("# Files:\n\nAnd that.", "And that.")):
        rollout.says("user", words)
        if typed:
            rollout.put("event_msg", type="user_message", message=typed)
    (conversation,) = rollout.load()
    assert [m.injected for m in conversation] == [True, False, False]
    assert conversation.title == "Mend it."


WORDS = st.sampled_from(["Ok.", "Go on.", "", "In short."])
ITEMS = st.one_of(
    st.builds(message, st.sampled_from(["user", "assistant", "developer"]), WORDS),
    st.builds(lambda w: {"type": "function_call_output", "call_id": "c", "output": w}, WORDS),
    st.sampled_from([{"type": "compaction", "encrypted_content": "x"}, {"type": "reasoning", "summary": []}, 5, None]),
)


@tried(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from(["item", "compacted", "short", "back", "spends"]), st.lists(ITEMS, max_size=4)))
)
def test_whatever_a_rollout_compacts_and_takes_back_every_history_fits(steps):
    rollout = Rollout()
    rollout.lines[0]["payload"]["base_instructions"] = {"text": "Be careful."}
    for kind, items in steps:
        if kind == "item":
            rollout.lines += [{"type": "response_item", "payload": item} for item in items]
        elif kind == "spends":
            rollout.spends(9_000, 0, 5)
        elif kind == "back":
            rollout.put("event_msg", type="thread_rolled_back", num_turns=len(items))
        else:
            rollout.put("compacted", message="", **({"replacement_history": items} if kind == "compacted" else {}))
    for conversation in rollout.load("codex"):
        for path in (conversation, *conversation.branches):
            assert len(sent_histories(path) or ()) == len(path.metadata.get(SENT_HISTORIES, ()))
            assert all(cut.request < len(path.columns.requests) for cut in path.recorded.compactions)


def typed_in_item(words: str) -> dict:
    return {"type": "item_completed", "item": {"type": "UserMessage", "content": [{"type": "text", "text": words}]}}


def test_a_prompt_that_only_an_event_tells_of_is_read_where_it_stands(rollout):
    rollout.put("event_msg", type="user_message", message="Mend the lamp.")
    rollout.says("developer", "Be brief.")
    rollout.says("assistant", "Done.")
    rollout.put("event_msg", **typed_in_item("And the switch."))
    rollout.says("assistant", "Done, too.")
    (conversation,) = loaded = rollout.load()
    said = ["u Mend the lamp.", "s Be brief.", "a Done.", "u And the switch.", "a Done, too."]
    assert (lines_of(conversation), conversation.title) == (said, "Mend the lamp.")
    assert (loaded.report.skips, conversation[3].timestamp) == (0, "2026-01-01T10:04:00Z")
    assert not conversation[3].injected


@pytest.mark.parametrize("late", [False, True])
def test_a_prompt_in_an_item_and_two_events_is_read_once(rollout, late):
    if not late:
        rollout.says("user", "# Files:\n\nMend it.")
    rollout.put("event_msg", **typed_in_item("Mend it."))
    rollout.put("event_msg", type="user_message", message="Mend it.")
    if late:
        rollout.says("user", "# Files:\n\nMend it.")
    rollout.says("assistant", "Done.")
    (conversation,) = loaded = rollout.load()
    assert [m.role for m in conversation] == ["user", "assistant"]
    assert loaded.report.skipped["a prompt on the screen, which repeats what is read"].count == 2


def test_a_prompt_before_a_rollback_goes_with_its_turn(rollout):
    for words in ("One.", "Two."):
        rollout.put("event_msg", type="user_message", message=words)
        rollout.says("assistant", "Done.")
    rollout.put("event_msg", type="thread_rolled_back", num_turns=1)
    (conversation,) = rollout.load()
    assert lines_of(conversation) == ["u One.", "a Done."]


def test_the_usage_of_a_request_is_what_its_own_record_says(rollout):
    for taken in (100, 300):
        rollout.says("user", "Mend it.")
        rollout.says("assistant", "Done.")
        usage = {"input_tokens": taken, "cached_input_tokens": 40, "output_tokens": 7}
        rollout.put("token_usage_record", response_id="r", usage=usage, thread_token_usage={"total_tokens": taken})
        rollout.spends(9_999, 0, 9_999)
    (conversation,) = rollout.load()
    assert [m.metadata["usage"]["input"] for m in conversation if m.role == "assistant"] == [60, 260]


def test_what_another_agent_wrote_is_injected(rollout):
    rollout.says("user", "Have it checked.")
    part = {"type": "input_text", "text": "It is fine."}
    rollout.item("agent_message", author="/root/child", recipient="/root", content=[part])
    (conversation,) = loaded = rollout.load()
    assert [(m.role, m.content, m.injected) for m in conversation][1] == ("user", "It is fine.", True)
    assert loaded.report.remarks == 0


def test_lines_known_to_be_no_messages_are_passed_over(rollout):
    rollout.says("user", "Hello.")
    rollout.put("world_state", full=True, state={})
    rollout.put("inter_agent_communication_metadata", trigger_turn=True)
    rollout.put("event_msg", type="task_started", turn_id="t1")
    rollout.put("never_seen", words="?")
    loaded = rollout.load()
    assert (loaded.report.passed, loaded.report.skips) == (3, 4)
    assert "a line of type 'never_seen'" in loaded.report.skipped
