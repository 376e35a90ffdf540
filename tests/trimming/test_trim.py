"""`trim()`, the production call: plain dicts in, the caller's own dicts out, settings from the environment."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples

from historylab import Trimmer, trim
from historylab.errors import LoadError, NothingToSend
from historylab.formats.messages.chat_messages import to_message, to_messages, to_record
from historylab.formats.requests.chat import ChatCompletions
from historylab.settings.model import Settings

MESSAGES = [
    {"role": "system", "content": "You are an agent."},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "Look it up.", "name": "ann"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}},
            {"id": "c2", "type": "function", "function": {"name": "look_up", "arguments": '{"n": 2'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "one"},
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "two"}]},
    {"role": "assistant", "content": "Found."},
    {"role": "user", "content": [{"type": "text", "text": "And this?"}, {"type": "image_url", "image_url": {}}]},
]


ROLES = ["user", "assistant"] * 15


def same_objects(trimmed: list, given: list) -> bool:
    return all(any(message is one for one in given) for message in trimmed)


def test_what_is_kept_is_the_callers_own_dict():
    trimmed = trim(MESSAGES, Settings(length=1))
    assert trimmed == [MESSAGES[0], MESSAGES[-1]]
    assert same_objects(trimmed, MESSAGES)


def test_nothing_given_is_changed():
    before = copy.deepcopy(MESSAGES)
    trim(MESSAGES, Settings(budget=30, pruner="summarize", tool_output="truncate"))
    assert before == MESSAGES


def test_a_list_that_fits_comes_back_whole_but_is_another_list():
    trimmed = trim(MESSAGES, Settings())
    assert trimmed == MESSAGES
    assert trimmed is not MESSAGES


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "1")
    assert trim(MESSAGES) == [MESSAGES[0], MESSAGES[-1]]
    monkeypatch.setenv("HISTORYLAB_LENGTH", "2")
    assert trim(MESSAGES) == MESSAGES
    monkeypatch.delenv("HISTORYLAB_LENGTH")
    monkeypatch.setenv("NEXT_PUBLIC_DEFAULT_HISTORY_POLICY", "none")
    assert trim(MESSAGES) == [MESSAGES[0], MESSAGES[-1]]


def test_a_refused_environment_value_does_not_stop_a_request(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_POLICY", "everything")
    monkeypatch.setenv("HISTORYLAB_BUDGET", "")
    assert trim(MESSAGES) == MESSAGES


def test_a_summary_is_a_new_system_dict():
    turns = [
        {"role": r, "content": f"Where is order ORD-{k}77 of {r}? " + "Please wait. " * 9} for k, r in enumerate(ROLES)
    ]
    trimmed = trim([MESSAGES[0], *turns], Settings(policy="all", pruner="summarize", budget=600))
    assert trimmed[0] is MESSAGES[0]
    assert trimmed[1].keys() == {"role", "content"}
    assert trimmed[1]["role"] == "system"
    assert "ORD-077" in trimmed[1]["content"]
    assert same_objects(trimmed[2:], turns)


def test_a_shortened_message_is_a_new_dict_with_the_callers_other_keys():
    long = {"role": "tool", "tool_call_id": "c1", "content": "x y " * 500, "mine": 1}
    given = [*MESSAGES[:4], long, MESSAGES[5]]
    trimmed = trim(given, Settings(tool_output="truncate", **{"tool_output.truncate.limit": 5}))
    assert trimmed[4]["mine"] == 1
    assert len(trimmed[4]["content"]) < len(long["content"])


class Dumped:
    """Like an SDK's message object: fields behind `model_dump()`."""

    def __init__(self, fields):
        self.fields = fields

    def model_dump(self):
        return self.fields


def test_sdk_objects_come_back_as_themselves():
    given = [Dumped(fields) for fields in MESSAGES]
    trimmed = trim(given, Settings(length=1))
    assert [m.fields for m in trimmed] == [MESSAGES[0], MESSAGES[-1]]
    assert same_objects(trimmed, given)


def test_a_real_sdk_message_comes_back_as_itself():
    from openai.types.chat import ChatCompletionMessage

    answer = ChatCompletionMessage.model_validate(MESSAGES[3])
    trimmed = trim([MESSAGES[2], answer, *MESSAGES[4:6]], Settings())
    assert trimmed[1] is answer


def test_orphans_and_unanswered_calls_never_go_out():
    assert trim([*MESSAGES[4:6], MESSAGES[2]], Settings()) == [MESSAGES[2]]
    assert trim([*MESSAGES[2:5], MESSAGES[6], MESSAGES[2]], Settings()) == [MESSAGES[2], MESSAGES[6], MESSAGES[2]]


