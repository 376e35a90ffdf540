"""Detection: every format is asked how surely it recognises a content; the surest reads it."""

from __future__ import annotations

from collections.abc import Mapping

from historylab.errors import LoadError, UnknownFormat
from historylab.formats.base import Recognise, describe
from historylab.formats.content import Content, opening_of
from historylab.formats.other_shapes import shape_in
from historylab.registry import Member, member, members


def match_strengths(content: Content) -> Mapping[str, float]:
    """How surely each format recognises the content: name → strength above 0, up to 1; the surest first."""
    claims = {name: sure for name, asked in members("format").items() if (sure := _strength(asked, content.sample)) > 0}
    return dict(sorted(claims.items(), key=lambda claim: (-claim[1], claim[0])))


def chosen_by(claims: Mapping[str, float], content: Content) -> Member:
    """The format that is surer than any other. Raises UnknownFormat, with what is known about the content."""
    best = [name for name, sure in claims.items() if sure == max(claims.values())]
    if len(best) == 1:
        return member("format", best[0])
    found = _found(content)  # raises for binary data and broken JSON
    if best:
        raise UnknownFormat(f"found {found}, which {' and '.join(best)} both claim; choose one of them as the format")
    if content.text.lstrip()[:1] in "[{" and (shape := shape_in(content.values)):
        raise UnknownFormat(f"found {found}: it looks like {shape}, and can't be read as such; name its format")
    raise UnknownFormat(f"found {found}, which is in none of the {len(members('format'))} formats read here")


def _strength(candidate: Member, content: Content) -> float:
    recognise: Recognise = candidate.attributes["recognise"]
    try:
        return recognise(content)
    except LoadError:
        return 0


def _found(content: Content) -> str:
    if content.text.lstrip()[:1] not in "[{":
        return opening_of(content.text)
    values = content.values
    return (f"{len(values):,} JSON lines, the first of them " if len(values) > 1 else "") + describe(values[0][1])
