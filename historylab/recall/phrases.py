"""Values of plain words: proper names, what stands in quotation marks, dates, and amounts with what they count.

None stands out by its shape alone, so each counts only where it was said in the same way before.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator

from historylab.recall.shapes import (
    AMOUNT_OF,
    FEW_WORDS,
    FIRST,
    HUMP,
    LONGEST,
    NAMES,
    PHRASES,
    PLAIN,
    PROPER,
    QUOTED,
    SCANNED,
    parts_of_token,
    token_shape,
)
from historylab.relevance.words import is_frequent

QUOTATION = re.compile(
    r"\"(?! )([^\"\n]{3,80})(?<! )\"|(?<!\w)'([^'\n]{3,80})'(?!\w)|“([^”\n]{2,80})”|„([^“”\n]{2,80})[“”]"
    r"|«([^»\n]{2,80})»|「([^」\n]{2,80})」|『([^』\n]{2,80})』"
)
CODE = re.compile(r"(?<!`)`([^`\n]{3,80})`(?!`)")
UPPER = "A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я"
CAPITALISED = re.compile(rf"(?<![\w./:@\\-])[{UPPER}][^\W\d_]+(?:[ -][{UPPER}][^\W\d_]+)*(?![\w/@\\]|[.:-][\w:])")
BEGINS = re.compile(r"(?:^|[.!?:…\n|*#>]|\d\.)[ \t*_#>-]*\Z")
COUNTED = re.compile(r"(?<![\w.,:/$€£-])(?:[2-9]|\d[\d.,]*\d|\d+[-–]\d+) [^\W\d_]+")
MONTHS = calendar.month_name[1:]
DAYS_AND_MONTHS = "|".join((*MONTHS, *calendar.day_name))
DATED = re.compile(rf"\b(?:{DAYS_AND_MONTHS}) \d{{1,2}}\b(?!:\d)(?: (?:{'|'.join(MONTHS)}))?(?:,? \d{{4}})?")
MARK = re.compile(r"[\"'`“„«「『]")
TELLS = re.compile(r"[A-Z]|\d|[^\x00-\x7f]| ")


def phrases_of(text: str) -> dict[str, int]:
    """The phrases of a text that may be values, in order, each with its kind: QUOTED, AMOUNT_OF, PROPER or FIRST."""
    text = text[:SCANNED]
    found = quotations_in(text)
    found |= dict.fromkeys(DATED.findall(text), AMOUNT_OF)
    text = DATED.sub(" ", text)
    for counted in COUNTED.findall(text):
        if not is_frequent(counted.partition(" ")[2].lower(), "english"):
            found.setdefault(counted, AMOUNT_OF)
    text = QUOTATION.sub(" ", text)
    for name in CAPITALISED.finditer(text):
        if name[0][0].isupper() and len(name[0]) <= LONGEST and name[0] not in MONTHS and not HUMP.search(name[0]):
            begins = BEGINS.search(text, max(0, name.start() - 8), name.start())
            found.setdefault(name[0], FIRST if begins else PROPER)
    return found


def quotations_in(text: str) -> dict[str, int]:
    """The quotations of a text that are no plain word, and what it marks as code."""
    if not MARK.search(text):
        return {}
    phrases = (found[found.lastindex or 0].strip() for found in QUOTATION.finditer(text[:SCANNED]))
    return dict.fromkeys([*filter(TELLS.search, phrases), *map(str.strip, CODE.findall(text[:SCANNED]))], QUOTED)


def spellings_of(value: str, shape: int) -> Iterator[tuple[str, int]]:
    """The spellings of a value, the whole first, each with its shape: a path from any folder on, a name in part."""
    if shape == AMOUNT_OF and "," in value:
        yield value, shape
        yield value.partition(",")[0], shape  # a date without its year
    elif shape in NAMES:
        words = value.split(" ")
        yield value, shape
        yield from ((" ".join(words[k:]), PROPER) for k in range(1, len(words)))
        yield from ((word, PROPER) for word in words[1:-1])
    elif shape in (*PHRASES, FEW_WORDS):
        yield value, shape
    else:
        yield from ((part, of_part) for part in parts_of_token(value) if (of_part := token_shape(part)) != PLAIN)
