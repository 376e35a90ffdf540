"""Values that stand out from the text around them by their shape: paths, ids, addresses, amounts, dates, names in code.

English words don't, nor small and round numbers. A value that isn't said as it is written may be said in part: a path
from one of its folders on, a dotted name by one of its names, an address by an id in it or by what it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from historylab.recall.value_kinds import kind_of_value

SCANNED = 100_000  # characters of one text that are searched
SHORT_NAME = 3  # characters: x_0 is a variable of any formula
SHORTEST, LONGEST = 2, 200  # characters: a shorter token is everywhere, a longer one is data, not a name
PLAIN, NAME, WEAK, NUMBER, STRONG, PROPER, FIRST, QUOTED, AMOUNT_OF, FEW_WORDS = range(10)
"""Shapes of tokens: a word; words joined (parse_header, in-place); a short id (h1, utf-8); a bare number; what nobody
could guess. Of phrases: a proper name, one that begins a sentence, a quotation, an amount of something, plain words.
"""
NAMES = (PROPER, FIRST)
PHRASES = (QUOTED, AMOUNT_OF)

TOKEN = re.compile(  # possessive: each part begins where its kind of word begins, so no text takes quadratic time
    r"(?<![^\n])[ \t]*\d{1,3}[.)]\s"  # numbers of a list, which end in a blank
    r"|[A-Za-z]++(?![\w/@%+~:\\-]|\.\w)"  # words: most of what there is
    r"|[a-z][a-z0-9+]{1,9}://[^\s\"'<>()\[\]{}`|\\^]*[\w/]"  # addresses
    r"|(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,2}[^\s\"'<>|*?:\\]+)+"  # Windows' paths
    r"|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|(?<![\w.,:/-])\d{2,4}(?: \d{2,4}){2,}(?!\w)"  # telephone numbers
    r"|--?[A-Za-z][A-Za-z0-9-]*"  # options, which are of the program
    r"|(?:\.{1,2}(?=/)|[$€£¥#~@.]|(?<![A-Za-z0-9)\]-])-(?=\d))?[A-Za-z0-9_/](?:[A-Za-z0-9_/.@%+~:-]|(?<=\d),(?=\d{3}))*"
)
EDGES = ".,:;@+-"
"""Characters that end a token but not a value."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*)*")
HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}(?!s\Z)[a-z]")
JOINED = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+){1,2}|[A-Za-z]\w*(?:-\w+)+")  # and/or, read-only: names where no prose is
WORD_AND_NUMBER = re.compile(r"[a-z]+-?\d{1,3}|[A-Z][a-z]*-?\d{1,2}", re.ASCII)  # sha256, utf-8, step1, Python3
AMOUNT = re.compile(r"-?[$€£¥]\d[\d.,]*|\d[\d.,]*%|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+")
DECIMAL = re.compile(r"-?(?:0|\d+(?!\.\d\d\Z))\.\d+|[~^v]\d+(?:\.\d+)?")  # 14.50 is a price
CAMEL = re.compile(r"[A-Z]?[a-z]{2,}\d{0,3}(?:[A-Z][a-z]{2,}\d{0,3})+|(?:\w{1,3}\.)?[A-Z][a-z]{2,}\d{1,2}[A-Z]\w*")
"""Names in code that have a number: Float32Array, Linear1D."""
QUANTITY = re.compile(r"\d+(?:\.\d+)?(?:[a-zµ]{1,4}|[KMGT]i?B?)")  # 250ms, 16GB: a number and its unit
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T[\d:.,+Z-]+")
VERSION = re.compile(r"[v~^]?\d+\.\d+\.\d+[\w.+-]*")
INTEGER = re.compile(r"-?\d+")
NO_VALUE = re.compile(r"(?:[a-z]-[a-z]|[A-Z]-[A-Z]|0-9|_)+-?|-[A-Za-z]\d+")  # a range (a-zA-Z0-9), an option (-A10)
EXTENSION = re.compile(r"[^/]\.[A-Za-z]\w{0,9}\Z")