def test_nothing_comes_of_nothing():
    assert trim([], Settings()) == []


DEEP: dict = {}
for _ in range(3000):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("hello", "text was given where a list of messages is meant"),
        ({"role": "user"}, "an object with the key role was given"),
        (None, "null was given"),
        ([{"content": "x"}], "message 0 of those given: no role"),
        ([MESSAGES[0], 5], "message 1 of those given: a number, not an object"),
        ([{"role": "user", "content": 5}], "content is a number"),
        ([{"role": "assistant", "tool_calls": [{}]}], "a tool call without a function"),
        (
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": DEEP}]}],
            "too deeply",
        ),
    ],
)
def test_what_is_no_message_is_named(given, words):
    with pytest.raises(LoadError, match=words):
        trim(given, Settings())


TURNS = [{"role": role, "content": f"{role} {k} " * 60} for k, role in enumerate(ROLES)]
SMALL = Settings(policy="all", budget=100)


@pytest.fixture
def warnings(caplog, monkeypatch):
    monkeypatch.setattr("historylab.trimming.warn._said", set())
    return lambda: [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_a_request_over_its_budget_is_warned_of_once_with_cause_and_setting(warnings):
    for k in (1, 3, 5):
        trim(TURNS[:k], SMALL)
    (warning,) = warnings()
    assert warning.startswith("A request is over its budget: ")
    assert "in the newest message" in warning
    assert "A budget of " in warning


def test_another_cause_is_another_warning(warnings):
    trim(TURNS[:5], SMALL)
    trim(TURNS[:5], SMALL.replace(pruner="off"))
    assert len(warnings()) == 2
    assert "No pruner is set" in warnings()[1]


def test_a_request_within_its_budget_is_not_warned_of(warnings):
    trim(TURNS, SMALL.replace(budget=1000))
    assert warnings() == []


def test_a_list_that_takes_the_historys_place_is_noticed(warnings):
    settings = Settings(policy="all", pruner="summarize", budget=1500)
    messages = trim(TURNS, settings)
    (once,) = warnings()
    assert "keep a historylab.Trimmer" in once
    for _ in range(3):
        messages = trim([*messages, {"role": "user", "content": "And?"}], settings)
    _, warning = warnings()
    assert "sent = trim(messages)" in warning


@examples(max_examples=60)
@given(conversations(max_size=40), settings(filter="off", projection="off", compaction="off"))
def test_the_end_of_a_long_list_is_read_alone_only_where_it_decides(conversation, chosen):
    given = [to_record(message) for message in conversation]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("historylab.trimming.trim.SHORT", 4)
        assert sent(trim, given, chosen) == sent(Trimmer(chosen).trim, given)


def sent(trimming: Callable[..., list[Any]], given: list[Any], *more: Any) -> list[Any]:
    """What is sent; nothing of results whose calls are missing."""
    try:
        return trimming(given, *more)
    except NothingToSend:
        return []


def test_of_a_long_list_results_without_ids_are_paired_as_in_the_whole(monkeypatch):
    monkeypatch.setattr("historylab.trimming.trim.SHORT", 4)
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    turns = [{"role": "user", "content": f"{k}"} for k in range(20)]
    given = [turns[0], call, *turns[1:], call, {"role": "tool", "content": "r"}, turns[0]]
    chosen = Settings(length=5)
    assert trim(given, chosen) == Trimmer(chosen).trim(given)


@pytest.mark.parametrize(
    "chosen", [{}, {"policy": "all"}, {"tool_output": "clear"}, {"policy": "all", "pruner": "pairs"}], ids=str
)
def test_of_a_long_list_little_is_read(monkeypatch, chosen):
    given = [message for k in range(300) for message in (*MESSAGES[2:7], {"role": "user", "content": f"{k} " * 40})]
    sent, read = Trimmer(Settings(**chosen)).trim(given), []
    monkeypatch.setattr(ChatCompletions, "one", lambda _, item: read.append(item) or (to_message(item),))
    assert trim(given, Settings(**chosen)) == sent
    assert len(read) < len(given) / 2


@examples(max_examples=40)
@given(conversations(), settings(filter="off", projection="off"))
def test_trimming_dicts_keeps_their_identity_whatever_the_settings(conversation, chosen):
    given = [json.loads(json.dumps(to_record(message))) for message in conversation]
    before = copy.deepcopy(given)
    trimmed = sent(trim, given, chosen)
    assert given == before
    assert len(to_messages(trimmed)) == len(trimmed)
    own = {id(message) for message in given}
    new = [m for m in trimmed if id(m) not in own]
    assert len(new) <= 1 or chosen.tool_output != "off"
    assert len({id(m) for m in trimmed}) == len(trimmed)
