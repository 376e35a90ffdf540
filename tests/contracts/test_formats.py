"""The contract of formats, over every sample; and what each sample loads into (tests/golden/samples.json)."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from format_samples import as_golden, damages, expected, format_samples, outcome, retypings, sketch

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.convert import LOSSLESS, write
from historylab.formats.detect import match_strengths
from historylab.formats.files.content import Content
from historylab.formats.load import load
from historylab.formats.plain.historylab import record_beside
from historylab.formats.samples import Sample, load_sample, samples
from historylab.registry import members

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "samples.json").read_text(encoding="utf-8"))
every_sample = pytest.mark.parametrize("sample", samples().values(), ids=list(samples()))
FOLDER = Path(__file__).parent.parent / "formats" / "samples"
FILES = [file for file in format_samples(FOLDER) if file.member in members("format")]
every_file = pytest.mark.parametrize("file", FILES, ids=str)
WRITERS = {name: m for name, m in members("format").items() if m.attributes.get("write")}
every_writer = pytest.mark.parametrize("name", WRITERS)
every_format = pytest.mark.parametrize("candidate", members("format").values(), ids=list(members("format")))


def golden(sample: Sample) -> dict:
    loaded = load(sample.path)
    found = [{"title": c.title, "roles": sketch(c), "digest": c.digest} for c in loaded]
    return {"report": str(loaded.report), "conversations": found}


@every_sample
def test_a_sample_loads_into_what_it_did_before(sample):
    now = golden(sample)
    assert GOLDEN.get(sample.name) == now, f"golden line:\n{json.dumps({sample.name: now}, ensure_ascii=False)}"


def test_no_golden_line_is_left_over():
    assert set(GOLDEN) == set(samples())


@every_format
def test_a_format_has_a_sample(candidate):
    """A file of our own in tests/formats/samples/NAME, or a function in tests/support/binary_samples.py."""
    assert candidate.name in {file.member for file in FILES}


@every_file
def test_a_format_reads_its_sample_as_it_did_before(file):
    loaded = load(file.data, name=file.name)
    assert loaded.report.member == file.member
    now = outcome(loaded)
    frozen = expected(FOLDER, file.member).get(file.name)
    assert frozen == now, f"golden entry of samples/{file.member}/expected.json:\n{as_golden(file.name, now)}"


@every_file
def test_a_format_is_surer_of_its_sample_than_any_other(file):
    claims = match_strengths(Content(file.data, file.name))
    others = [sure for name, sure in claims.items() if name != file.member]
    assert claims.get(file.member, 0) > max(others, default=0)


@every_file
def test_a_damaged_sample_raises_nothing_but_our_errors(file):
    for damaged, chosen in itertools.product(damages(file.data), (None, file.member)):
        try:
            load(damaged, chosen, name=file.name)
        except LoadError as refused:
            assert "\n" not in str(refused)


@every_file
def test_a_sample_with_values_of_other_kinds_raises_nothing_but_our_errors(file):
    for changed, chosen in itertools.product(retypings(file.data), (None, file.member)):
        try:
            load(changed, chosen, name=file.name)
        except LoadError as refused:
            assert "\n" not in str(refused)


def gist(conversation: Conversation) -> list:
    """What every format that can be written has a place for."""
    return [
        (m.role, m.content, [(c.id, c.name, json.loads(c.arguments)) for c in m.tool_calls], m.tool_call_id)
        for m in conversation
    ]


TALK = Conversation(
    [
        Message("system", "be brief"),
        Message("user", "look, and listen"),
        Message("assistant", "I do", tool_calls=(ToolCall("a1", "look", '{"at": 1}'), ToolCall("a2", "listen", "{}"))),
        Message("tool", "a bird", tool_call_id="a1"),
        Message("tool", "no ear", tool_call_id="a2", metadata={"is_error": True}),
        Message("assistant", "A bird."),
        Message("user", "thanks"),
    ]
)


@every_writer
def test_what_a_format_wrote_is_recognised_and_read_as_the_same(name):
    loaded = load(write(TALK, name).text.encode())
    assert loaded.report.member == name
    assert gist(loaded[0]) == gist(TALK)


@every_writer
def test_several_conversations_are_written_and_read(name):
    loaded = load(write([TALK, TALK], name).text.encode(), name="two.jsonl")
    assert [gist(conversation) for conversation in loaded] == [gist(TALK)] * 2


@cache
def first_conversations() -> list[Conversation]:
    """The first conversation of every sample in which anything is said."""
    found = (load(file.data, name=file.name)[0] for file in FILES)
    return [conversation for conversation in found if any(m.content for m in conversation)]


@every_writer
def test_whatever_was_read_is_written_so_that_it_is_read_again(name):
    """A plain list of roles and texts is every chat API's, read as Chat Completions; or Cline's, by the tags in it."""
    for conversation in first_conversations():
        (again,) = loaded = load(write(conversation, name).text.encode())
        assert loaded.report.member in (name, "chat_completions", "cline_task")
        assert not loaded.report.skips
        if name == LOSSLESS:
            assert (again.messages, again.branches) == (conversation.messages, conversation.branches)


@every_file
def test_the_lossless_form_holds_the_records_of_media_and_of_what_is_not_read(file):
    loaded = load(file.data, name=file.name)
    again = load(write(loaded).text.encode(), name="several.jsonl")
    read = [[(m.media, record_beside(m)) for m in c] for c in loaded]
    assert all(record for c in read for media, record in c if media and file.member != LOSSLESS)
    assert [[(m.media, m.source) for m in c] for c in again] == read


LABELLED = Message(
    "user",
    "hi",
    id="m1",
    name="Ines",
    media=("image",),
    timestamp="2026-02-01T08:00:00Z",
    pinned=True,
    metadata={"mood": "fine"},
)


@every_writer
@pytest.mark.parametrize("field", ["id", "name", "media", "timestamp", "pinned", "metadata"])
def test_what_a_format_has_no_place_for_is_named(name, field):
    labelled = getattr(LABELLED, field)
    given = Conversation([replace(TALK[1], **{field: labelled}), *TALK[2:]])
    written = write(given, name)
    again = load(written.text.encode(), name)[0][0]
    assert getattr(again, field) == labelled or written.losses.counts


@every_sample
def test_exactly_one_format_is_the_surest(sample):
    claims = sorted(match_strengths(Content(sample.path.read_bytes(), sample.path.name)).values())
    assert claims
    assert claims[-1] > (claims[-2] if len(claims) > 1 else 0)


@every_sample
def test_the_report_adds_up(sample):
    loaded = load(sample.path)
    assert loaded.report.conversations == len(loaded)
    assert loaded.report.messages == sum(map(len, loaded))
    assert loaded.report.records - loaded.report.skips > 0
    if loaded.report.format == "OpenAI Chat Completions":
        assert loaded.report.records == loaded.report.messages + loaded.report.skips


@every_sample
def test_loading_twice_and_from_bytes_gives_the_same(sample):
    first, second = load(sample.path), load(sample.path.read_bytes(), name=sample.path.name)
    assert [c.digest for c in first] == [c.digest for c in second]
    assert [c.title for c in first] == [c.title for c in second]


@every_format
def test_a_format_has_a_title_a_summary_and_a_strength(candidate):
    assert candidate.attributes["title"]
    assert candidate.summary
    assert candidate.attributes["recognise"](Content(b'{"nobody": "knows this"}')) == 0


@every_sample
def test_a_sample_is_small_described_and_ends_in_a_request(sample):
    assert sample.path.stat().st_size < 400_000
    assert sample.title
    assert sample.description.endswith(".")
    assert any(len(c.columns.requests) for c in load_sample(sample.name))
