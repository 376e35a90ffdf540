"""The report: a whole page in one file that loads nothing, runs its own script only, and shows hostile text as text."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from sketches import conv

from historylab import Conversation, Message, Settings, ToolCall, as_sent, replay, resolve_settings
from historylab.costs.bill import against_untrimmed
from historylab.formats.samples import load_sample
from historylab.recall.must_remember import track_must_remember
from historylab.recall.retention import retention
from historylab.reports.report import report
from historylab.reports.shown import Shown

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
        if tag not in ("meta", "line", "path", "circle", "polyline", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text += data


def hostile() -> Conversation:
    said = [m for text in HOSTILE for m in (Message("user", text, name=text), Message("assistant", text))]
    call = Message("assistant", HOSTILE[0], tool_calls=(ToolCall("1", HOSTILE[1], HOSTILE[0]),))
    return Conversation([*said, call, Message("tool", HOSTILE[1], tool_call_id="1"), Message("user", "?")], HOSTILE[1])


def test_it_has_verdict_settings_with_sources_chart_and_every_message():
    resolution = resolve_settings(env={"HISTORYLAB_BUDGET": "400"}, url="historyLength=3")
    timeline = replay(load_sample()[0], resolution.settings)
    page = Page(report([Shown(timeline, resolution)], 40))
    for words in (
        "Turn 41: ",
        "Older than the last 3 user messages",
        "environment (HISTORYLAB_BUDGET)",
    ):
        assert words in page.text
    assert "URL (historyLength)" in page.text
    assert "sample (historyLength)" in report([Shown(timeline, resolution, source_word=lambda _: "sample")], 40)
    assert sum(tag == "svg" and a.get("role") == "img" for tag, a in page.tags) == 2
    assert page.open == []
    numbers = re.findall(r'class="number">([\d,]+)<', report([Shown(timeline, resolution)], 40))
    assert [int(n.replace(",", "")) for n in numbers] == list(range(1, len(timeline.conversation) + 1))


def test_what_must_be_remembered_is_told_and_not_folded_away():
    timeline = replay(conv("s u a u a u a u a u"), Settings(length=1))
    starred = track_must_remember(timeline, [3])
    page = report([Shown(timeline, starred=starred)], 4)
    assert "⚑ Message 4, which must be remembered, “w3 w3 w3 w3”, was lost at turn 3." in Page(page).text
    assert page.count("⚑ must remember") == 1
    assert "6 messages dropped" not in Page(page).text
    assert "⚑" not in Page(report([Shown(timeline)], 4)).text


def test_it_says_what_the_cut_lost_and_costs():
    timeline = replay(load_sample("birthday-by-the-sea")[0], Settings())
    page = Page(report([Shown(timeline, cost=against_untrimmed(timeline), retained=retention(timeline))], 82))
    assert "21 of 141 needed facts missing" in page.text
    assert "Trimming costs 90% more, because it breaks the prompt cache at 63 of 83 requests" in page.text


def compared(**each) -> list[Shown]:
    conversation = conv("s u a u a u a u a u")
    return [Shown(replay(conversation, settings), letter=letter) for letter, settings in each.items()]


def test_several_configurations_share_one_list_with_the_decision_of_each():
    html = report(compared(A=Settings(length=1), B=Settings(length=4)), 4)
    page = Page(html)
    assert page.open == []
    assert [a["value"] for tag, a in page.tags if tag == "input"] == ["A", "B"]
    assert "the last 4 user messages" in page.text
    assert html.count("w3 w3 w3 w3") == 1 + html.count("“w3")
    line = re.search(r'<li id="message-4".*?</li>', html)[0]
    assert re.findall(r'<i class="(\w+)" data-of="(.)"', line) == [("dropped", "A"), ("kept", "B")]
    assert "dropped since turn 3. Older than the last user message" in Page(line).text


def test_only_what_all_of_them_lose_is_folded_away():
    folded = "messages dropped (2 – 9)"
    assert folded in Page(report(compared(A=Settings(length=1)), 4)).text
    assert folded in Page(report(compared(A=Settings(length=1), B=Settings(length=1, budget=999)), 4)).text
    assert folded not in Page(report(compared(A=Settings(length=1), B=Settings(length=3)), 4)).text


def test_a_summary_is_said_of_the_requests_that_send_it_and_by_whom():
    timeline = replay(conv("s u:60 a:60 u:60 a:60 u:60"), Settings(pruner="summarize", budget=200, policy="all"))
    assert [plan.summary.covers if plan.summary else 0 for plan in timeline.plans] == [0, 2, 4]
    pages = [report([Shown(timeline)], number) for number in range(3)]
    said = re.compile(r'class="made".*? data-since="(\d)" data-until="(\d)">(<details>)?')
    assert [said.search(page).groups() for page in pages] == [
        ("0", "1", None),
        ("1", "2", "<details>"),
        ("2", "3", "<details>"),
    ]
    assert "Σ A summary of 4 messages is sent instead: lines of the original" in Page(pages[2]).text
    assert 'class="made"' not in report(compared(A=Settings()), 1)


def test_settings_that_rewrite_the_conversation_have_a_list_of_their_own():
    conversation = load_sample("tide-tables-agent")[0]
    each = [Settings(), Settings(projection="collapsed_tools")]
    shown = [Shown(replay(conversation, s), letter=letter) for s, letter in zip(each, "AB", strict=True)]
    assert report(shown, 8).count('<ol class="messages"') == 2


def test_what_is_said_after_the_request_is_there_and_folded():
    assert "messages said later (5 – 10)" in Page(report(compared(A=Settings()), 1)).text


def test_hostile_text_is_only_text_and_long_text_is_cut():
    settings = Settings(policy="all", pruner="off", model=HOSTILE[0], summary_heading=HOSTILE[1])
    timeline = replay(hostile(), settings)
    html = report([Shown(timeline, resolve_settings(env={}, you=settings.values()))], len(timeline.plans) - 1)
    page = Page(html)
    assert not {"img", "a", "link", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert sum(tag == "style" for tag, _ in page.tags) == 2  # the page's and the map's
    assert "\u202e" not in html
    assert len(html.encode()) < 460_000
    assert HOSTILE[0] in page.text


def test_its_one_script_is_the_same_for_every_conversation_and_allowed_by_its_hash():
    files = [report([Shown(replay(made, Settings()))], 0) for made in (hostile(), conv("u a u"))]
    (script,) = {re.search('<script type="module">(.*)</script>', html, re.DOTALL)[1] for html in files}
    named = b64encode(sha256(script.encode()).digest()).decode()
    assert all(f"script-src 'sha256-{named}';" in html for html in files)
    assert not re.search(r"\beval\b|new Function|innerHTML|fetch\(|import\(|XMLHttpRequest", script)


def test_a_conversation_that_configurations_share_is_in_it_once():
    html = report(compared(A=Settings(length=1), B=Settings(length=4)), 4)
    assert html.count(" data-conversation=") == 1
    assert html.count(" data-timeline=") == 2


def test_it_asks_for_nothing_from_anywhere():
    timeline = replay(hostile(), Settings())
    page = Page(report([Shown(timeline)], 0))
    assert not [
        a for _, attributes in page.tags for a in attributes if a in ("src", "href", "srcset", "action", "data")
    ]
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"url\((?!#)|@import", report([Shown(timeline)], 0))


@pytest.mark.parametrize(
    ("sketch", "settings"),
    [
        ("u", Settings()),
        ("s u a u a(t t) a u", Settings(policy="none")),
        ("s u:200 a u:200 a u:200", Settings(pruner="summarize", budget=300, policy="all")),
        ("u:500 a u", Settings(policy="all", budget=10)),
        ("s u a " * 340 + "u", Settings()),
    ],
)
def test_every_kind_of_request_can_be_reported(sketch, settings):
    timeline = replay(conv(sketch), settings)
    for number in {0, len(timeline.plans) - 1}:
        assert Page(report([Shown(timeline)], number)).open == []


def test_it_is_light_or_dark_as_the_reader_likes():
    html = report([Shown(replay(conv("u a u"), Settings()))], 1)
    assert "prefers-color-scheme:dark" in html
    assert Page(html).open == []


def test_it_leads_with_what_the_cuts_took():
    timeline = as_sent(load_sample("held-for-the-auditors")[0])
    said = "Claude Code compacted this session before request 12 (manual, 23,484 → 16,181 tokens): of "
    assert said in Page(report([Shown(timeline)], 12)).text
    assert "compacted" not in Page(report([Shown(replay(conv("u a u"), Settings()))], 0)).text


def test_of_a_trimmer_it_says_who_decided_and_shows_no_settings_of_ours():
    def newest_two(messages):
        return messages[-2:]

    page = Page(report([Shown(replay(conv("u a u a u a"), trimmer=newest_two))], 2)).text
    assert "newest_two: 2 of 5 messages at the last request" in page
    assert "As the app sent it" not in page
    assert "Pruner" not in page
