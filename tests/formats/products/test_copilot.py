"""Copilot on the command line and in VS Code: events and requests, calls and results, logs of changes, cuts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.conversation.sent import sent_histories
from historylab.formats.load import Conversations, load


def events(*given: tuple[str, dict[str, Any]]) -> Conversations:
    lines = [{"type": kind, "data": data, "id": str(i)} for i, (kind, data) in enumerate(given)]
    return load("\n".join(map(json.dumps, lines)).encode(), name="events.jsonl")


ASK = ("user.message", {"content": "hi"})
DONE = ("assistant.message", {"content": "yo", "model": "gpt-5"})


def sketch(loaded: Conversations, at: int = 0) -> list[tuple[str, str]]:
    return [(m.role, m.content) for m in loaded[at]]


def test_a_call_is_answered_by_the_event_that_names_it():
    call = {"content": "", "toolRequests": [{"toolCallId": "c", "name": "bash", "arguments": {"command": "ls"}}]}
    end = {"toolCallId": "c", "success": True, "result": {"content": "a.py", "detailedContent": "long"}}
    loaded = events(ASK, ("assistant.message", call), ("tool.execution_complete", end))
    assert sketch(loaded) == [("user", "hi"), ("assistant", ""), ("tool", "a.py")]
    assert loaded[0][1].tool_calls[0].id == loaded[0][2].tool_call_id == "c"


def test_what_was_sent_stands_in_the_place_of_what_was_typed():
    sent = "<current_datetime>now</current_datetime>\n\nhi"
    loaded = events(("user.message", {"content": "hi", "transformedContent": sent}), DONE)
    assert (loaded[0][0].content, loaded[0].title) == (sent, "hi")


def test_what_a_skill_says_is_injected():
    assert [m.injected for m in events(("user.message", {"content": "a", "source": "skill-pdf"}), ASK)[0]] == [
        True,
        False,
    ]


def test_a_skill_that_names_no_source_is_known_by_its_frame():
    assert events(("user.message", {"content": '<skill-context name="pdf">a</skill-context>'}), ASK)[0][0].injected


def test_an_answer_that_names_no_model_is_by_the_one_chosen_last():
    said = ("assistant.message", {"content": "yo"})
    inner = ("assistant.message", {"content": "mine", "parentToolCallId": "c"})
    chosen = [("session.model_change", {"newModel": name}) for name in ("gpt-5", "gpt-5-mini", "")]
    loaded = events(chosen[0], ASK, said, chosen[1], said, inner, chosen[2], said)
    assert [m.metadata.get("model") for m in loaded[0] if m.role == "assistant"] == ["gpt-5", "gpt-5-mini", None]
    assert loaded[1][0].metadata.get("model") is None


@pytest.mark.parametrize(
    ("result", "said"), [("ok", "ok"), ({"files": ["a"]}, '{"files":["a"]}'), ({"content": ""}, "")]
)
def test_a_result_is_its_content_or_whatever_it_is(result, said):
    call = {"content": "", "toolRequests": [{"toolCallId": "c", "name": "ls", "arguments": "{}"}]}
    loaded = events(
        ASK, ("assistant.message", call), ("tool.execution_complete", {"toolCallId": "c", "result": result})
    )
    assert loaded[0][-1].content == said


def test_events_of_a_sub_agent_are_a_conversation_of_their_own():
    call = {"content": "", "toolRequests": [{"toolCallId": "c", "name": "task", "arguments": {}}]}
    inner = ("user.message", {"content": "look", "parentToolCallId": "c"})
    loaded = events(("session.start", {"sessionId": "s"}), ASK, ("assistant.message", call), inner)
    assert (len(loaded), sketch(loaded, 1)) == (2, [("user", "look")])
    assert loaded[1].recorded.parent == (loaded[0].recorded.id, 1)


@pytest.mark.parametrize(("removed", "sent"), [({}, 1), ({"messagesRemoved": 1}, 2)])
def test_a_compaction_puts_its_summary_before_what_it_kept(removed, sent):
    told = {"success": True, "summaryContent": "Sum", "preCompactionTokens": 900, "postCompactionTokens": 80}
    loaded = events(ASK, DONE, ("session.compaction_complete", told | removed), ASK, DONE)
    (history,) = sent_histories(loaded[0]) or ()
    assert (history.size, len(history.sent), history.sent[0].content) == (2, sent, "Sum")
    assert (history.cut.before, history.cut.after) == (900, 80)


def test_a_compaction_that_failed_cuts_nothing():
    assert sent_histories(events(ASK, ("session.compaction_complete", {"success": False}), DONE)[0]) is None


def test_events_that_are_no_messages_are_passed_over():
    report = events(ASK, ("hook.start", {}), ("session.idle", {})).report
    assert (report.messages, report.passed, report.skips) == (1, 2, 2)


# -- VS Code


def request(*response: Any, **more: Any) -> dict[str, Any]:
    return {"requestId": "r", "message": {"text": "hi"}, "response": [*response], "timestamp": 1772442000000, **more}


def chat(*requests: Any) -> Conversations:
    return load(json.dumps({"sessionId": "s", "creationDate": 1, "requests": requests}).encode())


def log(*lines: Any) -> Conversations:
    first = {"kind": 0, "v": {"sessionId": "s", "creationDate": 1, "requests": [request()]}}
    return load("\n".join(map(json.dumps, (first, *lines))).encode(), name="a.jsonl")


def test_pieces_of_an_answer_and_the_files_it_mentions_are_one_text():
    named = {"kind": "inlineReference", "inlineReference": {"uri": {"path": "/srv/a.py"}}}
    assert sketch(chat(request({"value": "See "}, named, {"value": "."})))[1] == ("assistant", "See a.py.")


def test_a_call_that_stands_there_twice_is_as_it_was_last():
    call = {"kind": "toolInvocationSerialized", "toolCallId": "c", "toolId": "run_in_terminal"}
    shown = {"commandLine": {"original": "ls"}, "terminalCommandOutput": {"text": "a.py"}}
    _, answer, result = chat(request(call, {**call, "toolSpecificData": shown}))[0]
    assert [(c.name, c.arguments) for c in answer.tool_calls] == [("run_in_terminal", '{"command":"ls"}')]
    assert result.content == "a.py"


def test_the_rounds_on_record_are_read_in_the_place_of_the_screen():
    rounds = [
        {"response": "", "toolCalls": [{"id": "c", "name": "read", "arguments": "{}"}]},
        {"response": "done", "toolCalls": []},
    ]
    results = {"c": {"content": [{"value": "text of a"}]}}
    loaded = chat(
        request({"value": "shown"}, result={"metadata": {"toolCallRounds": rounds, "toolCallResults": results}})
    )
    assert sketch(loaded) == [("user", "hi"), ("assistant", ""), ("tool", "text of a"), ("assistant", "done")]


def test_usage_is_read_where_one_request_was_made():
    told = {"metadata": {"promptTokens": 9, "outputTokens": 2, "resolvedModel": "gpt-5"}}
    answer = chat(request({"value": "yo"}, result=told, modelId="copilot/auto"))[0][1]
    assert (answer.metadata["usage"]["input"], answer.metadata["model"]) == (9, "gpt-5")


def test_a_log_of_changes_is_read_as_what_they_make():
    grown = {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "y"}]}
    again = {"kind": 2, "k": ["requests", 0, "response"], "i": 0, "v": [{"value": "yo"}]}
    titled = {"kind": 1, "k": ["customTitle"], "v": "Greetings"}
    loaded = log(grown, again, titled)
    assert (sketch(loaded), loaded[0].title) == ([("user", "hi"), ("assistant", "yo")], "Greetings")


NOWHERE = [{"kind": 1, "k": ["requests", 0, True]}, {"kind": 1, "k": ["a", 3, "b"]}, {"kind": 9, "k": ["a"]}]


@pytest.mark.parametrize("line", [*NOWHERE, 7, {"kind": 2, "k": [[]]}])
def test_a_change_that_fits_nothing_is_counted(line):
    assert log(line).report.skipped["a change that fits nothing"].count == 1


def asked(name: str, *rounds: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    told = {"toolCallRounds": rounds, "promptTokens": 900, "outputTokens": 60, **metadata}
    return {"requestId": name, "message": {"text": name}, "response": [], "result": {"metadata": told}}


def one_round(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "response": name, "toolCalls": [], **more}


def test_a_summary_in_vs_code_stands_for_its_round_and_what_was_before_it():
    first = asked("q1", one_round("a", summary="up to a"), one_round("b"))
    later = asked("q3", one_round("d"), summary={"toolCallRoundId": "b", "text": "up to b"})
    value = {"sessionId": "s", "creationDate": 1, "requests": [first, asked("q2", one_round("c")), later]}
    (found,) = load(json.dumps(value).encode(), name="chat.json")
    assert [m.content for m in found] == ["q1", "a", "b", "q2", "c", "q3", "d"]
    at_once, looking_back = sent_histories(found) or ()
    assert (at_once.size, at_once.sent[0].content, at_once.sent[1:]) == (2, "up to a", ())
    assert (looking_back.size, looking_back.sent[0].content, looking_back.sent[1:]) == (6, "up to b", ((3, 6),))


def test_the_tokens_of_a_request_in_vs_code_are_those_of_its_last_round():
    own = {"prompt_tokens": 500, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 400}}
    rounds = (one_round("a", usage=own), one_round("b"), one_round("c"))
    (found,) = load(json.dumps({"sessionId": "s", "creationDate": 1, "requests": [asked("q", *rounds)]}).encode())
    used = [use and (use.input, use.cache_reads, use.output) for use in found.recorded.usage]
    assert used == [(100, 400, 7), None, (900, 0, 60)]
