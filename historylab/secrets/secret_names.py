"""Values that are secret by the name they stand under: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, a header.

One reading of names serves texts and the fields of objects. A name alone makes no secret: code (`token = tokens[i]`), a
stand-in (`YOUR_API_KEY`), a word of prose or a number stays.
"""

from __future__ import annotations

import re
from base64 import b64decode
from functools import lru_cache
from itertools import takewhile

from historylab.secrets.key_shapes import LONGEST_LOOKED_AT, is_stand_in, looks_drawn

PASSWORD, KEY, LIKELY, HEADER = "password", "key", "likely", "header"
"""Names of passwords, which people choose; of keys, which are drawn; of tokens, which may be other things; headers."""

_WORDS = "key token password passwd passphrase pass pwd pw secret credential cookie authorization auth"
WORDS = [form for word in _WORDS.split() for form in (word, word.capitalize(), word.upper())]
WORDS += ["onnectionString", "onnectionstring", "onnection_string", "ONNECTION_STRING", "onnection-string"]
"""The last words of names under which secrets stand, quickly looked for; of those of one word its second half."""
_SMALL = dict.fromkeys(map(str.lower, WORDS))
LEAST = [word for word in _SMALL if not any(other in word for other in _SMALL if other != word)]
"""Words in small letters that hold no other of them: a text without any of these has no such name in it."""
SIGN = re.compile(
    r"s?(?:[-_]?(?:\d{1,3}|[vV]\d|base|prod|production|dev|test|live|BASE|PROD|PRODUCTION|DEV|TEST|LIVE))?(?![\w-])"
    r"(?P<sign>\\*[\"'`]?\]?\s{0,9}(?:=>|:=|[:=>])\s{0,9}|[ =])[fbru]?(?P<quote>\\*[\"'`])?(?=[^\s\"'`]{4})"
)
"""The end of a name, and what stands between it and its value."""
QUOTED = {quote: re.compile(rf"[^{quote}\\\n]+") for quote in "\"'`"}
LINE = re.compile(r"[^\"'`\\\n]+")
VARIABLE = re.compile(r"[^\s\"'`\\]+")
BARE = re.compile(r"(?:(?!&\w+=)[^\s\"'`,;\\<])+")
CREDENTIALS = re.compile(r"(?:Digest|AWS4)[^\"'`\\\n]+|(?:[A-Za-z][\w-]+ +)?[^\s\"'`,\\<]+")
LONGEST_NAME = 80
BEHIND = ")]}>.,;:"
NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
KINDS = (
    "api|app|application|access|secret|private|priv|signing|encryption|master|account|auth|shared|service|client|admin"
    "|license|webhook|session|storage|subscription|deploy|ssh|hmac|jwt|rsa"
)
_END = r"(?:_(?:\d+|v|base|prod|production|dev|test|live))*"
PASSWORD_NAME = re.compile(
    rf"(?:.*_)?(?:[a-z]*(?:password|passwd|passphrase|pwd|secret)|pass|pw|connection_?string){_END}"
)
KEY_NAME = re.compile(
    rf"(?:.*_)?(?:(?:{KINDS})_?key|[a-z]*(?:api|access|secret|private)key"
    rf"|(?:api|access|auth|authorization|refresh|bearer|session|id|personal|bot|deploy|security)_?token){_END}"
)
LIKELY_NAME = re.compile(rf"(?:.*_)?(?:[a-z]*token|credentials?|auth){_END}")
HEADER_NAME = re.compile(r"(?:.*_)?(?:authorization|cookie)")
NO_SECRET = re.compile(
    r"(?:.*_)?(?:(?:public|pub|primary|foreign|cache|sort|partition|range|hash|unique|index|object|row|group|map|dict"
    r"|i|translation|idempotency|routing|lookup|query|metric|registry|config|blob|file|react)_?key"
    r"|(?:next|prev|previous|page|continuation|sync|pad|eos|bos|unk|mask|sep|cls|stop|special|start|end|max|min|num|per"
    r"|first|last|new|each|input|output|total|current|cursor|cancellation|resume|public)_?token)"
)

CALL = re.compile(r"[\w.:>-]*\w[\[({]")
CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+\W?\Z|[%&/\\|~!]|\.{1,2}/|\w+://")
OF_NAMES = re.compile(r"(?i)pass|token|secret|key|cred|auth|cookie|string|require|option|null|none|true|false|dummy")
SEVERAL = re.compile(r"[A-Za-z]+[-_]")
SCHEME = re.compile(
    r"(?i)\A(?:bearer|basic|token|bot|apikey|api-key|digest|negotiate|aws4-[\w-]+|sharedaccesssignature) +"
)
PAIR = re.compile(r"[\w.%-]+=(?=[^;\s]*\d)[^;\s]{6}|[\w.%-]+=[^;\s]{16}")
BASIC = re.compile(r"(?i:\bbasic) +([A-Za-z0-9+/_-]{8,}={0,2})(?![\w+/=])")
BEARER = re.compile(r"(?i:\bbearer) +([\w.~+/-]{16,}=*)")


