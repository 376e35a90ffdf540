"""Detection: every format is asked how surely it recognises a content; the surest reads it.

A refusal says what was found, by name if it is known, the formats nearest to it and the shapes that may fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from historylab.errors import LoadError, UnknownFormat
from historylab.formats.base import Recognise, describe
from historylab.formats.files.content import Content
from historylab.formats.files.refusals import opening_of
from historylab.formats.messages.other_shapes import shape_in
from historylab.formats.not_read import known_as, known_database, known_text, transcript_beside
from historylab.formats.shapes.proposals import ShapeProposal, keys_by_list, proposals
from historylab.formats.titles import printable
from historylab.registry import Member, member, members

NEAREST = 3
SAMPLE_LEVELS = 6
TRANSCRIPT = "a transcript is a list of messages, each with a role and a text"
SPOKEN = "a text is read if each message begins with its speaker (“User: Hello”), a table by its role and content"


def match_strengths(content: Content) -> Mapping[str, float]:
    """The strength with which each format recognises the content: name → above 0, up to 1; the surest first."""
    claims = {name: sure for name, asked in members("format").items() if (sure := strength(asked, content.sample)) > 0}
    return dict(sorted(claims.items(), key=lambda claim: (-claim[1], claim[0])))


def claimants(claims: Mapping[str, float]) -> Iterator[list[Member]]:
    """The formats that recognise a content, the surest first; those that are equally sure together."""
    for _, names in groupby(claims, key=lambda name: claims[name]):
        yield [member("format", name) for name in names]


def refuse(content: Content, claims: Mapping[str, float], claiming: Sequence[str] = ()) -> UnknownFormat:
    """The refusal of what no format reads, or of what several do, with what is known about the content."""
    if claiming:
        both = " and ".join(claiming)
        why = f"found {_name_found(content)}, which {both} both claim; choose one of them as the format"
        return UnknownFormat(why, claims, claiming[:NEAREST])
    return _unknown(content)


def strength(candidate: Member, content: Content) -> float:
    """The strength with which that format recognises the content, 0 to 1."""
    recognise: Recognise = candidate.attributes["recognise"]
    try:
        return recognise(content)
    except LoadError:
        return 0


def offers(content: Content) -> tuple[ShapeProposal, ...]:
    """The shapes that may fit; none for what is no JSON."""
    try:
        return content.once("offers", lambda: proposals(content.values))
    except LoadError:
        return ()


def _unknown(content: Content) -> UnknownFormat:
    """The refusal of what no format recognises. Raises LoadError for binary data and broken JSON."""
    if content.tables:
        names = ", ".join(sorted(content.tables))
        what = known_database(content.tables) or f"an SQLite database with the tables {names[:80]}"
        return UnknownFormat(f"this is {what}, not read here")
    near: tuple[str, ...] = ()
    beside = ""
    offered: tuple[ShapeProposal, ...] = ()
    lists: dict[str, tuple[str, ...]] = {}
    found_json = content.text.lstrip()[:1] in "[{"
    if (known := known_text(content.text)) or not found_json:
        found = opening_of(content.text)
    else:
        sample, found = content.sample.values, _name_found(content)
        near, offered = _nearest(set(_keys([value for _, value in sample]))), offers(content)
        lists = {} if offered else keys_by_list(sample)
        shape = shape_in(sample)
        beside = printable(transcript_beside(sample[0][1], content.path))[:80]
        known = known_as(sample[0][1]) or (f"{shape} in another form" if shape else "")
    titles = ", ".join(member("format", name).title for name in near)
    named = f": it looks like {known}, not read here" if known else ", in no format read here"
    usual = "" if known else f"; {TRANSCRIPT if found_json else SPOKEN}"
    advice = f"; open {beside} beside it" if beside else f". {offered[0]}" if offered else usual
    nearest = f" (nearest: {titles})" if near else ""
    return UnknownFormat(f"found {found}{named}{nearest}{advice}", {}, near, offered, lists)


def _nearest(keys: set[str]) -> tuple[str, ...]:
    """The formats at least half of whose marks are among these keys, those with most of them first."""
    marks = {name: set(found.attributes.get("marks", "").split()) for name, found in members("format").items()}
    shares = {name: len(own & keys) / len(own) for name, own in marks.items() if own}
    near = sorted((name for name, share in shares.items() if share >= 0.5), key=lambda name: (-shares[name], name))
    return tuple(near[:NEAREST])


def _keys(values: list[Any]) -> Iterator[str]:
    """The keys at every level of some values."""
    for _ in range(SAMPLE_LEVELS):
        values = [value for value in values if isinstance(value, dict | list)]
        for value in values:
            if isinstance(value, dict):
                yield from value
        values = [v for value in values for v in (value.values() if isinstance(value, dict) else value)]


def _name_found(content: Content) -> str:
    if content.text.lstrip()[:1] not in "[{":
        return opening_of(content.text)
    values = content.values
    return (f"{len(values):,} JSON lines, the first of them " if len(values) > 1 else "") + describe(values[0][1])
