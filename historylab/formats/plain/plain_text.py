"""Plain text in which speakers are named at the beginning of a line: `Name: words`; further lines belong to the last.

A colon is common, so it takes at least two speakers that alternate: words for roles ("User:", "Assistant:"), or names
that speak again. Lines in fenced code, labels ("Note:") and names that come once are words of the one who speaks.
Records of key-value lines, such as a log's or an e-mail's headers, are no talk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import MAX_ITEMS, too_many
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.speakers import QUESTION_AND_ANSWER, role_of
from historylab.formats.messages.spoken import SpokenTurn, messages_from_turns
from historylab.registry import register

LINE = re.compile(r"(?:\[([^\]\n]{4,40})\]\s*)?([^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2})\s?(?::(?=\s|$)|：)\s*(.*)$")
FENCE = ("```", "~~~")
LABELS = frozenset(
    """note notes nb ps todo fixme hint tip tips warning error info debug trace warn fatal critical important caution
    usage example examples input output expected actual returns args raises parameters see source version license
    title date from to subject cc bcc re author status url http https file line type description summary name key
    value id step result results reason email phone address time place problem solution added changed fixed removed
    deprecated security given when then default case types methods files copyright comment package pin why who what
    where how pros cons good bad before after old new front back term definition word meaning ingredients method
    preparation serves servings duration age location price total disallow allow sitemap crawl-delay
    classifier requires-dist provides-extra extends arguments fixes features
    user-agent monday tuesday wednesday thursday friday saturday sunday chapter section figure table""".split()  # noqa: SIM905
)
"""Words before a colon, or the last of several, that name a thing, not somebody who speaks."""

FAULTS = ("error", "exception", "warning")
"""Ends of names that a program reports, such as "KeyError"."""

DISPLAYED = "messages_display"  # a transcript as text in the examples that tau-bench gives its models
NUMBERS = re.compile(r"[-+(]?\d[\d .,:/()TZ+-]*")
LEAST_FIELDS = 3  # lines of a record
LOOKED_AT = 20
SAMPLE = 200_000  # characters looked at to recognise a text
MOST_BEFORE = 10  # lines before the first speaker


def speaks(content: Content) -> float:
    """0.6 for at least two speakers that alternate, in a text or in such a text of a JSON object."""
    if content.text.lstrip()[:1] == "<":
        return 0
    texts = (text for _, text in _texts(content))
    return 0.6 if any(_speakers(text[:SAMPLE]) for text in islice(texts, LOOKED_AT)) else 0


@register("format", title="Plain text with speakers", recognise=speaks)
def plain_text(content: Content, report: Report) -> Iterator[Conversation]:
    """A text in which each speaker's words begin with a name and a colon."""
    found = False
    for place, text in _texts(content):
        if speakers := _speakers(text):
            found = True
            yield _conversation(text, speakers, place, report)
        elif place:
            report.skip("a text in which no two speakers alternate", place)
    if not found:
        raise LoadError("no two speakers alternate in it; a line looks like 'User: hello'")


def _texts(content: Content) -> Iterator[tuple[str, str]]:
    """The text; of JSON, those that tau-bench's examples hold, with their locations."""
    first = content.text.lstrip().partition("\n")[0].rstrip()
    if first[:1] not in ("{", "[") or LINE.match(first):
        yield "", content.text
        return
    for where, value in content.values:
        for i, item in enumerate(value) if isinstance(value, list) else [("", value)]:
            if isinstance(item, dict) and isinstance(text := item.get(DISPLAYED), str):
                yield f"{where}[{i}] {DISPLAYED}".replace("[]", "").strip(), text


def _conversation(text: str, speakers: frozenset[str], place: str, report: Report) -> Conversation:
    turns: list[SpokenTurn] = []
    title: list[str] = []
    for number, line, found in _lines(text):
        if found and found[2].casefold() in speakers:
            time = iso_time(found[1].replace(" ", "T", 1)) if found[1] else None
            turns.append(SpokenTurn(f"{place} line {number}".strip(), found[2], found[3], time))
            if len(turns) > MAX_ITEMS:
                raise too_many(MAX_ITEMS, "messages", "the text")
        elif turns:
            turns[-1] = replace(turns[-1], text=f"{turns[-1].text}\n{line}")
        elif line.strip():
            title.append(line.strip())
    if len(title) > 1:
        report.warn("lines before the first speaker not read", f"{place} line 1".strip())
    turns = [replace(turn, text=turn.text.strip()) for turn in turns]
    return Conversation(messages_from_turns(turns, report), title[0][:80] if len(title) == 1 else "")


def _lines(text: str) -> Iterator[tuple[int, str, re.Match[str] | None]]:
    """Every line with its number, and what it says of a speaker; nothing in fenced code."""
    fenced = False
    for number, given in enumerate(text.split("\n"), 1):
        line = given.removesuffix("\r")
        fenced ^= line.lstrip().startswith(FENCE)
        yield number, line, None if fenced else LINE.match(line)


def _speakers(text: str) -> frozenset[str]:
    """The names that speak, in lower case; none unless two alternate, beginning near the top."""
    named = [(number, m) for number, _, m in _lines(text) if m]
    found = [(number, m[2]) for number, m in named]
    names = (name.casefold() for _, name in found)
    times = Counter(n for n in names if n.rpartition(" ")[2] not in LABELS and not n.endswith(FAULTS))
    roles = {name: role_of(name) for name in times}
    if times.keys() >= QUESTION_AND_ANSWER.keys():
        roles |= QUESTION_AND_ANSWER
    words = {name for name, role in roles.items() if role}
    sure = {"user", "assistant"} <= {roles[name] for name in words}
    if not sure:
        if _are_fields(named):
            return frozenset()
        words |= {name.casefold() for _, name in found if times[name.casefold()] > 1 and not name[0].islower()}
    order = [(number, name) for number, name in found if name.casefold() in words]
    if not _alternate([name.casefold() for _, name in order]):
        return frozenset()
    if all(name.islower() for _, name in order) or not sure:  # such as the keys of a settings file
        sure = len(order) * 3 >= len(found) * 2
    before = [line for line in text.split("\n")[: order[0][0] - 1] if line.strip()]
    return frozenset(words) if sure and len(before) <= MOST_BEFORE else frozenset()


def _are_fields(found: list[tuple[int, re.Match[str]]]) -> bool:
    """Tell whether a name gives nothing but numbers, the text begins as an e-mail, or blocks repeat their names."""
    values, blocks = dict[str, list[str]](), list[list[str]]()
    last = -1
    for number, match in found:
        name = match[2].casefold()
        values.setdefault(name, []).append(match[3])
        blocks += [[]] if number != last + 1 or match[1] else []
        blocks[-1].append(name)
        last = number
    if any(len(given) > 1 and all(map(NUMBERS.fullmatch, given)) for given in values.values()):
        return True
    if len(LABELS.intersection(blocks[0]) if blocks else ()) >= LEAST_FIELDS:
        return True
    longer = [block for block in blocks if len(block) >= LEAST_FIELDS and len(set(block)) == len(block)]
    repeated = Counter(block[0] for block in longer).most_common(1)
    return len(longer) * 2 > len(blocks) > 1 and repeated[0][1] == len(longer)


def _alternate(names: list[str]) -> bool:
    changes = sum(a != b for a, b in pairwise(names))
    return len(set(names)) > 1 and changes * 2 >= len(names) - 1
