"""WhatsApp: a chat exported as text, by an iPhone (`[date, time] Name: words`) or Android (`date, time - Name: words`).

Lines without a stamp go on with the message before them. Whether the day or the month comes first is told by the whole
file: by a number above 12, or by dates that would run back. Notices have no name, or a mark that can't be seen before
them; so has what stands for a picture. Many may speak: `point_of_view` takes one's side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import TypeAlias

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import MAX_ITEMS, too_many
from historylab.formats.messages.speakers import cast, role_told
from historylab.registry import register

UNSEEN = str.maketrans(
    {"\u202f": " ", "\xa0": " ", "\r": "", **dict.fromkeys("\u200f\u202a\u202c\ufeff\u2068\u2069", "")}
)
NOTICE = "\u200e"  # a mark of direction, before what the program says and before what stands for a picture
STAMP = re.compile(
    r"\u200e?(\[)?(\d{1,4})[./-](\d{1,2})[./-](\d{2,4}),?(?: [a-z]{1,4})? "
    r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))? ?([ap]\.? ?m\.?)?\.?(?(1)\] ?| [-–] )",
    re.IGNORECASE,
)
ISO = re.compile(r"\s*\[?\d{4}-\d\d-\d\d[ T]\d")  # any program's, as a phone's has a comma
SPEECH = re.compile(r"([^:\n]{1,80}): (.*)", re.DOTALL)
PICTURE = re.compile(r"<[^<>]{1,120}>|.*\b(?:omitted|attached|omitid[oa]|weggelassen|omis|omess[oa]|weggelaten)\)?")
KINDS = {
    "image": re.compile(r"image|photo|sticker|gif|bild|imagen|\.jpe?g|\.png|\.webp", re.IGNORECASE),
    "audio": re.compile(r"audio|voice|sprach|\.opus|\.m4a|\.mp3", re.IGNORECASE),
    "video": re.compile(r"video|vídeo|\.mp4|\.mov", re.IGNORECASE),
}
LEVELS = {"info", "debug", "error", "warn", "warning", "trace", "critical", "fatal", "notice"}
OF_PROGRAM = re.compile(r"\w{2,}(?:\.\w{2,})+|.*-\d+|[a-z][a-z0-9_-]*")
OWN = re.compile(r"\u200e|end-to-end encrypted|\bomitted\b")
"""Marks of the app's own, without which names such as "app.module" and "worker-1" are a log's."""
UNTOLD = "nothing tells whether the day or the month comes first: the day is taken for it"
LOOKED_AT, ENOUGH = 40, 2  # lines; messages among them

Numbers: TypeAlias = tuple[int, int, int]


@dataclass
class Stamped:
    """A stamped line with those that go on with it: its number, the date as written, the time, and what it says."""

    line: int
    date: Numbers
    time: tuple[int, int, int]
    lines: list[str]

    @cached_property
    def text(self) -> str:
        """All that it says."""
        return "\n".join(self.lines)


def is_whatsapp(content: Content) -> float:
    """0.95 for two stamped lines with names among the first, unless all of them are a program's."""
    head = content.text[:8192]
    dated = any(mark in head[:200] for mark in "/.-") and not ISO.match(head)
    if not dated or not STAMP.match(head[:200].lstrip("\ufeff \n").translate(UNSEEN)):
        return 0
    found = [SPEECH.match(one.text) for one in _stamped_lines(head.split("\n")[:LOOKED_AT])]
    names = {speech[1].strip() for speech in found if speech}
    logged = all(OF_PROGRAM.fullmatch(name) or name.casefold() in LEVELS for name in names) and not OWN.search(head)
    return 0.95 if sum(map(bool, found)) >= ENOUGH and not logged else 0


@register(
    "format",
    title="WhatsApp chat",
    recognise=is_whatsapp,
    source="WhatsApp's help, How to export your chat history",
    checked="Pustur/whatsapp-chat-parser, samples; joweich/chat-miner, test/whatsapp",
)
def whatsapp(content: Content, report: Report) -> Iterator[Conversation]:
    """A chat of WhatsApp's export, with names and times; notices are counted."""
    lines = list(_stamped_lines(content.text.split("\n")))
    order = _date_order([one.date for one in lines], report)
    spoken = list[tuple[Stamped, str, str]]()
    for one in lines:
        found = SPEECH.match(one.text)
        if not found or (NOTICE in found[2][:1] and not PICTURE.fullmatch(found[2].replace(NOTICE, ""))):
            report.pass_over("a notice", f"line {one.line}")
        else:
            spoken.append((one, found[1].strip(NOTICE + " "), found[2].replace(NOTICE, "").strip()))
    if not spoken:
        raise LoadError("no line in it has a date, a name and words; one looks like '1/2/26, 10:00 - Ann: hello'")
    roles = cast((name for _, name, _ in spoken), report)
    report.records += len(spoken)
    for one, _, _ in spoken:
        if _time(one, order) is None:
            report.warn("a date that isn't one in the order of the others", f"line {one.line}")
    messages = (_message(one, roles[name], name, text, order) for one, name, text in spoken)
    yield Conversation(messages, " and ".join(list(roles)[:2]) if content.name.endswith("_chat.txt") else "")


def _stamped_lines(lines: Sequence[str]) -> Iterator[Stamped]:
    last: Stamped | None = None
    count = 0
    for number, line in enumerate(lines, 1):
        text = line.translate(UNSEEN)
        if found := STAMP.match(text):
            if last:
                yield last
            count += 1
            if count > MAX_ITEMS:
                raise too_many(MAX_ITEMS, "messages", "the text")
            _, a, b, c, hour, minute, second, half = found.groups()
            hours = int(hour) % 12 + 12 * half.lower().startswith("p") if half else int(hour)
            time = hours, int(minute), int(second or 0)
            last = Stamped(number, (int(a), int(b), int(c)), time, [text[found.end() :]])
        elif last:
            last.lines.append(text)
    if last:
        yield last


def _message(one: Stamped, role: str, name: str, text: str, order: str) -> Message:
    picture = PICTURE.fullmatch(text)
    kind = next((kind for kind, words in KINDS.items() if words.search(text)), "file") if picture else ""
    said, source = None if role_told(name) else name, {"line": one.text} if picture else None
    return Message(role, text, name=said, media=(kind,) if kind else (), timestamp=_time(one, order), source=source)


def _time(one: Stamped, order: str) -> str | None:
    at = dict(zip(order, one.date, strict=True))
    year = at["y"] + 2000 if at["y"] < 100 else at["y"]
    try:
        return datetime(year, at["m"], at["d"], *one.time).isoformat()
    except ValueError:
        return None


def _date_order(dates: Sequence[Numbers], report: Report) -> str:
    """ "dmy", "mdy" or "ymd": as a number shows, or else the order of the messages; a warning where nothing does."""
    if all(a > 31 for a, _, _ in dates):
        return "ymd"
    day_first, month_first = any(a > 12 for a, _, _ in dates), any(b > 12 for _, b, _ in dates)
    if day_first != month_first:
        return "dmy" if day_first else "mdy"
    back = [sum(key(x) > key(y) for x, y in pairwise(dates)) for key in (itemgetter(2, 1, 0), itemgetter(2, 0, 1))]
    if back[0] == back[1]:
        report.warn(f"dates of which {UNTOLD}", "")
    return "mdy" if back[1] < back[0] else "dmy"
