"""Markdown as chat tools export it: a heading (`## User`) or a bold label (`**User:**`) before each message.

Only words for roles count, and only if a user's and an assistant's alternate from near the top on: a README's headings
are no speakers, and neither are two bare words below a title. Lines of nothing but `_**User**_`, or `**User**` in an
export of Cursor's, are labels in any order. A time in brackets after the word is read; rules (`---`) between messages
are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import MAX_ITEMS, too_many
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.speakers import role_of
from historylab.formats.messages.spoken import SpokenTurn, messages_from_turns
from historylab.registry import register

HEADING = re.compile(r"(#{1,6})\s+(.+?)[\s#]*$")
BOLD = re.compile(r"[_>\s]{0,4}(\*\*|__)(.{1,80}?)\1\s*[:：]?_?[ \t]*(.*)$")
EXACT = re.compile(r"_\*\*[^*]{1,160}\*\*_\s*$")
SURE = "_**"
CURSOR = re.compile(r"_Exported on [^\n]{1,80} from Cursor \([\w.-]+\)_")
OF_CURSOR = re.compile(r"\*\*(?:User|Cursor)\*\*\s*$")
LABEL = re.compile(r"[^\w(]*([\w .'’-]*?)[\s:：*_]*(?:\(([^()]{1,60})\))?[\s:：*_]*$")
RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")
COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
FENCE = ("```", "~~~")
SAMPLE = 200_000  # characters looked at to recognise a text
COMMON = {"user", "assistant", "human", "ai", "agent", "model", "bot", "prompt", "response", "question", "answer"}
MOST_BEFORE = 12  # lines before the first speaker


@dataclass(frozen=True)
class Mark:
    """A line that may name a speaker: its number from 1, its style ("##", "**"), the speaker, a time, further words.

    `bare`: it is nothing but a word that any text may have as a heading.
    """

    line: int
    style: str
    speaker: str
    time: str | None
    words: str
    bare: bool = False


def has_headings(content: Content) -> float:
    """0.7 for headings or bold labels of which most name a user or an assistant in turn."""
    text = content.text[:SAMPLE]
    return 0.7 if text.lstrip()[:1] not in ("{", "[") and _marks(text.split("\n")) else 0


@register("format", title="Markdown of a chat", recognise=has_headings)
def markdown(content: Content, report: Report) -> Iterator[Conversation]:
    """A chat exported as Markdown, with a heading or a bold label before each message."""
    lines = COMMENT.sub("\n", content.text).replace("\r\n", "\n").split("\n")
    marks = _marks(lines)
    if not marks:
        raise LoadError("no headings or bold labels in it name a user and an assistant in turn, such as '## User'")
    ends = [mark.line - 1 for mark in marks[1:]] + [len(lines)]
    turns = [
        SpokenTurn(f"line {mark.line}", mark.speaker, _body(mark.words, lines[mark.line : end]), mark.time)
        for mark, end in zip(marks, ends, strict=True)
    ]
    title, others = _title(lines[: marks[0].line - 1])
    if others:
        report.warn("lines before the first speaker not read", "line 1")
    yield Conversation(messages_from_turns(turns, report), title)


def _marks(lines: list[str]) -> list[Mark]:
    """The lines that name the speakers, all of one style; none unless it is a chat."""
    given = list(islice(_candidates(lines), MAX_ITEMS + 1))
    if len(given) > MAX_ITEMS:
        raise too_many(MAX_ITEMS, "headings", "the text")
    for style in dict.fromkeys(mark.style for mark in given):
        of_style = [mark for mark in given if mark.style == style]
        marks = [mark for mark in of_style if role_of(mark.speaker)]
        before = [line for line in lines[: marks[0].line - 1] if line.strip()] if marks else []
        section = len(marks) == 2 and all(mark.bare for mark in marks) and any(map(HEADING.match, before))
        if _is_chat(marks, of_style) and len(before) <= MOST_BEFORE and not section:
            return marks
    return []


def _is_chat(marks: list[Mark], of_style: list[Mark]) -> bool:
    """Whether a user and an assistant alternate; two marks alone must be all there are of their style."""
    roles = [role_of(mark.speaker) for mark in marks]
    changes = sum(a != b for a, b in pairwise(roles))
    if not {"user", "assistant"} <= set(roles):
        return False
    if marks[0].style == SURE:
        return True
    if changes * 2 < len(roles) - 1:
        return False
    return len(marks) * 3 >= len(of_style) if len(marks) > 2 else len(of_style) <= 3


def _candidates(lines: list[str]) -> Iterator[Mark]:
    """Every heading, and every line that begins with bold text, outside fenced code."""
    fenced = False
    exact = OF_CURSOR if any(map(CURSOR.match, lines[:MOST_BEFORE])) else EXACT
    for number, given in enumerate(lines, 1):
        line = given.rstrip()
        fenced ^= line.lstrip().startswith(FENCE)
        heading, bold = (None, None) if fenced else (HEADING.match(line), BOLD.match(line))
        if heading:
            yield _mark(number, heading[1], heading[2].replace("*", ""), "")
        elif bold:
            yield _mark(number, SURE if exact.match(line) else "**", bold[2], bold[3])


def _mark(number: int, style: str, label: str, words: str) -> Mark:
    found = LABEL.match(label)
    speaker, beside = (found[1].strip(), found[2]) if found else ("", None)
    time = iso_time(beside.strip().replace(" ", "T", 1)) if beside else None
    return Mark(number, style, speaker, time, words.strip("_ "), label == speaker and label.casefold() in COMMON)


def _body(words: str, lines: list[str]) -> str:
    """The text of a message, without a rule that ends it."""
    while lines and (not lines[-1].strip() or RULE.fullmatch(lines[-1])):
        lines = lines[:-1]
    return "\n".join([words, *lines] if words else lines).strip("\n")


def _title(before: list[str]) -> tuple[str, list[str]]:
    """The title, a heading or `title:` of front matter, and the other lines before the first speaker."""
    title, others = "", []
    for line in before:
        heading = HEADING.match(line)
        named = line.partition(":")[2] if line.casefold().startswith("title:") else heading[2] if heading else ""
        if named and not title:
            title = named.strip(" \"'*")
        elif line.strip() and not RULE.fullmatch(line) and not CURSOR.match(line):
            others.append(line)
    return title[:200], others
