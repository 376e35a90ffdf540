"""Any function of an app's own, driven request by request: the shapes it may have, and its faults."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from functools import partial

import pytest
from driven_trimmers import support_chat
from sketches import conv

from historylab import replay
from historylab.costs.traffic import billed_traffic
from historylab.errors import SettingsError, UnknownMember

CHAT = conv("s u a u a u a u")
UNKNOWN = "KKKKKKKK"  # all that a failed request can have held


def newest(messages):
    return messages[-3:]


def sketches(trimmer, conversation=CHAT, **how):
    return [plan.sketch() for plan in replay(conversation, trimmer=trimmer, **how).plans]


def errors(trimmer, conversation=CHAT, **how):
    return dict(replay(conversation, trimmer=trimmer, **how).errors)


# -- what may be given


class Window:
    """A trimmer as a class, an instance of which counts how often it was asked."""

    made = 0

    def __init__(self, count=3):
        self.count, self.asked = count, 0
        type(self).made += 1

    def __call__(self, messages):
        self.asked += 1
        return messages[-self.count :]

    def of(self, messages):
        return messages[-self.count :]


async def awaited(messages):
    await asyncio.sleep(0)
    return messages[-3:]


def one_by_one(messages):
    yield from messages[-3:]


async def one_by_one_awaited(messages):
    for message in messages[-3:]:
        yield message


class Awaited:
    async def __call__(self, messages):
        return tuple(messages[-3:])


def with_count(messages, count):
    return messages[-count:]


@pytest.mark.parametrize(
    "trimmer",
    [
        newest,
        Window,
        Window(),
        Window().of,
        partial(with_count, count=3),
        awaited,
        Awaited(),
        one_by_one,
        one_by_one_awaited,
        lambda *messages: messages[0][-3:],
        lambda messages: messages.__delitem__(slice(0, -3)),
    ],
)
def test_whatever_can_be_called_with_messages_is_driven(trimmer):
    assert sketches(trimmer) == ["KK", "DKKK", "DDDKKK", "DDDDDKKK"]


def test_options_go_to_the_function_or_to_the_class():
    assert sketches(with_count, count=1)[-1] == "DDDDDDDK"
    assert sketches(Window, count=2)[-1] == "DDDDDDKK"


def test_a_class_is_made_once_for_each_conversation():
    before = Window.made
    replay(CHAT, trimmer=Window)
    assert Window.made == before + 1


def test_every_request_is_asked_once_with_the_whole_history():
    asked = []
    replay(CHAT, trimmer=lambda messages: asked.append(len(messages)) or messages)
    assert asked == CHAT.columns.requests.tolist()


def test_each_request_gets_a_fresh_copy():
    def spoil(messages):
        for message in messages:
            message["content"] += "!"
        return messages[-1:]

    plans = replay(CHAT, trimmer=spoil).plans
    assert [plan.render()[-1].content.count("!") for plan in plans] == [1, 1, 1, 1]
    assert all("!" not in message.content for message in CHAT)


def test_editing_in_place_counts_where_nothing_is_returned_and_is_noted():
    timeline = replay(CHAT, trimmer=lambda messages: messages.clear())
    assert timeline.plans[-1].sketch() == "DDDDDDDD"
    assert any("in place" in note for note in timeline.run.notes)
    assert not replay(CHAT, trimmer=newest).run.notes


def test_it_runs_beside_a_running_loop():
    async def within():
        return sketches(awaited)

    assert asyncio.run(within())[-1] == "DDDDDKKK"


# -- carried on


def test_the_whole_history_comes_back_unless_it_is_carried():
    def thin(messages):
        return messages[1:] if len(messages) > 4 else messages

    assert sketches(thin) == ["KK", "KKKK", "DKKKKK", "DKKKKKKK"]
    assert sketches(thin, carry=True) == ["KK", "KKKK", "DKKKKK", "DDKKKKKK"]


def test_what_was_said_while_it_failed_is_in_the_list_that_is_carried():
    def trim(messages):
        if messages[-1]["content"] == CHAT[5].content:
            raise LookupError
        return messages[-4:]

    assert sketches(trim, carry=True) == ["KK", "KKKK", "KKKKKK", "DDDDKKKK"]


# -- its faults


def raising(problem):
    def trim(messages):
        if len(messages) == 6:
            raise problem
        return messages

    return trim


class Mute(Exception):
    def __str__(self):
        raise ValueError


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (KeyError("role"), "it raised KeyError: 'role'"),
        (SystemExit(3), "it raised SystemExit: 3"),
        (KeyboardInterrupt(), "it raised KeyboardInterrupt"),
        (TimeoutError("its own"), "it raised TimeoutError: its own"),
        (RuntimeError("two\nlines"), "it raised RuntimeError: two lines"),
        (Mute(), "it raised Mute"),
    ],
)
def test_a_request_at_which_it_raises_is_unknown_and_the_rest_goes_on(problem, said):
    timeline = replay(CHAT, trimmer=raising(problem))
    assert dict(timeline.errors) == {2: said}
    assert [step.known for step in timeline.steps] == [True, True, False, True]
    assert [step.error for step in timeline.steps] == ["", "", said, ""]


RUBBISH = (
    None, 3, 0.5, True, "text", b"bytes", {}, {"messages": []}, object(), list, [1], [None], ["text"], [[]], [{}],
    [{"content": "of nobody"}], [{"role": None}], [{"role": "user", "content": 5}], [object()], [float("nan")],
    [{"role": "assistant", "tool_calls": "look"}], [{"role": "assistant", "tool_calls": [{"id": 1}]}],
)  # fmt: skip


@pytest.mark.parametrize("rubbish", RUBBISH[1:], ids=range(1, len(RUBBISH)))
def test_what_is_no_list_of_messages_is_an_error(rubbish):
    assert set(errors(lambda messages: rubbish)) == {0, 1, 2, 3}


def test_a_list_that_fails_while_it_is_read_is_an_error():
    def broken(messages):
        yield messages[0]
        raise OSError("gone")

    assert errors(broken)[0] == "it raised OSError: gone"


def test_one_late_answer_is_one_unknown_request():
    hold = threading.Event()

    def late_once(messages):
        if len(messages) == 4:
            hold.wait(30)
        return messages[-3:]

    found = errors(late_once, seconds=0.2)
    hold.set()
    assert found == {1: "it gave no answer in 0.2 s"}


def test_three_late_answers_in_a_row_are_the_end_of_asking():
    hold, asked = threading.Event(), []

    def late(messages):
        asked.append(len(messages))
        hold.wait(30)

    found = errors(late, seconds=0.05)
    hold.set()
    assert (asked, list(found)) == ([2, 4, 6], [0, 1, 2, 3])
    assert found[3] == "not asked any more: 3 times in a row it gave no answer"


def test_an_instance_that_hangs_is_left_for_another():
    hold = threading.Event()

    class Grows:
        asked = 0

        def __call__(self, messages):
            self.asked += 1
            if len(messages) == 4:
                hold.wait(30)
            return messages[-self.asked :]

    found = sketches(Grows, seconds=0.2)
    hold.set()
    assert found == ["DK", "KKKK", "DDDDDK", "DDDDDDKK"]


def test_a_failed_request_is_neither_refused_nor_paid():
    chat = support_chat()
    last = chat.columns.requests.item(-1)

    def results_alone(messages):
        if len(messages) == last:
            raise LookupError
        return [message for message in messages if message["role"] == "tool"] or messages

    timeline = replay(chat, trimmer=results_alone)
    paid = billed_traffic(timeline).sent
    assert (timeline.refused.any(), timeline.refused.item(-1)) == (True, False)
    assert (paid[:-1].min() > 0, paid.item(-1)) == (True, 0)


# -- what can't be driven


class Silent:
    """A class whose instances can't be called."""