@lru_cache(4096)
def secret_kind(name: str) -> str:
    """Tell whether values under this name are secret: which kind, or none ("")."""
    words = "_".join(PARTS.findall(name)).lower()
    if NO_SECRET.fullmatch(words):
        return ""
    forms = ((PASSWORD, PASSWORD_NAME), (KEY, KEY_NAME), (HEADER, HEADER_NAME), (LIKELY, LIKELY_NAME))
    kind = next((kind for kind, form in forms if form.fullmatch(words)), "")
    return kind or (LIKELY if name.isupper() and words.endswith("_key") else "")  # OPENAI_KEY


def is_secret(name: str, value: str | int) -> bool:
    """True if the value of a field of this name is secret."""
    kind = secret_kind(name) if len(name) <= LONGEST_NAME else ""
    return kind != "" and _is_secret(kind, str(value)[:LONGEST_LOOKED_AT])


def may_name(text: str) -> bool:
    """True if a name of a secret may be in it."""
    return (":" in text or "=" in text or ">" in text or "--" in text) and any(map(text.lower().__contains__, LEAST))


def named_secrets(text: str) -> list[tuple[int, int]]:
    """Find where values begin and end that a text says to be secret."""
    found = []
    for word in WORDS:
        place = text.find(word)
        while place >= 0:
            end = 0
            if (match := SIGN.match(text, place + len(word))) and (end := _end(text, match, place)):
                found.append((match.end(), end))
            place = text.find(word, max(place + 1, end - LONGEST_NAME))  # not all of a long value again for each
    return found


def authorizations(text: str) -> list[tuple[int, int]]:
    """Find where credentials begin and end that follow `Basic` or `Bearer`."""
    if not ("earer " in text or "asic " in text or "EARER " in text or "BASIC " in text):
        return []
    basic = [match.span(1) for match in BASIC.finditer(text) if _is_basic(match[1])]
    bearer = (match for match in BEARER.finditer(text) if not (is_stand_in(match[1]) or CODE.match(match[1])))
    return basic + [match.span(1) for match in bearer]


def _end(text: str, match: re.Match[str], place: int) -> int:
    """Find the end of the value that follows the name around this place, if it is secret; else 0."""
    before = text[max(0, place - LONGEST_NAME) : place][::-1]
    name = text[place - sum(1 for _ in takewhile(NAME_SIGNS.__contains__, before)) : match.start("sign")]
    kind = secret_kind(name)
    bare = match["sign"][:1] in " :=" and name.lower() == "pass"  # "PASS: test_login"
    if not kind or bare or (match["sign"] == " " and not name.startswith("--")):
        return 0
    if match["quote"]:
        form, told = QUOTED[match["quote"][-1]], True
    elif kind == HEADER:
        form, told = LINE if name.lower().endswith("cookie") else CREDENTIALS, True
    else:
        told = name.isupper() and match["sign"] == "="
        form = VARIABLE if told else BARE
    looked = form.match(text, match.end(), match.end() + LONGEST_LOOKED_AT)
    value = looked[0].rstrip(BEHIND) if looked else ""
    if not (_is_secret(kind, value) if told else _stands_in_code(kind, value)):
        return 0
    whole = form.match(text, match.end())
    return match.end() + len(whole[0].rstrip(BEHIND)) if whole else 0


def _is_secret(kind: str, value: str) -> bool:
    if len(value) < 6:
        return False
    if kind == HEADER:
        return _is_of_a_header(value) and not (CALL.match(value) or is_stand_in(value))
    if not looks_drawn(value):
        chosen = (kind == PASSWORD and _is_chosen(value)) or (kind == KEY and _is_short_key(value))
        if not chosen or CODE.match(value):
            return False
    return not (any(map(str.isspace, value)) or is_stand_in(value))


def _stands_in_code(kind: str, value: str) -> bool:
    """True of a secret without quotes: else it is code or prose."""
    short = kind != LIKELY and len(value) > 6 and _is_short_key(value) and not CODE.match(value)
    return (short or looks_drawn(value)) and not (CALL.match(value) or is_stand_in(value))


def _is_chosen(value: str) -> bool:
    """True of what a password may be: with a digit, or long, or of several kinds of characters, and no word for one."""
    if any(map(str.isdigit, value)):
        return True
    if OF_NAMES.search(value):
        return looks_drawn(value)
    mixed = not value.isalnum() and value.lower() != value != value.upper()
    return len(value) >= 12 or (len(value) >= 8 and mixed)


def _is_short_key(value: str) -> bool:
    """True of a word with a digit, if it isn't of the words that keys are called by, or several."""
    return any(map(str.isdigit, value)) and not OF_NAMES.search(value) and len(SEVERAL.findall(value)) < 3


def _is_of_a_header(value: str) -> bool:
    rest = SCHEME.sub("", value)
    if len(rest) < len(value):
        return not is_stand_in(rest) and (" " not in rest.strip() or "=" in rest) and len(rest) >= 8
    return PAIR.search(value) is not None or (" " not in value.strip() and looks_drawn(value))


def _is_basic(value: str) -> bool:
    try:
        return b":" in b64decode(value + "=" * (-len(value) % 4), altchars=b"-_")
    except ValueError:
        return False
