"""Chats of messengers as JSON: channels of Discord by DiscordChatExporter, chats that Telegram Desktop exports.

Many may speak: `point_of_view` takes one's side. A bot is the assistant; where none is named, the one who answers.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.content_parts import medium_of
from historylab.formats.messages.fields import list_in, object_in, objects_under, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.speakers import cast
from historylab.registry import register

Chat = tuple[str, dict[str, Any]]
"""The place of a chat in the file, and the chat."""

SAID = ("Default", "Reply", "20", "23")  # the last two: an application's, asked by a command
DISCORD = {"id", "type", "timestamp", "content", "author", "attachments", "embeds", "stickers"}
DISCORD |= {"timestampEdited", "callEndedTimestamp", "isPinned", "reactions", "mentions", "reference", "inlineEmojis"}
OF_EMBED = ("title", "description")
HELD = {"photo": "image", "file": "", "location_information": "file", "contact_information": "file", "poll": "file"}
"""Field of a Telegram message that stands for what is no text → its medium; "" if the media type tells."""
TELEGRAM = {"id", "type", "date", "date_unixtime", "from", "from_id", "text", "text_entities", "edited", *HELD}
TELEGRAM |= {"edited_unixtime", "reply_to_message_id", "reply_to_peer_id", "forwarded_from", "saved_from", "via_bot"}
TELEGRAM |= {"width", "height", "media_type", "mime_type", "duration_seconds", "thumbnail", "file_name", "file_size"}
TELEGRAM |= {"photo_file_size", "thumbnail_file_size", "sticker_emoji", "reactions", "performer", "title", "author"}


def is_discord(content: Content) -> float:
    """1 for an object with a guild, a channel, and messages of authors who are bots or not."""
    return 1 if any("guild" in chat and "channel" in chat for _, chat in _chats(content, "isBot")) else 0


def is_telegram(content: Content) -> float:
    """0.95 for a chat whose messages are from somebody with an id, or all chats of an export."""
    return 0.95 if any("type" in chat for _, chat in _chats(content, "from_id")) else 0


@register(
    "format",
    title="Discord chat",
    recognise=is_discord,
    marks="guild channel isBot",
    source="Tyrrrz/DiscordChatExporter, DiscordChatExporter.Core/Exporting/JsonMessageWriter.cs, 2.46",
    checked="slatinsky/DiscordChatExporter-frontend, release/exports/example_guild",
)
def discord(content: Content, report: Report) -> Iterator[Conversation]:
    """A channel of Discord's, as DiscordChatExporter writes it."""
    for where, chat in _chats(content, "isBot"):
        records = list(_records(chat, where, "type", SAID, report))
        bots = {name: "assistant" for _, r in records if (name := _author(r)) and object_in(r, "author").get("isBot")}
        names = _roles([_author(record) for _, record in records], bots, report)
        read = (_read_discord(record, at, report, names) for at, record in records)
        yield Conversation(filter(None, read), text_in(object_in(chat, "channel"), "name") or "")


@register(
    "format",
    title="Telegram chat",
    recognise=is_telegram,
    marks="from_id date_unixtime text_entities",
    source="telegramdesktop/tdesktop, Telegram/SourceFiles/export/output/export_output_json.cpp, 4.10",
    checked="meteora-pro/lokb, tests/fixtures/telegram/result.json",
)
def telegram(content: Content, report: Report) -> Iterator[Conversation]:
    """A chat that Telegram Desktop exported, or all of them."""
    for where, chat in _chats(content, "from_id"):
        records = list(_records(chat, where, "type", ("message",), report))
        title = text_in(chat, "name") or ""
        bots = {title: "assistant"} if chat.get("type") == "bot_chat" else {}
        names = _roles([text_in(record, "from") or "" for _, record in records], bots, report)
        read = (_read_telegram(record, at, report, names) for at, record in records)
        yield Conversation(filter(None, read), title)


def _chats(content: Content, mark: str) -> Iterator[Chat]:
    """The objects with a list of messages, some of which have that field, or their authors do; also those of a list."""
    for where, value in content.values:
        listed = list_in(object_in(value, "chats"), "list") if isinstance(value, dict) else []
        held = [(f"{where} chats.list[{i}]".strip(), chat) for i, chat in enumerate(listed)] or [(where, value)]
        for at, chat in held:
            records = list_in(chat, "messages") if isinstance(chat, dict) else []
            if any(isinstance(r, dict) and (mark in r or mark in object_in(r, "author")) for r in records):
                yield at, chat


def _records(chat: dict[str, Any], where: str, field: str, said: tuple[str, ...], report: Report) -> Iterator[Chat]:
    """The records in which somebody speaks; others are notices of the program."""
    for i, record in enumerate(list_in(chat, "messages")):
        at = f"{where} messages[{i}]".strip()
        kind = record.get(field) if isinstance(record, dict) else None
        if isinstance(kind, str) and kind in said:
            yield at, record
        elif isinstance(kind, str):
            report.pass_over(f"a notice ({kind[:40]})", at)
        else:
            report.skip(f"{kind_of(record)} without a type", at)


def _roles(speakers: list[str], bots: dict[str, str], report: Report) -> dict[str, str]:
    """Speaker → role. Where bots are marked as such, everybody else is known to be a person."""
    return cast(dict.fromkeys(filter(None, speakers)), None if bots else report, known=bots)


def _author(record: dict[str, Any]) -> str:
    author = object_in(record, "author")
    return text_in(author, "nickname") or text_in(author, "name") or ""


@keep_records
def _read_discord(record: Any, where: str, report: Report, roles: dict[str, str]) -> Message | None:
    report.leave(record, DISCORD, where)
    embeds = objects_under(record, "embeds")
    texts = [text_in(record, "content"), *(text_in(embed, name) for embed in embeds for name in OF_EMBED)]
    names = [text_in(file, "fileName") or "" for file in objects_under(record, "attachments")]
    media = [medium_of(mimetypes.guess_type(name)[0]) for name in names]
    media += ["image"] * len(objects_under(record, "stickers"))
    return _message(record, where, report, (_author(record), roles), texts, media, record.get("timestamp"))


@keep_records
def _read_telegram(record: Any, where: str, report: Report, roles: dict[str, str]) -> Message | None:
    report.leave(record, TELEGRAM, where)
    held = [medium or medium_of(record.get("mime_type")) for name, medium in HELD.items() if record.get(name)]
    given = record.get("text")
    pieces = given if isinstance(given, list) else [given]
    text = "".join(p if isinstance(p, str) else text_in(p, "text") or "" for p in pieces if isinstance(p, str | dict))
    time = record.get("date_unixtime") or record.get("date")
    return _message(record, where, report, (text_in(record, "from") or "", roles), [text], held, time)


def _message(
    record: dict[str, Any],
    where: str,
    report: Report,
    speaker: tuple[str, dict[str, str]],
    texts: list[str | None],
    media: list[str],
    time: Any,
) -> Message | None:
    name, roles = speaker
    text = "\n".join(filter(None, texts))
    if not name or not (text or media):
        report.skip("a message without text or files" if name else "a message of nobody", where)
        return None
    report.records += 1
    own = record.get("id")
    key = str(own) if isinstance(own, str | int) else None
    return Message(roles[name], text, key, name, media=tuple(media), timestamp=iso_time(time))
