"""Slack exports: day files, one folder per channel, `users.json` beside them; or the messages of one channel.

Many people speak, so names are kept and bots are the assistants: the projection `point_of_view` takes one bot's side. A
thread is a conversation of its own that begins with the message it answers. Joins and other notices are no messages.
Source: Slack's help, "How to read Slack data exports", and the reference of message events.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.chat_messages import iso_time, sort_by_time
from historylab.formats.messages.fields import as_list, list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import folder_items, located_items
from historylab.formats.messages.walker import text_at
from historylab.registry import register

STAMP = re.compile(r"\d{9,11}\.\d{1,6}")
MENTION = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
SAID = {"bot_message", "thread_broadcast", "me_message", "file_share", "file_comment", "file_mention"}
"""Subtypes of messages; any other is a notice."""

READ = {"type", "subtype", "ts", "thread_ts", "user", "bot_id", "username", "text", "files", "user_profile"}
READ |= {"attachments", "bot_profile", "blocks"}
READ |= {"client_msg_id", "team", "user_team", "source_team", "reply_count", "reply_users_count", "latest_reply"}
READ |= {"reply_users", "replies", "is_locked", "subscribed", "parent_user_id", "last_read", "app_id", "edited"}
READ |= {"upload", "display_as_bot", "icons", "x_files", "is_starred", "permalink", "hidden", "channel", "root"}
MEDIA = ("image", "audio", "video")
SHOWN = ("profile.display_name", "profile.real_name", "display_name", "real_name", "name")
"""Paths to the name by which a user or a profile is shown."""
USERS = ("users.json", "org_users.json")


def is_channel(content: Content) -> float:
    """0.9 for records with a Slack time stamp and a user or a bot."""
    records = [record for _, record in located_items(content.values, "messages")][:200]
    return 0.9 if records and sum(map(_is_message, records)) * 2 >= len(records) else 0


@register("format", title="Slack export", recognise=is_channel, marks="ts user text")
def slack(content: Content, report: Report) -> Iterator[Conversation]:
    """A channel of a Slack export: what was said there, and each of its threads."""
    days = list(folder_items(content, is_channel, "messages"))
    channel, names = _channel(content), {**_profiles(days), **_names(content)}
    threads: dict[str, list[Message]] = {"": []}
    known: set[tuple[Any, ...]] = set()
    for where, record in days:
        message = _message(record, where, report, names)
        if message and (key := (message.id, message.metadata["participant"])) in known:
            report.records -= 1
            report.pass_over("a message given before", where)
        elif message:
            known.add(key)
            root = record.get("thread_ts")
            reply = isinstance(root, str) and root != record["ts"]
            if not reply or record.get("subtype") == "thread_broadcast":
                threads[""].append(message)
            if reply:
                threads.setdefault(root, []).append(message)
    roots = {message.id: message for message in threads[""]}
    for root, found in threads.items():
        said = [roots[root], *found] if root in roots else found
        first = next((message.content for message in said if message.content), "")
        title = f"{channel}, thread: {' '.join(first.split())[:60]}".removeprefix(", ") if root else channel
        yield Conversation(sort_by_time(said), title, {"channel": channel} if channel else {})


def _channel(content: Content) -> str:
    """The folder's name in an export; else the one that the file says."""
    folder = PurePosixPath(content.name).parent.name if content.siblings else ""
    said = content.values[0][1] if content.values else None
    return folder or (text_at(said, ("name", "channel_name")) if isinstance(said, dict) else "")


def _names(content: Content) -> dict[str, str]:
    """User id → the name shown, from the list of users beside the channels."""
    root = PurePosixPath(content.name).parent.parent
    for file in USERS:
        try:
            listed = json.loads(content.siblings[str(root / file)])
        except (KeyError, LoadError, ValueError, RecursionError):
            continue
        content.taken.add(str(root / file))
        return {text_at(user, "id"): name for user in as_list(listed) if (name := _shown_name(user))}
    return {}


