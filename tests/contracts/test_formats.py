"""The contract of formats, over every sample; and what each sample loads into (tests/golden/samples.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from historylab.conversation.conversation import Conversation
from historylab.formats.content import Content
from historylab.formats.load import load, match_strengths
from historylab.formats.samples import Sample, load_sample, samples
from historylab.registry import members

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "samples.json").read_text(encoding="utf-8"))
every_sample = pytest.mark.parametrize("sample", samples().values(), ids=list(samples()))
every_format = pytest.mark.parametrize("candidate", members("format").values(), ids=list(members("format")))


def sketch(conversation: Conversation) -> str:
    """Initials of the roles, calls in brackets: "s u a(2)tt a"."""
    return "".join(m.role[0] + (f"({len(m.tool_calls)})" if m.tool_calls else "") for m in conversation)


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
    assert sample.path.stat().st_size < 100_000
    assert sample.title
    assert sample.description.endswith(".")
    assert any(len(c.columns.requests) for c in load_sample(sample.name))
