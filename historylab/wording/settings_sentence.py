"""The settings as a sentence: "Keep everything up to 96k tokens, then drop the oldest turns; system messages may go".

It is made of the parts that policy and pruner say of themselves (`says=` in `historylab/planning/strategies/base.py`),
so that it can be read, and edited in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from string import Formatter

from historylab.costs.amounts import count_of, plain_count
from historylab.planning.reasons import counted_noun, in_percent
from historylab.planning.strategies.base import UP_TO
from historylab.registry import Member, member, members
from historylab.settings.model import Settings
from historylab.wording.cuts import stages_beside
from historylab.wording.phrases import uncapitalize

ABOUT: Mapping[str, str] = {
    "policy": "What is kept",
    "length": "How many are kept",
    "budget": "Tokens at most",
    "pruner": "What is cut beyond that",
}
"""Setting that the sentence edits → its name there."""
END = "; "
"""Begins a part about what else isn't as by default."""
PIECES = re.compile(r"\[(?P<choice>[^]]*)\]|\{(?P<number>\w+)(?::(?P<noun>[^}]*))?\}|(?P<words>[^[{]+)")
"""The parts of `says=`."""


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A part of the sentence: words, or a setting as it is said there; of a choice all there is, in the same words."""

    text: str
    setting: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)


def settings_sentence(settings: Settings) -> str:
    """The settings as a sentence."""
    return "".join(part.text for part in sentence_parts(settings)) + "."


def sentence_parts(
    settings: Settings, lead: str = "", offered: Mapping[str, Collection[str]] | None = None
) -> list[SentencePart]:
    """The sentence in its parts, without the full stop; `offered` are the members of a family to choose from.

    `lead` stands before it, as in "Octopus: keep everything …".
    """
    families = ("policy",) if settings.pruner == "off" else ("policy", "pruner")  # cutting nothing more goes unsaid
    kept, *cuts = (
        list(_with_choices(settings, family, (offered or {}).get(family) or members(family))) for family in families
    )
    cut = cuts[0] if cuts else []
    between = "" if not cut or cut[0].text.startswith(",") else " "
    ends = [SentencePart(f"{END}{end}") for end in _ends(settings)]
    parts = [SentencePart(f"{lead} keep " if lead else "Keep "), *kept, SentencePart(between), *cut, *ends]
    return [part for part in parts if part.text]


def _with_choices(settings: Settings, family: str, offered: Collection[str]) -> Iterator[SentencePart]:
    """The parts of the member chosen; the one that names it has all to choose from, each as it would be said."""
    chosen = settings.value(family)
    names = [name for name in members(family) if name in offered or name == chosen]
    for part in _parts_of(settings, member(family, chosen)):
        if part.setting == family:
            words = {name: _in_full(settings, family, name) for name in names}
            yield replace(part, choices={**words, chosen: part.text})
        else:
            yield part


def _in_full(settings: Settings, family: str, name: str) -> str:
    """The words of a member, from its choice on: "drop all but the last 10 turns"."""
    parts = list(_parts_of(settings, member(family, name)))
    first = next(i for i, part in enumerate(parts) if part.setting == family)
    return "".join(part.text for part in parts[first:])


def _parts_of(settings: Settings, chosen: Member) -> Iterator[SentencePart]:
    """The parts of what that member says."""
    for piece in PIECES.finditer(_words_of(settings, chosen)):
        if piece["choice"]:
            yield SentencePart(_with_options(settings, chosen, piece["choice"]), chosen.family)
        elif name := piece["number"]:
            own = any(option.name == name for option in chosen.options)
            setting = f"{chosen.family}.{chosen.name}.{name}" if own else name
            number, noun = settings.value(setting), piece["noun"] or ""
            yield SentencePart(plain_count(number), setting)
            if noun:
                yield SentencePart(f" {noun.removesuffix('s') if number == 1 else noun}")
        else:
            yield SentencePart(piece["words"])


def _words_of(settings: Settings, chosen: Member) -> str:
    """The words of that member, as `says=` has them."""
    says: str | Callable[..., str] = chosen.attributes.get("says") or _by_its_title(chosen)
    if isinstance(says, str):
        return says
    return says(**{o: settings.value(f"{chosen.family}.{chosen.name}.{o}") for o in signature(says).parameters})


def _with_options(settings: Settings, chosen: Member, words: str) -> str:
    """The words with the options' values in their places."""
    said = []
    for text, option, form, _ in Formatter().parse(words):
        value = settings.value(f"{chosen.family}.{chosen.name}.{option}") if option else None
        said += [text, "" if value is None else in_percent(value) if form == "%" else counted_noun(value, form or "")]
    return "".join(said)


def _by_its_title(chosen: Member) -> str:
    title = uncapitalize(chosen.title)
    return f"[{title}]" if chosen.family == "policy" else f"{UP_TO} [{title}]"


def _ends(settings: Settings) -> Iterator[str]:
    """Settings that else aren't the defaults and decide what is sent."""
    if not settings.preserve_system_messages:
        yield "system messages may go"
    if settings.pin:
        yield f"{count_of(settings.pin.count('|') + 1, 'text')} always sent"
    yield from stages_beside(settings)