def _profiles(days: list[Located]) -> dict[str, str]:
    """User id → the name in the profile beside a message."""
    given = [record for _, record in days if type(record) is dict and "user_profile" in record]
    return {text_at(each, "user"): name for each in given if (name := _shown_name(object_in(each, "user_profile")))}


def _shown_name(user: Any) -> str:
    return next((name for path in SHOWN if (name := text_at(user, path)).strip()), "") if user else ""


def _is_message(record: Any) -> bool:
    if not isinstance(record, dict) or record.get("type", "message") != "message":
        return False
    stamp = record.get("ts")
    who = record.keys() & {"user", "bot_id", "username"}
    return isinstance(stamp, str) and bool(STAMP.fullmatch(stamp)) and bool(who)


@keep_records
def _message(record: Any, where: str, report: Report, names: Mapping[str, str]) -> Message | None:
    if not isinstance(record, dict) or not isinstance(record.get("ts"), str):
        report.skip(f"{kind_of(record)} without a time stamp", where)
        return None
    subtype = record.get("subtype")
    if subtype and (not isinstance(subtype, str) or subtype not in SAID):
        report.pass_over(f"a {subtype[:40]} notice" if isinstance(subtype, str) else "a notice without a name", where)
        return None
    report.leave(record, READ, where)
    for name in ("text", "user", "bot_id", "username", "thread_ts"):
        if not isinstance(record.get(name), str | None):
            report.warn(f"{name} is {kind_of(record[name])}, not text", where)
    bot = text_in(record, "bot_id")
    who = bot or text_in(record, "user") or text_in(record, "username") or ""
    profiles = (_shown_name(object_in(record, name)) for name in ("user_profile", "bot_profile"))
    named = next(filter(None, (text_in(record, "username"), names.get(who), *profiles, who)), None)
    media = tuple(_medium(file) for file in list_in(record, "files") if isinstance(file, dict))
    text = _readable(_message_text(record), names)
    if not (text or media):
        report.pass_over("a message without text or files", where)
        return None
    report.records += 1
    metadata = {"participant": who, "participantKind": "agent" if bot else "person"}
    metadata |= {"thread": thread} if (thread := record.get("thread_ts")) else {}
    role, stamp = "assistant" if bot else "user", record["ts"]
    return Message(role, text, stamp, named, media=media, timestamp=iso_time(stamp), metadata=metadata)


def _message_text(record: Mapping[str, Any]) -> str:
    """The text, or that of the blocks where it is missing or an app gives but its gist; and what attachments add."""
    text, shown = text_in(record, "text") or "", "\n".join(_block_texts(record.get("blocks")))
    if not text or (record.get("bot_id") and len(shown) > len(text)):
        text = shown
    added = [text_at(attached, ("text", "fallback")) for attached in list_in(record, "attachments")]
    return join_texts((text, *(more for more in added if more not in text)))


def _block_texts(value: Any, levels: int = 8) -> Iterator[str]:
    """Every text in blocks, however nested."""
    if isinstance(value, dict) and levels:
        if isinstance(value.get("text"), str):
            yield value["text"]
        for key in ("text", "elements", "fields"):
            yield from _block_texts(value.get(key), levels - 1)
    for item in value if isinstance(value, list) and levels else ():
        yield from _block_texts(item, levels - 1)


def _readable(text: str, names: Mapping[str, str]) -> str:
    """The text with names for mentions, links as they are shown, and without Slack's escapes."""

    def show_reference(found: re.Match[str]) -> str:
        sign, target, label = found.groups()
        if sign == "@":
            return f"@{label or names.get(target, target)}"
        if sign:
            return f"{'#' if sign == '#' else '@'}{(label or target.rpartition('^')[2]).lstrip('@#')}"
        return f"{label} ({target})" if label and label != target else target

    return html.unescape(MENTION.sub(show_reference, text))


def _medium(file: Mapping[str, Any]) -> str:
    kind = text_at(file, "mimetype").partition("/")[0]
    return kind if kind in MEDIA else "file"
