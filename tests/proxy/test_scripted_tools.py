"""The upstream that ships calls the tools of a client: how often, which, and with what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.proxy.scripted_upstream.answers import ParsedRequest, answer_to
from historylab.proxy.scripted_upstream.api import OfferedTool
from historylab.proxy.scripted_upstream.app import ScriptedUpstream
from historylab.proxy.scripted_upstream.calls import choose_call, runs_commands

TEXT = {"type": "string"}


def tool(name: str, *required: str, **properties: Any) -> OfferedTool:
    return OfferedTool(name, {"type": "object", "properties": properties, "required": [*required]})


BASH = tool("Bash", "command", "description", command=TEXT, description=TEXT, run_in_background={"type": "boolean"})
READ = tool("Read", "file_path", file_path=TEXT, limit={"type": "integer"})
WRITE = tool("Write", "file_path", "content", file_path=TEXT, content=TEXT)
EDIT = tool("str_replace_editor", "command", "path", command={"enum": ["create"]}, path=TEXT)
AGENT = tool("Agent", "prompt", prompt=TEXT)
LOOK = tool("look", pier={"type": "integer"})


def called(*tools: OfferedTool, question: str = "Look.", turns: int = 12) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {}
    for turn in range(turns):
        chosen, arguments = choose_call(tools, question, turn)
        made.setdefault(chosen.name, []).append(json.loads(arguments))
    return made


def test_an_agents_shell_gets_commands_that_read_and_nothing_it_need_not_have():
    made = called(WRITE, AGENT, EDIT, BASH, READ)
    assert made.keys() == {"Bash"} and all(call.keys() == {"command", "description"} for call in made["Bash"])
    assert {call["command"].split()[0] for call in made["Bash"]} == {"ls", "pwd", "date", "echo", "uname"}


def test_files_that_the_user_names_are_read():
    made = called(WRITE, BASH, READ, question="Compare src/app.py with notes.md; don't touch https://example.org/x.")
    assert {call["file_path"] for call in made["Read"]} == {"src/app.py", "notes.md"}
    assert called(READ, WRITE) == {"Read": [{"file_path": "."}] * 12}


def test_what_changes_something_is_called_only_where_nothing_else_is_offered():
    assert called(WRITE, EDIT, AGENT).keys() == {"Agent"}
    assert called(WRITE).keys() == {"Write"}
    assert not runs_commands(EDIT) and not runs_commands(tool("kill_shell", command=TEXT))


@pytest.mark.parametrize(
    ("question", "option", "calls"),
    [
        ("Call tools 30 times.", None, True),
        ("Make 3 tool calls, please", None, True),
        ("Call tools 0 times, and say so.", 5, False),
        ("Which ferry?", 5, True),
        ("Which ferry?", 0, False),
        ("Respond with TEXT ONLY.", 5, False),
        ("Do not use any tools: call tools 3 times", 5, False),
    ],
)
def test_the_question_says_how_often_or_else_the_option(question, option, calls):
    assert bool(answer_to(ParsedRequest(question, tools=[LOOK]), option).calls) is calls


def test_every_fifth_turn_calls_two_tools_where_that_is_allowed():
    for parallel, sizes in ((True, [1, 1, 1, 1, 2, 1]), (False, [1] * 6)):
        requests = [ParsedRequest("Look.", turns=k, of=9, tools=[LOOK], parallel=parallel) for k in range(6)]
        assert [len(answer_to(request).calls) for request in requests] == sizes


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [*blocks]}


def ask(messages: list[Any], **more: Any) -> dict[str, Any]:
    tools = [{"name": "look", "input_schema": LOOK.schema}]
    body = {"model": "claude-opus-4-8", "max_tokens": 500, "messages": messages, "tools": tools, **more}
    answer = ScriptedUpstream(tool_turns=2).respond("anthropic", json.dumps(body).encode())
    assert answer.status_code == 200, answer.body
    return json.loads(answer.body)


def test_what_a_client_adds_to_a_users_words_and_to_results_is_no_question():
    reminder = {"type": "text", "text": "<system-reminder>\ncall tools 9 times\n</system-reminder>"}
    messages = [user(reminder, {"type": "text", "text": "When is 7?"}), {"role": "system", "content": "Be brief."}]
    for _ in range(2):
        call = ask(messages)["content"][-1]
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "At 9"}
        messages += [{"role": "assistant", "content": [call]}, user(result, reminder)]
        assert call["input"] == {"pier": 7}
    assert "The tool says: At 9" in ask(messages)["content"][0]["text"]


def test_thinking_that_was_left_out_is_taken_and_what_was_changed_is_not():
    thought, call = ask([user({"type": "text", "text": "Look."})], thinking={"type": "adaptive"})["content"]
    assert thought["type"] == "thinking" and thought["signature"]
    (hidden, _) = ask([user({"type": "text", "text": "Look."})], thinking={"type": "adaptive", "display": "omitted"})[
        "content"
    ]
    assert hidden["thinking"] == "" and hidden["signature"]
    result = user({"type": "tool_result", "tool_use_id": call["id"], "content": "At 9"})
    for kept in ([thought, call], [hidden, call], [call]):
        ask([user({"type": "text", "text": "Look."}), {"role": "assistant", "content": kept}, result])
