"""Plain text with speakers: who alternates speaks; labels, code and prose do not."""

from __future__ import annotations

import json

import pytest

from historylab import load
from historylab.errors import LoadError, UnknownFormat


def said(text: str) -> str:
    return " ".join(f"{m.role[0]}:{m.content}" for m in load(text.encode())[0])


@pytest.mark.parametrize(
    "text",
    [
        "User: hi\nAssistant: yo",
        "user: hi\nassistant: yo",
        "Human: hi\r\n\r\nAI: yo\r\n",
        "\ufeffQ: hi\nA: yo",
        "You said:\nhi\nChatGPT said:\nyo",
        "A title\n\nUser: hi\n\nAssistant: yo\n\n",
        "User：hi\nAssistant：yo",
        "# A heading\nUser: hi\nClaude 3 Opus: yo",
    ],
)
def test_words_for_roles_speak(text):
    assert said(text) == "u:hi a:yo"


def test_further_lines_code_and_labels_belong_to_the_speaker():
    text = "User: see\n\nNote: this\n```\nUser: code\n```\n  Assistant: indented\nAssistant: yo"
    assert said(text) == "u:see\n\nNote: this\n```\nUser: code\n```\n  Assistant: indented a:yo"


def test_names_that_speak_again_are_kept_and_times_read():
    loaded = load("[2026-01-01 10:00:00] Åsa: a\nBen: b\nHint: c\nÅsa: d\nBen: e\n".encode())
    assert [(m.role, m.name, m.content) for m in loaded[0]] == [
        ("user", "Åsa", "a"),
        ("assistant", "Ben", "b\nHint: c"),
        ("user", "Åsa", "d"),
        ("assistant", "Ben", "e"),
    ]
    assert [m.timestamp for m in loaded[0]] == ["2026-01-01T10:00:00", None, None, None]


def test_speakers_who_say_nothing_are_skipped_and_other_lines_before_them_named():
    loaded = load(b"Saved\nfrom a chat\nUser:\nAssistant: yo\nUser: hi")
    assert (list(loaded.report.skipped), list(loaded.report.warnings)) == (
        ["a speaker who says nothing"],
        ["lines before the first speaker not read"],
    )


@pytest.mark.parametrize(
    "text",
    [
        "hello there",
        "User: hi",
        "User: hi\nUser: again",
        "Note: a\nWarning: b\nNote: c\nWarning: d",
        "INFO: a\nERROR: b\nINFO: c\nERROR: d",
        "ValueError: a\nKeyError: b\nValueError: c\nKeyError: d",
        "User-agent: *\nDisallow: /a\nUser-agent: bot\nDisallow: /",
        "Ingredients: flour\nMethod: mix\nIngredients: eggs\nMethod: fry",
        "Pros: cheap\nCons: slow\nPros: fast\nCons: dear",
        "Extends: a\nArguments: b\nExtends: c\nArguments: d",
        "Bug fixes: a\nNew features: b\nBug fixes: c\nNew features: d",
        "Classifier: a\nRequires-Dist: b\nClassifier: c\nRequires-Dist: d",
        "Anna: hi\nBen: yo",
        "name: x\nversion: 1\nuser: y\nmodel: z",
        "From: a\nTo: b\nSubject: c\n\nDear User: hi",
        "def f():\n    try:\n        pass\n    except:\n        pass",
        "```\nUser: hi\nAssistant: yo\n```",
        "Processor: 0\nVendor: x\nProcessor: 1\nVendor: y",
        "User: 1\nRole: admin\nUser: 2\nRole: none",
        "Start-Date: 2026-01-05  10:00:00\nCommandline: apt install a\nEnd-Date: 2026-01-05  10:00:01\n\n" * 3,
        "Host: a\nOwner: Ann\nShelf: b\n\nHost: c\nOwner: Ben\nShelf: d\n",
        "From: a\nTo: b\nSubject: c\nReceived: x\nReceived: y\nHop: z\nHop: w\n\nDear Ben,\n",
        "prose\n" * 30 + "User: hi\nAssistant: yo",
    ],
)
def test_prose_labels_settings_and_code_are_refused(text):
    with pytest.raises(UnknownFormat):
        load(text.encode())


def test_transcripts_in_json_as_tau_bench_displays_them_are_conversations():
    lines = [{"messages_display": "user: hi\nassistant: yo"}, {"messages_display": "none"}]
    loaded = load("\n".join(map(json.dumps, lines)).encode())
    assert [[m.content for m in c] for c in loaded] == [["hi", "yo"]]
    assert list(loaded.report.skipped) == ["a text in which no two speakers alternate"]


def test_text_without_speakers_is_refused_in_words_where_it_is_chosen():
    with pytest.raises(LoadError, match="no two speakers alternate"):
        load(b"hello there", "plain_text")
