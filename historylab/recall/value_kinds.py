"""What kind of value a need is, told from the value alone: an id, a number, a date, a path, or other text."""

from __future__ import annotations

import re

VALUE_KINDS = ("id", "number", "date", "path", "text")
LONGEST = 200  # characters: a longer one is text
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    r"\d{4}-\d{2}(?:-\d{2})?",
    r"\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})",
    rf"{_MONTH} \d{{1,2}}(?:,? \d{{4}})?",
    rf"\d{{1,2}}\.? {_MONTH}(?: \d{{4}})?",
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m|z|[+-]\d{2}:?\d{2})?"
_PATHS = (
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    r"\w+://\S+",
    r"(?:\.{0,2}|~|[A-Za-z]:)[/\\].*",
    r"[^\s/\\]+[/\\]\S*",
    r"[\w.-]+\.(?:py|ipynb|[cm]?[jt]sx?|go|rs|[ch](?:pp|s)?|java|kts?|swift|dart|rb|php|lua|exs?|[he]rl|hs|clj|scala|jl|vue|svelte"
    r"|sh|ps1|bat|md|rst|tex|jsonl?|toml|ya?ml|ini|cfg|conf|env|tf|proto|txt|[ct]sv|xlsx?|docx?|pptx?|pdf|eml|msg|rtf|sql|db|sqlite|parquet"
    r"|html?|s?css|xml|svg|png|jpe?g|gif|webp|mp[34]|wav|log|lock|diff|patch|zip|gz|tar)",
)
_SHAPES = (
    ("date", re.compile(rf"(?:{'|'.join(_DATES)})(?:[T ,]+{_TIME})?|{_TIME}", re.IGNORECASE)),
    ("number", re.compile(r"[-+~]?[$€£¥]? ?v?\d(?:[\d., ]*\d)?(?: ?(?:[%€£$]|EUR|USD|GBP|CHF|JPY))?")),
    ("path", re.compile("|".join(_PATHS))),
    ("id", re.compile(r"(?=[\w#:.-]*\d)[\w#:.-]+|[A-Z]{5,}|[0-9a-f]{8,}")),
)


def is_file(value: str) -> bool:
    """Tell whether a value is the path of a file or folder, and no address."""
    return "://" not in value and "@" not in value and kind_of_value(value) == "path"


def kind_of_value(value: str) -> str:
    """The kind of a needed value, one of VALUE_KINDS: "ORD-77" is an id, "125.50 EUR" a number, several lines text."""
    if len(value) > LONGEST:
        return "text"
    return next((kind for kind, shape in _SHAPES if shape.fullmatch(value)), "text")