class Usual:
    """A class with a method that trims."""

    def trim(self, messages):
        return messages


usual = Usual()


@pytest.mark.parametrize(
    ("trimmer", "said"),
    [
        (Silent, "instances of Silent can't be called with messages: give it a __call__"),
        (Usual, "name {__name__}:usual.trim"),
        (Usual(), "a Python Usual can't be called with messages: name a method of it, as in usual.trim"),
        (f"{__name__}:Usual.trim", "Usual.trim is a method of each instance: name {__name__}:usual.trim"),
        (lambda context, messages: messages, "annotate 'context' RunContext if it is a context"),
        ("app/history.py:trim", "write app.history:trim"),
        ("langchain", "choose one of langchain.ClearToolUsesEdit, langchain.Summ"),
        ("app.history", "a function of yours is named with its module, as in app.history:trim"),
        ("json.decoder:nope", "it has "),
        (Silent(), "a Python Silent can't be called"),
        (5, "a Python int can't be called"),
        (lambda: [], "takes no messages"),
        (lambda *, messages: messages, "takes no messages"),
        (with_count, "it needs 'count': --trimmer-option count="),
        ("json", "there is no trimmer 'json'"),
        (":trim", "isn't module:function"),
        ("json:", "isn't module:function"),
        ("no_such_app.history:trim", "there is no module 'no_such_app'"),
        ("json:trim", "json has no 'trim'"),
        ("textwrap:dedentt", "did you mean dedent"),
    ],
)
def test_what_cannot_be_driven_is_a_mistake(trimmer, said):
    with pytest.raises((SettingsError, UnknownMember), match=re.escape(said.replace("{__name__}", __name__))):
        replay(CHAT, trimmer=trimmer)


