"""Files in no known format: a shape that says where the messages are is proposed, chosen, saved and used again."""

from __future__ import annotations

import json

import pytest

from historylab.errors import LoadError, UnknownFormat
from historylab.formats.load import load
from historylab.formats.shapes.shape import Shape
from historylab.registry import members

TALK = [
    {"who": "bot", "said": "Hello, may I help you?", "at": 1},
    {"who": "visitor", "said": "My order is late.", "at": 2},
]
SHAPE = Shape("who", "said", "history", time="at")


def as_json(value) -> bytes:
    return json.dumps(value).encode()


def refused(content: bytes) -> UnknownFormat:
    with pytest.raises(UnknownFormat) as refusal:
        load(content)
    return refusal.value


def proposed(value) -> list[str]:
    return [str(proposal) for proposal in refused(as_json(value)).proposals]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"history": TALK * 26}, "Read `history` (52 items: who, said)?"),
        (
            {"history": [*TALK * 3, {"who": "bot", "said": ""}, {"who": "bot"}]},
            "Read `history` (6 of 8 items with words: who, said)?",
        ),
        ({"history": TALK * 400}, "Read `history` (800 items: who, said)?"),
        ({"rooms": [{"log": TALK}] * 40}, "Read `rooms.log` (80 items: who, said)?"),
        ({"chat": {"log": TALK}, "meta": [{"a": 1}]}, "Read `chat.log` (2 items: who, said)?"),
        ({"rooms": [{"log": TALK}, {"log": TALK}]}, "Read `rooms.log` (4 items: who, said)?"),
        ({"log": {"-Ma": TALK[0], "-Mb": TALK[1]}}, "Read `log` (2 items: who, said)?"),
        ({"rooms": {"-Ma": {"log": TALK}, "-Mb": {"log": TALK}}}, "Read `rooms.log` (4 items: who, said)?"),
        (
            [
                {"by": {"kind": "human"}, "body": {"plain": "where is it now?"}},
                {"by": {"kind": "ai"}, "body": {"plain": "it is on its way"}},
            ],
            "Read the file (2 items: by.kind, body.plain)?",
        ),
    ],
)
def test_a_list_of_things_with_a_role_and_a_text_is_proposed(value, sentence):
    assert proposed(value)[0] == sentence
    assert sentence in str(refused(as_json(value)))


@pytest.mark.parametrize(
    "value", [{"a": [1, 2]}, {"rows": [{"x": 1, "y": "one two three four five six"}]}, [[]], {}, {"": {"log": TALK}}]
)
def test_nothing_is_proposed_where_nobody_speaks(value):
    assert proposed(value) == []


def test_where_nothing_is_proposed_the_lists_and_their_keys_are_named():
    value = {"orders": [{"no": 1}, {"no": 2, "sum": 3}], "shops": {"open": [{"city": "Bree"}]}, "names": ["a"]}
    assert refused(as_json(value)).lists == {"orders": ("no", "sum"), "shops.open": ("city",)}
    assert refused(as_json({"log": TALK})).lists == {}


def test_the_most_plausible_proposal_comes_first():
    value = {"tags": [{"type": "user", "label": "a word"}] * 2, "talk": [{"who": "bot", "said": "Yes, of course."}] * 9}
    assert proposed(value)[0].startswith("Read `talk`")


def test_a_proposal_reads_what_it_says():
    content = as_json({"history": TALK * 26})
    loaded = load(content, shape=refused(content).proposals[0].shape)
    assert (len(loaded), len(loaded[0]), loaded.report.format) == (1, 52, "Shape")
    assert [m.role for m in loaded[0]][:2] == ["assistant", "user"]
    assert loaded.report.warnings["a field 'at' not read"].count == 52


def test_a_shape_names_roles_times_names_ids_and_conversations():
    rows = [
        {"u": "mia", "t": "one", "k": "a", "n": "Mia", "at": "2026-01-01T00:00:00", "id": 7},
        {"u": "hal", "t": {"deep": 1}, "k": "b"},
        {"u": "hal", "t": "three", "k": "a"},
    ]
    shape = Shape("u", "t", "", "n", "at", "id", "k", {"hal": "assistant", "mia": "user"})
    first, second = load(b"\n".join(map(as_json, rows)), shape=shape)
    assert [(m.role, m.content, m.name, m.id) for m in first] == [
        ("user", "one", "Mia", "7"),
        ("assistant", "three", None, None),
    ]
    assert (first[0].timestamp, first.title, second[0].content) == ("2026-01-01T00:00:00", "a", '{"deep":1}')


def test_every_list_at_the_end_of_a_path_is_a_conversation():
    loaded = load(
        as_json({"rooms": [{"history": TALK}, {"history": TALK}]}), shape=Shape("who", "said", "rooms.history")
    )
    assert [len(conversation) for conversation in loaded] == [2, 2]
    assert len({conversation.title for conversation in loaded}) == 1  # what is said first, not where it is


def test_columns_of_a_table_can_be_read():
    loaded = load(b"who,said\nmia,hello\nhal,hi\n", shape=Shape("who", "said", roles={"hal": "assistant"}))
    assert [(m.role, m.name, m.content) for m in loaded[0]] == [("user", "mia", "hello"), ("assistant", "hal", "hi")]


