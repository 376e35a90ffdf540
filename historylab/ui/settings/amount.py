"""A number of tokens or characters in a field: it reads "96k", "96,000" and "96000" alike, and shows "96,000"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from historylab.costs.amounts import parse_count
from historylab.settings.fields import MOST_TOKENS
from historylab.ui.session import session
from historylab.wording.settings import schema_of, title_of
from historylab.wording.untrusted import one_line

LARGE = 10_000_000
"""A whole number that may be as large is written with separators, in a field of text."""
FEW = ("min_turns",)
"""Counts of a few, whatever their bound."""


def is_amount(name: str) -> bool:
    """Tell whether the setting is a number so large that it is read by its separators."""
    schema = schema_of(name)
    return schema.get("type") == "integer" and (bounds_of(schema)[1] or 0) >= LARGE and name not in FEW


def bounds_of(schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The least and the most a number may be; pydantic calls them by either name."""
    return schema.get("minimum", schema.get("ge")), schema.get("maximum", schema.get("le"))


def choose_amount(name: str, text: str, choose: Callable[[str, Any], None]) -> None:
    """Choose the number written in `text`; what is none is told, and changes nothing."""
    if (number := read_amount(title_of(name), text)) is not None:
        choose(name, number)


def read_amount(title: str, text: str) -> int | None:
    """The number written in the field of that title; what is none is told."""
    number = parse_count(text)
    if number is None or number > MOST_TOKENS:
        wanted = f"{title} is a number such as 96k or 96,000"
        session.report_problem(f"{wanted}, not “{one_line(text, 40)}”. Nothing was changed.")
        return None
    return number
