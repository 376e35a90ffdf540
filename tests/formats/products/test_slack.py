"""Slack: names and mentions, bots, threads, notices, and the folders of an export."""

from __future__ import annotations

import io
import json
import zipfile

from historylab import load
from historylab.planning.strategies.projections.point_of_view import point_of_view

START = 1767225600


def said(at: int, text: str, user: str = "U1", **more: object) -> dict:
    return {"type": "message", "user": user, "text": text, "ts": f"{START + at}.000100", **more}


def read(*records: object):
    return load(json.dumps(records).encode())


def stamp(at: int) -> str:
    return f"{START + at}.000100"


def test_messages_follow_their_time_stamps_which_are_their_ids():
    loaded = read(said(2, "b"), said(1, "a"))
    assert loaded.report.member == "slack"
    assert [(m.content, m.id) for m in loaded[0]] == [("a", stamp(1)), ("b", stamp(2))]
    assert loaded[0][0].timestamp == "2026-01-01T00:00:01.000100+00:00"


def test_a_bot_is_the_assistant_and_names_are_kept():
    bot = said(2, "beep", bot_id="B1", username="Beeper") | {"user": "U9"}
    (conversation,) = read(said(1, "hi", user_profile={"display_name": "Runa"}), bot)
    assert [(m.role, m.name) for m in conversation] == [("user", "Runa"), ("assistant", "Beeper")]


def test_one_of_several_bots_can_be_taken_the_side_of():
    bots = [said(i, "beep", bot_id=f"B{i}", username=f"bot {i}") for i in (1, 2)]
    seen = point_of_view(tuple(read(said(0, "hi"), *bots)[0]), agent="B2")
    assert [(m.role, m.content) for m in seen] == [
        ("user", "U1: hi"),
        ("user", "bot 1 (agent): beep"),
        ("assistant", "beep"),
    ]


def test_in_a_channel_of_people_one_of_them_can_be_taken_for_the_agent():
    room = read(said(1, "hi", user="U1"), said(2, "yo", user="U2"), said(3, "so", user="U3"))[0]
    seen = point_of_view(tuple(room), agent="U2")
    assert [(m.role, m.content) for m in seen] == [("user", "U1: hi"), ("assistant", "yo"), ("user", "U3: so")]


def test_a_message_given_twice_is_read_once_but_not_one_said_twice():
    loaded = read(said(1, "yes"), said(1, "yes"), said(2, "yes"))
    assert [m.content for m in loaded[0]] == ["yes", "yes"]
    assert list(loaded.report.skipped) == ["a message given before"]


def test_mentions_links_and_escapes_are_readable():
    text = "<@U2> <@U3|Kim> <@U4> <#C1|bread> <!here> <https://a.example|the plan> <https://a.example> 1 &lt; 2 &amp;"
    loaded = read(said(1, text), said(2, "x", user="U2", user_profile={"real_name": "Ole"}))
    assert loaded[0][0].content == "@Ole @Kim @U4 #bread @here the plan (https://a.example) https://a.example 1 < 2 &"


def test_a_thread_is_a_conversation_that_begins_with_what_it_answers():
    root = {"thread_ts": stamp(1)}
    told = said(4, "for all", subtype="thread_broadcast", **root)
    channel, thread = read(said(1, "root", **root), said(2, "other"), said(3, "reply", **root), told)
    assert [m.content for m in channel] == ["root", "other", "for all"]
    assert [m.content for m in thread] == ["root", "reply", "for all"]
    assert thread.title == "thread: root"


def test_notices_are_skipped_by_name_and_files_and_blocks_are_read():
    join = said(1, "<@U1> has joined", subtype="channel_join")
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "from a block"}}]
    attached = [{"text": "a card"}]
    files = [{"mimetype": "image/png"}, {"mimetype": "application/pdf"}]
    loaded = read(join, said(2, "", blocks=blocks, attachments=attached), said(3, "", files=files), said(4, ""), 5)
    assert [(m.content, m.media) for m in loaded[0]] == [("from a block\na card", ()), ("", ("image", "file"))]
    assert list(loaded.report.skipped) == [
        "a channel_join notice",
        "a message without text or files",
        "a number without a time stamp",
    ]


def test_an_apps_blocks_say_what_its_text_gives_the_gist_of():
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "the whole report"}}]
    said_by_bot, said_by_user = (said(i, "report", blocks=blocks) for i in (1, 2))
    loaded = read(said_by_bot | {"bot_id": "B1"}, said_by_user)
    assert [m.content for m in loaded[0]] == ["the whole report", "report"]


def test_an_export_is_a_conversation_per_channel_over_all_its_days_with_the_users_names():
    files = {
        "users.json": [{"id": "U1", "profile": {"display_name": "Runa"}}, {"id": "U2", "name": "ole"}],
        "channels.json": [{"id": "C1", "name": "bread"}],
        "bread/2026-01-02.json": [said(90_000, "later", user="U2")],
        "bread/2026-01-01.json": [said(1, "<@U2> hi")],
        "cake/2026-01-01.json": [said(5, "cake")],
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, value in files.items():
            archive.writestr(f"export/{name}", json.dumps(value))
    loaded = load(data.getvalue(), name="export.zip")
    assert [[(m.name, m.content) for m in c] for c in loaded] == [
        [("Runa", "@ole hi"), ("ole", "later")],
        [("Runa", "cake")],
    ]
    assert ["bread" in loaded[0].title, "cake" in loaded[1].title] == [True, True]
    assert next(iter(loaded.report.skipped.values())).first == "export/channels.json"