def test_of_two_speakers_that_the_shape_gives_no_role_the_second_is_the_assistant():
    talk = [{"by": "c", "text": "is it late?"}, {"by": "r", "text": "half past nine"}, {"by": "c", "text": "thanks"}]
    (found,) = load(as_json({"log": talk}), shape=Shape("by", "text", "log"))
    assert [(m.role, m.name) for m in found] == [("user", "c"), ("assistant", "r"), ("user", "c")]


def test_a_shape_is_saved_and_used_again(tmp_path):
    path = tmp_path / "shape.json"
    SHAPE.save(path)
    assert Shape.read(path) == SHAPE
    assert len(load(as_json({"history": TALK}), shape=path)[0]) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[", "it is no JSON"),
        ("[]", "it is a list, not an object"),
        ('{"role": "a"}', "it names no field for text, parts, calls or results"),
        ('{"role": "a", "text": "b", "wohs": 1}', "it has a field 'wohs'; known are role, text, items"),
        ('{"role": "a", "text": 5}', "text is a number, not the name of a field"),
        ('{"role": "a", "text": "b", "roles": {"x": 1}}', "roles is no object of speakers and their roles"),
        (
            '{"role": "a", "text": "b", "roles": {"x": "wizard"}}',
            "roles has a role 'wizard'; known are user, assistant",
        ),
        ('{"role": "a", "text": "b", "items": [3]}', "items is a list, not the name of a field"),
        ('{"role": "a", "text": "b' + ".b" * 50 + '"}', "text is a path of more than 50 keys or 1,000 characters"),
        (
            '{"role": "a", "text": "b", "only": {"' + "x" * 1001 + '": []}}',
            "only is a path of more than 50 keys or 1,000",
        ),
        ('{"text": "b"}', "it names no field for role"),
        ('{"role": "a", "text": []}', "text is a list, not the name of a field"),
        ('{"role": "a", "text": "b", "only": {"x": "y"}}', "only is no object of fields, each with a list of its"),
        ('{"role": "a", "parts": "b", "kinds": {"t": {"words": "x"}}}', "kinds 't' says none of text, thinking, media"),
        ('{"role": "a", "parts": "b", "kinds": {"t": {"call": {"key": "x"}}}}', "call has a field 'key'; known are id"),
        ('{"role": "a", "calls": {"items": "x", "text": "y"}}', "calls has a field 'text'; known are items, id, name"),
        ('{"role": "a", "text": "b", "usage": {"in": "x"}}', "usage has a field 'in'; known are input, output"),
    ],
)
def test_what_is_no_shape_is_refused_in_words(tmp_path, text, why):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(LoadError, match=r"the shape .* can't be") as refusal:
        load(as_json(TALK), shape=tmp_path / "m.json")
    assert why in str(refusal.value)
    with pytest.raises(LoadError, match=r"can't be read: no such file"):
        load(as_json(TALK), shape=tmp_path / "none.json")


def test_every_kind_is_written_and_read_as_the_same_shape():
    kinds = [each.attributes["shape"] for each in members("format").values() if "shape" in each.attributes]
    assert kinds
    assert [Shape.of(json.loads(shape.as_json)) for shape in kinds] == kinds


def test_todays_mapping_is_a_shape_by_its_former_name(tmp_path):
    (tmp_path / "m.json").write_text('{"items": "history", "role": "who", "text": "said", "roles": {"bot": "system"}}')
    (found,) = load(as_json({"history": TALK}), mapping=tmp_path / "m.json")
    assert [m.role for m in found] == ["system", "user"]


def test_a_shape_that_fits_nothing_says_so():
    with pytest.raises(LoadError, match="could be read by the shape; name the list, who speaks and the text as"):
        load(as_json({"a": 1}), shape=SHAPE)


def test_a_list_that_the_file_lacks_is_named_with_those_it_has():
    with pytest.raises(LoadError, match="no list `event` is in this file; it has `events`"):
        load(as_json({"events": TALK}), shape=Shape("who", "said", "event"))


def test_several_paths_may_lead_to_ids_parents_and_conversations():
    given = {"role": "who", "text": "said", "id": ["no", "n"], "parent": ["no", "p"], "conversation": ["no", "k"]}
    turns = [TALK[1] | {"n": 1, "p": None, "k": "a"}, TALK[0] | {"n": 2, "p": 1, "k": "a"}]
    (found,) = load(as_json(turns), shape=Shape.of(given))
    assert ([m.id for m in found], found.title) == (["1", "2"], "a")


def test_who_is_neither_user_nor_assistant_is_not_made_a_user():
    words = {"customer": "Where is my order now?", "bot": "I am looking it up.", "lookup": '{"status": "sent"}'}
    events = [{"who": who, "said": said, "at": 1_760_000_000} for who, said in words.items()]
    (offered, *_) = refused(as_json({"events": events})).proposals
    (found,) = load(as_json({"events": events}), shape=offered.shape)
    assert ([m.role for m in found], offered.shape.time) == (["user", "assistant", "lookup"], "at")
