"""Messages written anew: their media travel, the caller's other fields stay, and nothing nested is shared."""

from __future__ import annotations

import copy

import pytest

from historylab import Settings, trim
from historylab.conversation.message import Message
from historylab.formats.messages.chat_messages import to_message, to_record
from historylab.formats.messages.rewritten import copy_nested, in_one, in_role, with_text

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lG", "detail": "low"}}
SOUND = {"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}
SEEN = {"role": "user", "name": "ann", "content": [PICTURE, {"type": "text", "text": "What is this?"}, SOUND], "x": [1]}
CUT = {"tool_output": "truncate", "tool_output.truncate.limit": 2}
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
LOOKED = [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {
        "role": "tool",
        "tool_call_id": "c",
        "name": "look",
        "content": [{"type": "text", "text": "seen " * 90}, PICTURE],
        "mine": {"deep": [1]},
        "timestamp": "2026-01-01T00:00:00Z",
    },
]


class Opaque:
    """A framework's own object, which a hook keeps in the dict."""


def nested(value: object) -> list[object]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [x for one in inner for x in [one, *nested(one)] if isinstance(x, dict | list)]


def test_a_shortened_message_keeps_its_media_in_their_places():
    short = with_text(to_message(SEEN), "What?")
    assert short.source == {**SEEN, "content": [PICTURE, {"type": "text", "text": "What?"}, SOUND]}
    assert short.media == ("image", "audio")


def test_what_is_said_beside_the_content_goes_with_the_text_it_was_read_as():
    spoken = {"role": "assistant", "content": None, "audio": {"id": "a1", "transcript": "late " * 90}}
    assert with_text(to_message(spoken), "late").source == {**spoken, "content": "late", "audio": {"id": "a1"}}
    refused = {"role": "assistant", "content": None, "refusal": "no " * 90}
    assert with_text(to_message(refused), "no").source == {"role": "assistant", "content": "no"}


def test_where_the_text_stands_for_the_whole_it_stands_alone():
    alone = with_text(to_message(SEEN), "[cleared]", media=False)
    assert (alone.source, alone.media) == ({**SEEN, "content": "[cleared]"}, ())


def test_in_another_role_text_and_media_travel_and_nothing_else():
    other = in_role(to_message({**SEEN, "role": "assistant"}), "user", "ann: what?", name=None)
    assert other.source == {"role": "user", "content": [PICTURE, {"type": "text", "text": "ann: what?"}, SOUND]}
    assert in_role(to_message({"role": "user", "content": "hi"}), "user", "ann: hi").source is None


def test_one_message_of_several_holds_the_media_of_all():
    one = in_one("user", "all of it", [to_message(SEEN), to_message({"role": "user", "content": [PICTURE]})])
    assert one.source == {"role": "user", "content": [{"type": "text", "text": "all of it"}, PICTURE, SOUND, PICTURE]}
    assert one.media == ("image", "audio", "image")


def test_what_is_not_held_is_said_in_words():
    spoken = to_message({"role": "assistant", "content": "Hm.", "audio": {"id": "a1"}})
    assert to_record(in_role(spoken, "user", "fern: Hm.")) == {"role": "user", "content": "fern: Hm.\n[audio]"}
    both = in_one("user", "Hm.", [to_message(SEEN), Message("user", "a file's", media=("image",))])
    assert to_record(both)["content"] == "Hm.\n[image]\n[audio]\n[image]"


def test_a_copy_shares_no_dict_or_list_and_keeps_what_else_there_is():
    held = Opaque()
    given = {"a": [{"b": ({"c": 1}, held)}], "given": held}
    new = copy_nested(given)
    assert new == given
    assert not {id(x) for x in nested(given)} & {id(x) for x in nested(new)}
    assert new["given"] is new["a"][0]["b"][1] is held


@pytest.mark.parametrize(
    "settings",
    [
        Settings(policy="all", **CUT),
        Settings(policy="all", pruner="pairs", **{"pruner.pairs.characters": 9}),
        Settings(policy="all", layout="tagged_prompt"),
        Settings(policy="all", projection="point_of_view", **{"projection.point_of_view.agent": "moss"}),
    ],
    ids=["shortened", "cut", "layout", "projection"],
)
def test_trim_shares_nothing_nested_with_the_callers_objects_and_sends_every_picture(settings):
    given = [SEEN, {"role": "assistant", "content": "A fern. " * 9, "name": "fern"}, *LOOKED]
    before = copy.deepcopy(given)
    sent = trim(given, settings)
    new = [message for message in sent if not any(message is one for one in given)]
    assert new
    assert not {id(x) for x in nested(new)} & {id(x) for x in nested(given)}
    assert sum(str(message).count("image_url': {") for message in sent) == 2
    for message in new:
        message.clear()
    assert given == before


def test_a_shortened_message_keeps_every_field_of_the_callers():
    result = trim(LOOKED, Settings(policy="all", **CUT))[-1]
    assert {**result, "content": LOOKED[-1]["content"]} == LOOKED[-1]
    assert result["content"][0]["text"].startswith("seen")
    assert result["content"][1] == PICTURE


@pytest.mark.parametrize("stage", ["clear", "collapse"])
def test_what_is_cleared_goes_with_its_pictures(stage):
    options = {"tool_output.clear.keep": 0, "tool_output.clear.batch": 1, "tool_output.collapse.turns": 0}
    result = trim(LOOKED, Settings(policy="all", tool_output=stage, options=options))[-1]
    assert isinstance(result["content"], str)
    assert result["mine"] == {"deep": [1]}


def test_a_message_object_is_shortened_with_all_it_says():
    class Dumped:
        def model_dump(self):
            return {**LOOKED[-1], "audio": None}

    result = trim([*LOOKED[:2], Dumped()], Settings(policy="all", **CUT))[-1]
    assert {**result, "content": LOOKED[-1]["content"]} == LOOKED[-1]
