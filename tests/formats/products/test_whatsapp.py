"""WhatsApp's exports: stamps of both phones, both orders of the date, notices, pictures, and logs that are no chats."""

from __future__ import annotations

import pytest

from historylab import load
from historylab.errors import LoadError
from historylab.formats.files.content import Content
from historylab.formats.products.whatsapp import is_whatsapp


def read(text: str, name: str = "chat.txt"):
    loaded = load(text.encode(), name=name)
    assert loaded.report.member == "whatsapp"
    return loaded


def times(*stamps: str) -> list[str | None]:
    return [m.timestamp for m in read("".join(f"{stamp} - Ann: hi\n" for stamp in stamps))[0]]


@pytest.mark.parametrize(
    "stamp",
    [
        "[13/01/2026, 09:05:00] ",
        "[13.01.26, 09:05:00] ",
        "\u200e[1/13/26, 9:05:00\u202fAM] ",
        "13/01/2026, 09:05 - ",
        "1/13/26, 9:05 a. m. - ",
        "2026-01-13, 09:05 - ",
        "13.1.2026 klo 9.05 - ",
    ],
)
def test_a_stamp_of_either_phone_gives_the_time(stamp):
    (conversation,) = read(f"{stamp}Ann: hi\n{stamp}Ben: yo\n{stamp.replace('13', '32')}Ben: a\n" * 2)
    assert [(m.name, m.content) for m in conversation][:2] == [("Ann", "hi"), ("Ben", "yo")]
    assert conversation[0].timestamp == "2026-01-13T09:05:00"
    assert conversation[2].timestamp is None


def test_the_order_of_day_and_month_is_the_files():
    assert times("3/4/26, 10:00", "13/4/26, 10:00")[0] == "2026-04-03T10:00:00"
    assert times("3/4/26, 10:00", "3/14/26, 10:00")[0] == "2026-03-04T10:00:00"
    assert times("3/9/26, 10:00", "4/2/26, 10:00", "5/1/26, 10:00")[0] == "2026-03-09T10:00:00"


def test_an_order_that_nothing_tells_is_said():
    loaded = read("3/3/26, 10:00 - Ann: hi\n3/3/26, 10:01 - Ben: yo\n")
    assert any("the day or the month" in warning for warning in loaded.report.warnings)


def test_names_in_small_letters_are_people_where_the_app_left_a_mark():
    notice = "13/1/26, 10:00 - Messages and calls are end-to-end encrypted.\n"
    assert len(read(f"{notice}13/1/26, 10:00 - ann: hi\n13/1/26, 10:01 - ben: yo\n")[0]) == 2


def test_a_date_against_the_order_of_the_others_loses_its_time_and_is_named():
    loaded = read("13/1/26, 10:00 - Ann: hi\n14/1/26, 10:00 - Ben: yo\n1/32/26, 10:00 - Ann: a\n")
    assert [bool(m.timestamp) for m in loaded[0]] == [True, True, False]
    assert loaded.report.warnings["a date that isn't one in the order of the others"].first == "line 3"


def test_noon_and_midnight_are_told_apart():
    assert times("13/1/26, 12:30 PM", "13/1/26, 12:30 AM") == ["2026-01-13T12:30:00", "2026-01-13T00:30:00"]


def test_lines_without_a_stamp_go_on_and_a_colon_in_words_names_nobody():
    (conversation,) = read("13/1/26, 10:00 - Ann: a: b\nc: d\n\n13/1/26, 10:01 - Ben: e\n")
    assert [m.content for m in conversation] == ["a: b\nc: d", "e"]


def test_notices_are_counted_and_pictures_are_media():
    text = "[13/1/26, 10:00:00] Ann: \u200eMessages are encrypted.\n[13/1/26, 10:00:01] Ann: \u200eimage omitted\n"
    loaded = read(text + "[13/1/26, 10:00:02] Ben: <attached: a.opus>\n[13/1/26, 10:00:03] Ben left\n")
    assert [(m.content, m.media) for m in loaded[0]] == [
        ("image omitted", ("image",)),
        ("<attached: a.opus>", ("audio",)),
    ]
    assert loaded.report.passed == 2


def test_of_two_who_speak_the_one_who_answers_is_the_assistant():
    loaded = read("13/1/26, 10:00 - Ann: hi\n13/1/26, 10:01 - Ben: yo\n", "_chat.txt")
    assert [m.role for m in loaded[0]] == ["user", "assistant"]
    assert loaded[0].title == "Ann and Ben"


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-13 10:00 - Ann: hi\n2026-01-13 10:01 - Ann: yo\n",
        "2026-01-13, 10:00 - INFO: started\n2026-01-13, 10:01 - ERROR: stopped\n",
        "13/1/26, 10:00 - Ann: hi\n",
        "[01/02/2026 10:00:00] app.module: loaded\n[01/02/2026 10:00:01] app.other: loaded\n",
        "01/02/2026 10:00:00 - worker-1: started job 5\n01/02/2026 10:00:01 - worker-2: started job 6\n",
        "01/02/2026 10:00:00 - sshd: a\n01/02/2026 10:00:01 - cron: b\n",
        "# 13/1/26\n- Ann: hi\n- Ben: yo\n",
    ],
)
def test_a_log_or_a_note_is_no_chat(text):
    assert is_whatsapp(Content(text.encode())) == 0


def test_a_chat_of_notices_alone_is_refused_where_it_is_chosen():
    with pytest.raises(LoadError, match="a name and words"):
        load(b"13/1/26, 10:00 - You were added\n", "whatsapp")
