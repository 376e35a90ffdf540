"""The report: a whole page in one file that loads nothing, runs nothing, and shows hostile text as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from sketches import conv

from historylab import Conversation, Message, Settings, ToolCall, replay, resolve_settings
from historylab.formats.samples import load_sample
from historylab.recall.must_remember import track_must_remember
from historylab.reports.report import report

HOSTILE = (
    "<script>window.harmed = 1</script>",
    "<img src=x onerror='window.harmed = 2'>",
    '![x](https://example.invalid/x.png) <a href="javascript:window.harmed=3">click</a>',
    "</style></pre><svg onload=window.harmed=4>",
    "\u202eright to left",
    "\ud800 lone",
    "A" * 1_000_000,
)


class Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "line", "path", "circle", "polyline"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data


def hostile() -> Conversation:
    said = [m for text in HOSTILE for m in (Message("user", text, name=text), Message("assistant", text))]
    call = Message("assistant", HOSTILE[0], tool_calls=(ToolCall("1", HOSTILE[1], HOSTILE[0]),))
    return Conversation([*said, call, Message("tool", HOSTILE[1], tool_call_id="1"), Message("user", "?")], HOSTILE[1])


def test_it_has_verdict_settings_with_sources_chart_and_every_message():
    resolution = resolve_settings(env={"HISTORYLAB_BUDGET": "400"}, url="historyLength=3")
    timeline = replay(load_sample()[0], resolution.settings)
    page = Page(report(timeline, 40, resolution))
    for words in (
        "At turn 41, the model sees",
        "Older than the last 3 user messages",
        "environment (HISTORYLAB_BUDGET)",
    ):
        assert words in page.text
    assert "URL (historyLength)" in page.text
    assert sum(tag == "svg" for tag, _ in page.tags) == 1
    assert page.open == []
    numbers = re.findall(r'class="number">([\d,]+)<', report(timeline, 40, resolution))
    assert [int(n.replace(",", "")) for n in numbers] == list(range(1, timeline.plans[40].size + 1))


def test_what_must_be_remembered_is_told_and_not_folded_away():
    timeline = replay(conv("s u a u a u a u a u"), Settings(length=1))
    starred = track_must_remember(timeline, [3])
    page = report(timeline, 4, starred=starred)
    assert "⚑ Message 4, which must be remembered, “w3 w3 w3 w3”, was lost at turn 3." in Page(page).text
    assert page.count("⚑ must remember") == 1
    assert "6 messages dropped" not in Page(page).text
    assert "⚑" not in report(timeline, 4)


def test_hostile_text_is_only_text_and_long_text_is_cut():
    settings = Settings(policy="all", pruner="off", model=HOSTILE[0], summary_heading=HOSTILE[1])
    timeline = replay(hostile(), settings)
    html = report(timeline, len(timeline.plans) - 1, resolve_settings(env={}, you=settings.values()))
    page = Page(html)
    assert not {"script", "img", "a", "link", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert sum(tag == "style" for tag, _ in page.tags) == 1
    assert "\u202e" not in html
    assert len(html.encode()) < 400_000
    assert HOSTILE[0] in page.text


def test_it_asks_for_nothing_from_anywhere():
    timeline = replay(hostile(), Settings())
    page = Page(report(timeline, 0))
    assert not [
        a for _, attributes in page.tags for a in attributes if a in ("src", "href", "srcset", "action", "data")
    ]
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert "url(" not in report(timeline, 0)


@pytest.mark.parametrize(
    ("sketch", "settings"),
    [
        ("u", Settings()),
        ("s u a u a(t t) a u", Settings(policy="none")),
        ("s u:200 a u:200 a u:200", Settings(pruner="summarize", budget=300, policy="all")),
        ("u:500 a u", Settings(policy="all", budget=10)),
        ("s u a " * 700 + "u", Settings()),
    ],
)
def test_every_kind_of_request_can_be_reported(sketch, settings):
    timeline = replay(conv(sketch), settings)
    for number in {0, len(timeline.plans) - 1}:
        assert Page(report(timeline, number)).open == []


def test_it_is_light_or_dark_as_the_reader_likes():
    html = report(replay(conv("u a u"), Settings()), 1)
    assert "prefers-color-scheme:dark" in html
    assert Page(html).open == []
