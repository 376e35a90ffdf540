"""Messages as lines that can be quoted, `role: sentence`, and the literals in a text.

A *literal* is an id, a number, a path or an address: what a summary must say word for word or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from historylab.conversation.message import Message

LONGEST_LINE = 240  # characters: a longer one is cut at a word; its literals may still be listed
LONGEST_NAME = 60
LONGEST_LITERAL = 200  # characters: a longer one is data, not a name
SCANNED = 100_000  # characters of one line that are searched for literals
LITERAL = re.compile(  # each part begins only where its kind of word begins, so that no text takes quadratic time
    r"https?://[^\s\"'<>()\[\]]*[\w/]"
    r"|(?<![A-Za-z0-9_])(?:"  # within a word nothing else begins: most places are passed over here
    r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+"  # addresses
    r"|(?<![\w./~-])[\w.~-]*+/[\w./~%-]*\w"  # paths
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|go|rs|md|json|toml|yaml|yml|txt|csv|sql|html|css)\b"
    r"|(?<!-)(?=[A-Za-z_-]*+\d)(?=[\d_-]*+[A-Za-z])[A-Za-z0-9_-]{2,}[A-Za-z0-9_]"  # ids: letters and digits
    r"|[$v]?\d(?:[\d.,:/-]*\d)?%?"  # numbers, dates, amounts, versions
    r"|(?<=\")[A-Z]{2,6}(?=\"))"  # codes that a structured text quotes: "OSL"
)
HINT_OF_LITERAL = re.compile(r"[\d/@]|\.\w|\"[A-Z]")  # every literal holds one, most lines of prose hold none
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
ITEM = re.compile(r"\s*\d{1,3}[.)]\s+(?=\S)")  # "1. ", which ends no sentence
HINT_OF_END = re.compile(r"[.!?]\s|[。！？]")  # where there is none, nothing is split


def speaker_of(message: Message) -> str:
    """The label of what a message says, on one line whatever the file names the speaker."""
    return " ".join((message.name or message.role).split())[:LONGEST_NAME]


def spoken_lines(message: Message) -> Iterator[str]:
    """A message's text, a line per sentence, as each would be shown."""
    speaker = speaker_of(message)
    return (f"- {speaker}: {shorten_line(sentence)}" for sentence in _sentences(message.content))


def quotable_lines(message: Message) -> list[str]:
    """A message's text and calls as lines, each once."""
    return list(dict.fromkeys([*spoken_lines(message), *_called_lines(message)]))


def find_literals(text: str) -> tuple[str, ...]:
    """Ids, numbers, paths and addresses in a text, in order, each once."""
    if not HINT_OF_LITERAL.search(text):
        return ()
    return tuple(x for x in dict.fromkeys(LITERAL.findall(text[:SCANNED])) if len(x) <= LONGEST_LITERAL)


def _called_lines(message: Message) -> Iterator[str]:
    """A message's calls, as each would be shown."""
    for call in message.tool_calls:
        yield f"- {speaker_of(message)} called {shorten_line(call.name)}({shorten_line(call.arguments)})"


def _sentences(text: str) -> Iterator[str]:
    """Lines, cut after a full stop that a space follows (not within "3.14" or "app.py") or a Chinese one."""
    for line in text.splitlines():
        if HINT_OF_END.search(line):
            item = ITEM.match(line)
            start = item.end() if item else 0
            pieces = filter(None, (piece.strip() for piece in SENTENCE_END.split(line[start:])))
            yield line[:start].lstrip() + next(pieces, "")
            yield from pieces
        elif stripped := line.strip():
            yield stripped


def shorten_line(text: str) -> str:
    """A text on one line, cut at a word where it is long."""
    text = " ".join(text[: 50 * LONGEST_LINE].split())
    if len(text) <= LONGEST_LINE:
        return text
    space = text.rfind(" ", LONGEST_LINE * 3 // 4, LONGEST_LINE)
    return text[: space if space > 0 else LONGEST_LINE] + " …"