def test_a_tuple_of_messages_and_more_says_what_to_return():
    assert errors(lambda messages: (messages, 3))[0] == "it returned a tuple of 2: return the list of messages alone"


def test_the_file_that_a_name_was_taken_for_is_said(here):
    (here / "napp.py").write_text("")
    with pytest.raises(SettingsError, match=r"no module 'napp\.history'.*; napp is .*napp\.py"):
        replay(CHAT, trimmer="napp.history:trim")


def test_an_option_that_it_does_not_take_is_a_mistake():
    with pytest.raises(SettingsError, match="unexpected keyword argument 'budget'"):
        replay(CHAT, trimmer=newest, budget=3)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), None, "3"])
def test_a_time_that_is_none_is_a_mistake(seconds):
    with pytest.raises(SettingsError, match="number of seconds above 0"):
        replay(CHAT, trimmer=newest, seconds=seconds)


def test_it_may_have_all_the_time_there_is():
    assert sketches(newest, seconds=float("inf"))[-1] == "DDDDDKKK"


def test_what_is_of_our_stages_is_none_of_its_options():
    with pytest.raises(TypeError, match="a trimmer takes neither"):
        replay(CHAT, trimmer=newest, store="memory://")


# -- by its name


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("napp")]:
        del sys.modules[name]


def test_a_name_is_looked_for_in_the_current_folder(here):
    (here / "napp").mkdir()
    (here / "napp" / "history.py").write_text(
        "class Own:\n    @staticmethod\n    def trim(ms):\n        return ms[-3:]\n"
    )
    timeline = replay(CHAT, trimmer="napp.history:Own.trim")
    assert (timeline.plans[-1].sketch(), timeline.run.choice.name) == ("DDDDDKKK", "napp.history:Own.trim")


@pytest.mark.parametrize("package", [True, False])
def test_the_current_folder_comes_before_another_module_of_that_name(here, monkeypatch, package):
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "napp.py").write_text("")
    monkeypatch.syspath_prepend(here / "elsewhere")
    __import__("napp")
    (here / "napp").mkdir()
    (here / "napp" / "history.py").write_text("def trim(messages):\n    return messages[-3:]\n")
    if package:
        (here / "napp" / "__init__.py").write_text("")
    assert sketches("napp.history:trim")[-1] == "DDDDDKKK"


def test_a_folder_of_files_hides_no_module_of_that_name(here):
    (here / "textwrap").mkdir()
    assert errors("textwrap:dedent") and "textwrap.py" in sys.modules["textwrap"].__file__


def test_a_module_is_imported_once(here):
    (here / "napp_once.py").write_text("made = []\ndef trim(messages):\n    made.append(1)\n    return messages\n")
    replay(CHAT, trimmer="napp_once:trim")
    replay(CHAT, trimmer="napp_once:trim")
    assert len(sys.modules["napp_once"].made) == 8


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_library", "there is no module 'no_such_library', which napp_broken imports"),
        ("raise SystemExit('closed')", "napp_broken can't be imported: SystemExit: closed"),
        ("def trim(:", "napp_broken can't be imported: SyntaxError"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(here, code, said):
    (here / "napp_broken.py").write_text(code)
    with pytest.raises(SettingsError, match=said):
        replay(CHAT, trimmer="napp_broken:trim")
