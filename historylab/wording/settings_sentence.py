"""The settings as a sentence: "Keep everything up to 96k tokens, then drop the oldest turns; system messages may go".

It is made of the parts that policy and pruner say of themselves (`says=` in `historylab/planning/strategies/base.py`),
so that it can be read, and edited in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from historylab.costs.amounts import count_of, plain_count
from historylab.planning.reasons import counted_noun, in_percent
from historylab.planning.strategies.base import UP_TO
from historylab.registry import Member, member, members
from historylab.settings.model import Settings
from historylab.wording.cuts import stages_beside

ABOUT: Mapping[str, str] = {
    "policy": "What is kept",
    "length": "User messages kept",
    "budget": "Tokens at most",
    "pruner": "What is cut beyond that",
}
"""Setting that the sentence edits → its name there."""
PIECES = re.compile(r"\[(?P<choice>[^]]*)\]|\{(?P<setting>length|budget)(?::(?P<noun>[^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the sentence: words, or a setting as it is said there; of a choice all there is, in the same words."""

    text: str
    setting: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)


def settings_sentence(settings: Settings, lead: str = "") -> str:
    """The settings as a sentence; `lead` stands before it, as in "Octopus: keep everything …"."""
    return "".join(part.text for part in sentence_parts(settings, lead)) + "."


def sentence_parts(
    settings: Settings, lead: str = "", offered: Mapping[str, Mapping[str, str]] | None = None
) -> list[Part]:
    """The sentence in its parts, without the full stop; `offered` are the members of a family to choose from."""
    parts = [Part(f"{lead} keep " if lead else "Keep ")]
    parts += _family(settings, "policy", (offered or {}).get("policy") or members("policy"))
    said = _says(settings, "pruner", settings.pruner)
    parts.append(Part("" if said.startswith(",") else " "))
    parts += _family(settings, "pruner", (offered or {}).get("pruner") or members("pruner"))
    ends = "; ".join(_ends(settings))
    return [part for part in (*parts, Part(f"; {ends}" if ends else "")) if part.text]


def _family(settings: Settings, family: str, offered: Mapping[str, object]) -> Iterator[Part]:
    """The parts of what is chosen in that family."""
    said, end = _says(settings, family, settings.value(family)), 0
    for piece in PIECES.finditer(said):
        if piece.start() > end:
            yield Part(said[end : piece.start()])
        end = piece.end()
        if piece["choice"] is None:
            yield from _number(piece["setting"], settings.value(piece["setting"]), piece["noun"])
        else:
            chosen = settings.value(family)
            names = [name for name in members(family) if name in offered or name == chosen]
            words = {name: _in_full(settings, family, name) for name in names}
            yield Part(piece["choice"], family, {**words, chosen: piece["choice"]})
    if said[end:]:
        yield Part(said[end:])


def _number(setting: str, number: int, noun: str | None) -> Iterator[Part]:
    yield Part(plain_count(number), setting)
    if noun:
        yield Part(f" {noun.removesuffix('s') if number == 1 else noun}")


def _in_full(settings: Settings, family: str, name: str) -> str:
    """What is chosen from: a policy as a whole, of a pruner's part what it does."""
    said = _says(settings, family, name)
    if family == "policy":
        numbers = (
            "".join(part.text for part in _number(p["setting"], settings.value(p["setting"]), p["noun"]))
            for p in PIECES.finditer(said)
            if p["setting"]
        )
        return re.sub(r"\[([^]]*)\]", r"\1", re.sub(r"\{[^}]*\}", lambda _: next(numbers), said))
    return next((piece["choice"] for piece in PIECES.finditer(said) if piece["choice"]), said)


def _says(settings: Settings, family: str, name: str) -> str:
    """What the member says of itself; its options' values stand in it."""
    chosen = member(family, name)
    said: str = chosen.attributes.get("says") or _by_its_title(chosen)
    own = {option.name for option in chosen.options}
    pieces = []
    for text, name_of, form, _ in Formatter().parse(said):
        pieces.append(text)
        if name_of in own:
            pieces.append(_option(settings.value(f"{family}.{name}.{name_of}"), form or ""))
        elif name_of:
            pieces.append("{" + ":".join(filter(None, (name_of, form))) + "}")
    return "".join(pieces)


def _by_its_title(chosen: Member) -> str:
    title = chosen.title[:1].lower() + chosen.title[1:]
    return f"[{title}]" if chosen.family == "policy" else f"{UP_TO} [{title}]"


def _option(value: Any, form: str) -> str:
    return in_percent(value) if form == "%" else counted_noun(value, form) if form else str(value)


def _ends(settings: Settings) -> Iterator[str]:
    """What else isn't as by default and decides what is sent."""
    if not settings.preserve_system_messages:
        yield "system messages may go"
    if settings.pin:
        yield f"{count_of(settings.pin.count('|') + 1, 'text')} always sent"
    yield from stages_beside(settings)
