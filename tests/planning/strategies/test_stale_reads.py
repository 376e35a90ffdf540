"""The tool-output stage `stale_reads`: what a later read or change of the same file has made out of date is cleared."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.costs.traffic import traffic
from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.planning.strategies.superseded import superseded_results
from historylab.settings.model import Settings

AT_ONCE = {"tool_output.stale_reads.batch": 1}
CLEARING = Settings(policy="all", pruner="off", tool_output="stale_reads", options=AT_ONCE)
LONG = "a line of the file\n" * 40
WHOLE = {"path": "a.py"}
READ, EDIT = ("read", WHOLE, LONG), ("edit", {**WHOLE, "old_string": "x", "new_string": "y"}, "Done.")


def agent(*rounds: tuple | list | str) -> Conversation:
    """A request and rounds of calls, each (tool, arguments, result[, metadata]); several at once in a list."""
    messages = [Message("user", "Mend it.")]
    for k, round_ in enumerate(rounds):
        if isinstance(round_, str):
            messages.append(Message("user", round_))
            continue
        calls = round_ if isinstance(round_, list) else [round_]
        ids = [f"{k}.{j}" for j in range(len(calls))]
        made = tuple(ToolCall(i, c[0], json.dumps(c[1])) for i, c in zip(ids, calls, strict=True))
        messages.append(Message("assistant", "", tool_calls=made))
        for i, (_, _, result, *metadata) in zip(ids, calls, strict=True):
            messages.append(Message("tool", result, tool_call_id=i, metadata=dict(*metadata)))
    return Conversation(messages)


def part(start: int, lines: int, result: str | None = None) -> tuple:
    return (
        "read",
        {**WHOLE, "offset": start, "limit": lines},
        "a line of the file\n" * lines if result is None else result,
    )


CASES = {
    "read again": ([READ, READ], "KKTKK"),
    "changed in this turn": ([READ, EDIT], "KKKKK"),
    "changed in an earlier one": ([READ, EDIT, "And now?"], "KKTKKK"),
    "changed and read": ([READ, EDIT, EDIT, READ], "KKTKKKKKK"),
    "changed and read in part": ([part(5, 10), EDIT, part(7, 2)], "KKKKKKK"),
    "written anew": ([READ, ("write", {"file_path": "./a.py", "content": "z"}, "Written.")], "KKTKK"),
    "another file": ([READ, ("read", {"path": "b.py"}, LONG)], "KKKKK"),
    "another tool": ([READ, ("run_tests", WHOLE, LONG)], "KKKKK"),
    "another search": ([("grep", {**WHOLE, "find": "x"}, LONG), ("grep", {**WHOLE, "find": "y"}, LONG)], "KKKKK"),
    "not answered yet": ([READ, [READ, READ]], "KKTKKK"),
    "at once, so not seen": ([[READ, EDIT]], "KKKK"),
    "a part of it": ([READ, part(5, 10)], "KKKKK"),
    "the whole of a part": ([part(5, 10), READ], "KKTKK"),
    "a larger part": ([part(5, 10), part(1, 30)], "KKTKK"),
    "the next part": ([part(1, 20), part(21, 20)], "KKKKK"),
    "the beginning, of a file that is cut": ([part(100, 10), READ], "KKKKK"),
    "failed by its mark": ([READ, (*READ, {"is_error": True})], "KKKKK"),
    "failed by its status": ([READ, (*READ[:2], "504 Gateway Timeout")], "KKKKK"),
    "failed by its words": ([READ, (*EDIT[:2], "Error: old_string not found"), "Why?"], "KKKKKK"),
    "nothing new": ([READ, (*READ[:2], "File unchanged since the last read.")], "KKKKK"),
    "no arguments": ([("bash", {"command": "cat a.py"}, LONG), ("bash", {"command": "cat a.py"}, LONG)], "KKKKK"),
}


@pytest.mark.parametrize(("rounds", "sketch"), CASES.values(), ids=CASES)
def test_a_result_is_cleared_once_a_later_call_has_made_it_out_of_date(rounds, sketch):
    assert plan_history(agent(*rounds), CLEARING).sketch() == sketch


@pytest.mark.parametrize("rounds", [rounds for rounds, _ in CASES.values()] + [[READ, EDIT, READ, "Next.", READ]])
def test_it_is_found_as_well_in_a_conversation_that_grows(rounds):
    def found(conversation: Conversation) -> list[list]:
        superseded = superseded_results(conversation)
        return [superseded.messages.tolist(), superseded.since.tolist(), superseded.by.tolist()]

    whole, grown = agent(*rounds), Conversation()
    for i, message in enumerate(whole):
        grown = grown.followed_by([message])
        fork = grown.followed_by(agent(READ))
        for conversation in (grown, fork, fork.beginning(i).followed_by(agent(READ, EDIT, "Now."))):
            afresh = Conversation(conversation.messages)
            assert found(conversation) == found(afresh)
            plans = plan_history(conversation, CLEARING), plan_history(afresh, CLEARING)
            assert plans[0].render() == plans[1].render()


def test_what_is_sent_says_what_superseded_it():
    plan = plan_history(agent(READ, EDIT, "Go on."), CLEARING)
    assert plan.render()[2].content == "[Superseded by a later edit of a.py: 244 tokens cleared]"
    assert plan.reason(2).sentence == "A tool result whose file was read again or changed later: cleared."


def test_the_names_of_arguments_can_be_changed():
    read = ("show", {"Datei-Name": "a.py"}, LONG)
    named = CLEARING.replace(**{"tool_output.stale_reads.paths": "datei_name"})
    assert [plan_history(agent(read, read), s).sketch() for s in (CLEARING, named)] == ["KKKKK", "KKTKK"]


@pytest.mark.parametrize(("batch", "breaks"), [(1, 6), (2, 3), (3, 2), (7, 0)])
def test_the_prefix_breaks_once_per_batch(batch, breaks):
    settings = CLEARING.replace(**{"tool_output.stale_reads.batch": batch})
    assert traffic(replay(agent(*[READ] * 7), settings)).breaks == breaks


def test_what_comes_back_cleared_neither_changes_nor_supersedes():
    sent = plan_history(agent(READ, READ, ("read", {"path": "b.py"}, LONG)), CLEARING).render()
    assert [m.content for m in plan_history(Conversation(sent), CLEARING).render()] == [m.content for m in sent]


def test_ten_thousand_calls_are_looked_through_once():
    rounds = [("read", {"path": f"{k % 50}.py", "offset": k % 7}, "x") for k in range(10_000)]
    assert len(superseded_results(agent(*rounds)).messages) == 10_000 - 350