def tokens_of(text: str) -> dict[str, int]:
    """The tokens of a text that stand out, in order, each with its shape."""
    shapes = ((token, _shape_of_run(token)) for token in dict.fromkeys(TOKEN.findall(text[:SCANNED])))
    return {token.rstrip(EDGES): shape for token, shape in shapes if shape != PLAIN}


@lru_cache(maxsize=1 << 15)
def _shape_of_run(run: str) -> int:
    token = run.rstrip(EDGES)
    return token_shape(token) if SHORTEST <= len(token) <= LONGEST and not run[-1].isspace() else PLAIN


@lru_cache(maxsize=1 << 15)
def token_shape(token: str) -> int:
    """The degree to which a token stands out by itself: PLAIN, NAME, WEAK, NUMBER or STRONG."""
    if "/" in token or "\\" in token:
        return _shape_of_path(token)
    if INTEGER.fullmatch(token) or DECIMAL.fullmatch(token):
        return NUMBER
    if NO_VALUE.fullmatch(token) or ("_" in token and len(token) <= SHORT_NAME):
        return PLAIN
    if "@" in token.strip("@") or AMOUNT.fullmatch(token) or VERSION.fullmatch(token):
        return STRONG
    if any(map(str.isdigit, token)) and not CAMEL.fullmatch(token):
        return _shape_of_id(token)
    return NAME if _is_name(token) else PLAIN


def parts_of_token(token: str) -> Iterator[str]:
    """The spellings of a token, the whole first: from any folder on, without the line number, name by name."""
    yield token
    if "\\\\" in token:
        yield token.replace("\\\\", "\\")
    bare = re.sub(r"(?::\d+)+(?:-\d+)?\Z", "", token)
    if bare != token and "://" not in token:
        yield from parts_of_token(bare)
    elif "://" in token:
        yield from _parts_of_address(token)
    elif "/" in token:
        segments = token.split("/")
        for k in range(1, len(segments)):
            if rest := "/".join(segments[k:]):
                yield rest
    elif moment := MOMENT.fullmatch(token):
        yield moment[1]
    elif IDENTIFIER.fullmatch(token) and ("." in token or "::" in token):
        yield from (part for part in re.split(r"\.|::", token) if token_shape(part) != PLAIN)


def _parts_of_address(address: str) -> Iterator[str]:
    """The ids in it, the last first, and what it begins with, up to the server."""
    parts = re.split(r"[/?&=#:]", address)[:0:-1]
    yield from (part for part in parts if "." not in part and token_shape(part) == STRONG)
    while (address := address.rpartition("/")[0]).count("/") > 1:
        yield address


def is_folder(value: str) -> bool:
    """Tell whether it is a path, and its last name has no extension."""
    return ("/" in value or "\\" in value) and "://" not in value and EXTENSION.search(value) is None


def _shape_of_path(token: str) -> int:
    if "://" in token:
        return STRONG
    segments = [segment for segment in re.split(r"[/\\]", token) if segment.strip(".~")]
    if not segments or not any(map(str.isalpha, token)):
        return STRONG if kind_of_value(token) == "date" else PLAIN  # 1/2
    if len(segments) == 1:
        return token_shape(segments[0]) if segments[0] != token else PLAIN
    return NAME if JOINED.fullmatch(token) else STRONG


def _shape_of_id(token: str) -> int:
    if kind_of_value(token) == "date":
        return STRONG
    if QUANTITY.fullmatch(token):
        return WEAK
    digits = sum(map(str.isdigit, token))
    if len(token) == 2:
        return WEAK if token[0].isupper() else PLAIN
    if len(token) < 4 or WORD_AND_NUMBER.fullmatch(token):
        return WEAK
    return STRONG if any(map(str.isalpha, token)) or digits > 3 else NUMBER


def _is_name(token: str) -> bool:
    if IDENTIFIER.fullmatch(token):
        if "_" in token.strip("_") or HUMP.search(token):
            return True
        names = re.split(r"\.|::", token)
        return len(names) > 2 or (len(names) > 1 and (all(map(str.istitle, names)) or kind_of_value(token) == "path"))
    return JOINED.fullmatch(token) is not None or (EXTENSION.search(token) is not None and len(token) > 3)
