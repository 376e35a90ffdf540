"""How bad a loss is: who said it first, and whether the same call would say it again."""

from __future__ import annotations

import json

import pytest

from historylab import Conversation, Message, Settings, ToolCall, replay
from historylab.planning.strategies.facts import answered_call
from historylab.recall.repeatable import can_be_repeated, may_change_files, only_reads
from historylab.recall.retention import Retention, retention
from historylab.recall.severity import fetch_of

LAST = Settings(policy="lastN", length=1, pruner="off")
FILLER = [Message("user", "And now?"), Message("assistant", "Go on."), Message("user", "Go on.")]


def used(tool: str = "pay", **arguments: str) -> Message:
    return Message("assistant", tool_calls=(ToolCall("used", tool, json.dumps(arguments)),))


def asked(tool: str, finds: str, *, number: int = 0, **arguments: str) -> list[Message]:
    """A call and its result."""
    call = ToolCall(f"{tool}-{number}", tool, json.dumps(arguments))
    return [Message("assistant", tool_calls=(call,)), Message("tool", finds, tool_call_id=call.id)]


def lost(*said: Message, value: str = "QX-55") -> Retention:
    """What is found where only the newest messages are sent, and a call needs the value that earlier ones say."""
    return retention(replay(Conversation([Message("user", "Begin."), *said, *FILLER, used(code=value)]), LAST))


def severity(*said: Message, value: str = "QX-55") -> str:
    (loss,) = lost(*said, value=value).losses
    return loss.severity


def test_what_a_person_said_is_gone_for_good_though_the_assistant_repeated_it():
    found = lost(Message("user", "My code is QX-55."), Message("assistant", "QX-55, noted."))
    assert [(loss.severity, loss.gone_for_good, loss.fetch_tokens) for loss in found.losses] == [("person", True, 0)]
    assert severity(Message("narrator", "The code is QX-55.")) == "person"


def test_what_the_assistant_wrote_itself_is_not_gone_for_good():
    found = lost(Message("assistant", "I call it QX-55."), Message("user", "QX-55 it is."))
    assert [(loss.severity, loss.gone_for_good) for loss in found.losses] == [("assistant", False)]


def test_what_a_reading_tool_found_can_be_fetched_again_at_a_price():
    found = lost(*asked("get_booking", "The code is QX-55.", name="Noor"))
    (loss,) = found.losses
    assert (loss.severity, loss.fetched_from, loss.gone_for_good) == ("fetchable", (2,), False)
    fetch = fetch_of(found.timeline, [2])
    assert loss.fetch_tokens == fetch.tokens == fetch.calls + fetch.results
    assert fetch.results == found.timeline.plans[-1].history.tokens[2]
    assert fetch.calls == found.timeline.plans[-1].history.tokens[1]
    assert found.fetches == {loss.step: fetch}


def test_what_a_tool_said_that_changes_something_is_gone_for_good():
    assert severity(*asked("book_flight", "Booked: QX-55", to="Oslo")) == "tool"
    assert severity(*asked("get_or_create_booking", "QX-55", to="Oslo")) == "tool"
    assert severity(*asked("get_trains_and_offers", "QX-55", to="Oslo")) == "fetchable"


def test_what_a_tool_said_whose_call_the_file_lacks_could_be_asked_again():
    assert severity(Message("tool", "Booked: QX-55"), Message("assistant", "Noted.")) == "fetchable"


def test_a_call_that_needs_the_value_itself_cannot_fetch_it():
    assert severity(*asked("get_booking", "QX-55: Oslo", code="QX-55")) == "assistant"
    assert severity(Message("user", "QX-55?"), *asked("get_booking", "QX-55: Oslo", code="QX-55")) == "person"


def test_a_call_that_was_made_twice_and_said_it_both_times_would_say_it_again():
    twice = [message for k in range(2) for message in asked("weather", "Report QX-55", number=k, at="Oslo")]
    assert severity(*twice) == "fetchable"
    assert severity(*twice[:2]) == "tool"
    assert severity(*twice[:3], Message("tool", "none", tool_call_id="weather-1")) == "tool"
    booked = [message for k in range(2) for message in asked("book_flight", "QX-55", number=k, to="Oslo")]
    assert severity(*booked) == "tool"


def test_several_lines_are_as_bad_as_the_worst_of_those_lost_and_a_result_is_fetched_once():
    old = "first_line = 1\nsecond_line = 2"
    read = asked("read", old, path="a.py")
    (loss,) = lost(*read, value=old).losses
    assert (loss.severity, loss.fetched_from) == ("fetchable", (2,))
    parts = [*asked("read", "first_line = 1", path="a.py"), Message("user", "second_line = 2")]
    said = Conversation([Message("user", "Begin."), *parts, *FILLER, used("edit", old=old)])
    (loss,) = retention(replay(said, LAST)).losses
    assert (loss.severity, loss.fetched_from) == ("person", ())


def test_the_losses_are_counted_by_severity_and_the_needs_by_kind_of_value():
    said = [Message("user", "QX-55 flies to src/a.py at 14:30."), *asked("read_mail", "Pay 1,250 to Noor.", at="home")]
    needs = [used(code="QX-55"), used(path="src/a.py", when="14:30"), used(amount="1,250")]
    turns = [m for need in needs for m in (Message("user", "Go on."), need)]
    found = retention(replay(Conversation([*said, *FILLER, *turns]), LAST))
    assert found.by_severity == {
        "person": 3,
        "tool": 0,
        "assistant": 0,
        "system": 0,
        "injected": 0,
        "fetchable": 1,
    }
    assert {kind: (kept.total, kept.kept) for kind, kept in found.by_value.items() if kept.total} == {
        "id": (1, 0),
        "number": (1, 0),
        "date": (1, 0),
        "path": (1, 0),
    }
    for need, held in found.needed:
        loss = found.loss_of(need)
        assert (loss is None) == held
        assert loss is None or loss.value == need.value


@pytest.mark.parametrize(
    ("tool", "reads"),
    [
        ("Read", True),
        ("get_order_details", True),
        ("mcp__files__readFile", True),
        ("functions.list_dir", True),
        ("WebFetch", True),
        ("file_search", True),
        ("search_and_replace", False),
        ("mark_as_read", False),
        ("TodoWrite", False),
        ("run_tests", True),
        ("order_status", True),
        ("book_flight", False),
        ("generate_token", False),
        ("", True),
    ],
)
def test_a_tools_name_says_whether_the_same_call_would_tell_again(tool, reads):
    assert can_be_repeated(tool, "{}") is reads


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("cat src/a.py", True),
        ("cd src && grep -rn 'a|b' . 2>/dev/null | head -5", True),
        ("git log -3\nls", True),
        ("sed -n 1,20p a.py", True),
        ("view", True),
        ("bd show LP-7 && bd list --status=open", True),
        ("MIX_ENV=test timeout 30 mix test 2>&1 | tail -5", True),
        ("pytest -k create tests/create_x.py", True),
        ("python - <<'END'\ncreate = 3\nEND", True),
        ("gh issue view 3", True),
        ("git -C src log", True),
        ("find . -name '*.ex' -exec grep -l lamp {} +", True),
        ("find . -name '*.ex' -exec rm {} +", False),
        ("make test", True),
        ("cat a.py # | x", True),
        ("cat 'a", True),
        ("ls &", True),
        ("bd create --title LP-8", False),
        ("gh pr create --fill", False),
        ("git -C src commit -m x", False),
        ("mix ecto.migrate", False),
        ("psql -c 'insert into lamps values (1)'", False),
        ("curl -X POST https://example.org", False),
        ("uuidgen", False),
        ("echo $RANDOM", False),
        ("cat > a <<'END'\nb\nEND", False),
        ("cat a > b", False),
        ("find . -name '*.pyc' -delete", False),
        ("sed -i s/a/b/ a.py", False),
        ("git push", False),
        ("cat $(rm -rf x)", False),
        ("str_replace", False),
        ("", False),
    ],
)
def test_a_command_tells_again_unless_a_part_of_it_changes_something_or_is_another_each_time(command, reads):
    assert can_be_repeated("read_file", json.dumps({"command": command})) is reads
    assert can_be_repeated("shell", json.dumps({"command": ["bash", "-lc", command]})) is reads


def test_a_command_may_be_a_list_of_words():
    assert can_be_repeated("shell", '{"command": ["cat", "a file"]}')
    assert not can_be_repeated("shell", '{"command": ["rm", "-rf", "ls"]}')


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("cd src && sed -n 1,20p a.py | sort", True),
        ("git log --oneline", True),
        ("gh issue view 7", True),
        ("pytest tests", False),
        ("cat a.py && make test", False),
        ("rm a.py", False),
    ],
)
def test_a_command_only_reads_if_every_part_of_it_shows_something(command, reads):
    assert only_reads("shell", json.dumps({"command": command})) is reads


def test_what_is_committed_is_the_same_file():
    assert not may_change_files("shell", json.dumps({"command": "git add a.py && git commit -m 'Book it' && git push"}))
    assert may_change_files("shell", json.dumps({"command": "git checkout a.py"}))
    assert may_change_files("Edit", "{}")
    assert not may_change_files("Read", "{}")


def test_a_call_is_known_where_decisions_part_it_from_its_result():
    conversation = Conversation([Message("user", "Begin."), *asked("get_booking", "The code is QX-55."), *FILLER])
    apart = conversation.message_by_message()
    assert answered_call(apart, 2) == answered_call(conversation, 2) is not None
