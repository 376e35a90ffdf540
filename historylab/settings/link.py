"""Links: every setting, the open conversation, the selected request and the configurations compared, as a URL query.

    ?v=2&historyLength=5&conv=gen:support_desk:turns=40,seed=0&stars=3,17&cmp=budget:4000
    ?system=trimmer:langchain.trim_messages&trimmer.max_tokens=4000

A link names samples and the seeds of generated conversations, and says of a file of one's own that it is one; it never
contains uploaded text or a file's name, nor `pin`, which a person wrote. A setting that it leaves out is as the preset
has it that it names. What none decides is left to the server in version 1, as in links without `v` (from before there
were versions, and AgentDock's); in version 2 it has its default, so that a short link means the same under any
template. Settings are passed on as raw text: `in_full` adds what the link implies, and `resolve_settings(url=…)`
validates them and reports refusals; everything else is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, unquote, urlencode

from historylab.errors import SettingsError, UnknownMember
from historylab.settings import trimmer_options
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, read_setting
from historylab.settings.names import (
    NOT_IN_LINKS,
    SYSTEM,
    VERSION,
    WHY_NOT_IN_LINKS,
    as_text,
    by_url_name,
    url_name,
)
from historylab.settings.trimmer_options import OPTION, TRIMMER

PARTIAL, COMPLETE = "1", "2"
"""Versions: what is left out is left to the server, or has its default. With a new default comes a new version."""
CONVERSATION, WHICH, REQUEST, COMPARE = "conv", "which", "request", "cmp"
STARS, NO_STARS = "stars", "none"
OWN_FILE = "file"
"""The `conv` of a link made while a file of one's own was open, which it can't hold."""
BEFORE_VERSIONS = "conversation"
"""The name of `conv` before there were versions: `NAME` of a sample, or `GENERATOR:turns=40,seed=0`."""
OURS = (VERSION, CONVERSATION, WHICH, REQUEST, COMPARE, SYSTEM, STARS, BEFORE_VERSIONS)
LONGEST = 32_000  # characters of a link: half of what servers accept
MOST_CONFIGURATIONS = 4  # side by side
YOURS, WAS_SENT = "-yours", "-as-sent"
"""The entry among the configurations where the link's own settings, or what was really sent, is not compared."""
MOST_STARS = 100  # each is searched for in every request
LARGEST_NUMBER = 10**9
NO_PRESET: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """Everything in a link except its settings. Indices count from 0.

    `conversation`: `sample:NAME`, `gen:NAME:option=value,…`, OWN_FILE, or empty if the link names none. `which`: the
    conversation, if its file has several. `compare`: the configurations compared, each as the settings that differ from
    the link's own, or a trimmer and its options; `without` has YOURS or WAS_SENT where that one isn't. `system`: the
    preset the settings started from (`NAME` or `NAME:VARIANT`), which supplies what the link leaves out; or a trimmer
    in place of settings, with its `options`. `stars`: the must-remember messages; None if the link names none.
    """

    conversation: str = ""
    which: int = 0
    request: int | None = None
    compare: tuple[Mapping[str, Any], ...] = ()
    system: str = ""
    stars: tuple[int, ...] | None = None
    without: frozenset[str] = frozenset()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefusedParameter:
    """A parameter that was refused, and why."""

    name: str
    raw: str
    why: str


@dataclass(frozen=True, slots=True)
class Link:
    """The contents of a link. `settings` are its own, raw by URL name, and `v` if it leaves nothing to the server."""

    settings: Mapping[str, str] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    refused: tuple[RefusedParameter, ...] = ()


# -- writing


def encode(settings: Settings, place: Place, preset: Mapping[str, str] = NO_PRESET) -> str:
    """The query string of a link that decides every setting but the rules of `pin`.

    `preset` has what the place's system decides, as raw texts by URL name. Raises SettingsError if it is too long.
    """
    query = urlencode(link_parameters(_as_parameters(settings), place, preset), safe=":,;=")
    if len(query) > LONGEST:
        raise SettingsError(f"the link would have {len(query):,} characters, {LONGEST:,} are possible; export instead")
    return query


def link_parameters(settings: Mapping[str, str], place: Place, preset: Mapping[str, str] = NO_PRESET) -> dict[str, str]:
    """The parameters of a link with these settings, by URL name, and `v` as `decode` has it.

    Where all are given, those at their default go, unless the place's system decides otherwise (`preset`).
    """
    settings, default = {n: t for n, t in settings.items() if n not in NOT_IN_LINKS}, _as_parameters(Settings())
    if set(default) <= set(settings):
        settings = {n: text for n, text in settings.items() if not (text == default.get(n) == preset.get(n, text))}
        settings[VERSION] = COMPLETE
    version = {VERSION: settings.pop(VERSION)} if VERSION in settings else {}
    return {**version, **settings, **place_parameters(place), **version}


def _as_parameters(settings: Settings) -> dict[str, str]:
    return {url_name(name): as_text(value) for name, value in settings.values().items() if name not in NOT_IN_LINKS}


def place_parameters(place: Place) -> dict[str, str]:
    """The URL parameters of a place, including `v` if there are any."""
    found = {
        CONVERSATION: place.conversation,
        WHICH: str(place.which + 1) if place.which else "",
        REQUEST: "" if place.request is None else str(place.request + 1),
        COMPARE: ";".join((*map(_pack, place.compare), *sorted(place.without))),
        SYSTEM: place.system,
        STARS: "" if place.stars is None else ",".join(str(star + 1) for star in place.stars) or NO_STARS,
        **trimmer_options.option_parameters(place.options),
    }
    found = {name: text for name, text in found.items() if text}
    return {VERSION: PARTIAL, **found} if found else {}


def _pack(changes: Mapping[str, Any]) -> str:
    """`budget:4000,pruner:off`; `=` if nothing differs."""
    write = trimmer_options.option_text if TRIMMER in changes else as_text
    carried = {name: write(value) for name, value in changes.items() if name not in NOT_IN_LINKS}
    return ",".join(f"{url_name(name)}:{quote(text, safe='')}" for name, text in carried.items()) or "="


# -- reading


def in_full(said: Mapping[str, Any], presets: Callable[[str], Mapping[str, str]]) -> dict[str, Any]:
    """The settings said by name, as `resolve_settings` takes them, with what `system` decides and `v` leaves out.

    `presets` says what a system decides, as raw texts by URL name; nothing if there is none of that name.
    """
    implied = {SYSTEM: presets(str(said.get(SYSTEM, ""))), VERSION: {}}
    if said.get(VERSION) == COMPLETE:
        implied[VERSION] = _as_parameters(Settings())
    return {**said, **{name: values for name, values in implied.items() if values}}


def decode(parameters: Mapping[str, str]) -> Link:
    """Read a link from the parameters of a URL; unrelated parameters are ignored."""
    length = sum(len(name) + len(text) for name, text in parameters.items())
    if length > LONGEST:
        return Link(refused=(RefusedParameter("link", "", f"it has {length:,} characters, {LONGEST:,} are read"),))
    refused: list[RefusedParameter] = []
    known = by_url_name().keys() - NOT_IN_LINKS
    compared = parts.split(";") if (parts := parameters.get(COMPARE, "")) else []
    without = frozenset({YOURS, WAS_SENT} & {*compared})
    place = Place(
        _conversation(parameters, refused),
        (_number(parameters, WHICH, refused) or 1) - 1,
        None if (number := _number(parameters, REQUEST, refused)) is None else number - 1,
        tuple(_configurations([part for part in compared if part not in without], without, refused)),
        parameters.get(SYSTEM, ""),
        _stars(parameters.get(STARS, ""), refused),
        without,
        _options(parameters, refused),
    )
    version = parameters.get(VERSION, PARTIAL)
    if version not in (PARTIAL, COMPLETE):
        refused.append(
            RefusedParameter(VERSION, version, f"known here are {PARTIAL} and {COMPLETE}; read as {PARTIAL}")
        )
    for name, text in parameters.items():
        if name in NOT_IN_LINKS:
            refused.append(RefusedParameter(name, text, WHY_NOT_IN_LINKS))
        elif name not in known and name.partition(".")[0] in FIELDS_THAT_CHOOSE:
            refused.append(RefusedParameter(name, text, "there is no such setting"))
    given = {name: text for name, text in parameters.items() if name in known}
    complete = {VERSION: COMPLETE} if version == COMPLETE else {}
    return Link({**complete, **given}, place, tuple(refused))


def _conversation(parameters: Mapping[str, str], refused: list[RefusedParameter]) -> str:
    spec = parameters.get(CONVERSATION, "")
    if not spec and (old := parameters.get(BEFORE_VERSIONS, "")):
        spec = f"gen:{old}" if ":" in old else f"sample:{old}"
    if spec in ("", OWN_FILE) or spec.startswith(("sample:", "gen:")):
        return spec
    refused.append(RefusedParameter(CONVERSATION, spec, "a link names sample:NAME, gen:NAME:option=value,… or file"))
    return ""


def _number(parameters: Mapping[str, str], name: str, refused: list[RefusedParameter]) -> int | None:
    raw = parameters.get(name)
    return None if raw is None else _from_one(name, raw, refused)


def _stars(raw: str, refused: list[RefusedParameter]) -> tuple[int, ...] | None:
    """The valid numbers of a comma-separated list as indices; None if there are none."""
    if raw in ("", NO_STARS):
        return () if raw else None
    parts = raw.split(",")
    if len(parts) > MOST_STARS:
        refused.append(
            RefusedParameter(STARS, ",".join(parts[MOST_STARS:]), f"a link marks at most {MOST_STARS} messages")
        )
    found = [_from_one(STARS, part.strip(), refused) for part in parts[:MOST_STARS]]
    return tuple(sorted({number - 1 for number in found if number is not None})) or None


def _from_one(name: str, raw: str, refused: list[RefusedParameter]) -> int | None:
    if raw.isascii() and raw.isdecimal() and len(raw) <= len(str(LARGEST_NUMBER)) and 1 <= int(raw) <= LARGEST_NUMBER:
        return int(raw)
    refused.append(RefusedParameter(name, raw, "not a number of 1 or more"))
    return None


def _configurations(
    parts: Sequence[str], without: frozenset[str], refused: list[RefusedParameter]
) -> Iterator[dict[str, Any]]:
    most = MOST_CONFIGURATIONS - (YOURS not in without)
    if len(parts) > most:
        why = f"at most {MOST_CONFIGURATIONS} configurations are compared"
        refused.append(RefusedParameter(COMPARE, ";".join(parts[most:]), why))
    for part in parts[:most]:
        pairs = [] if part == "=" else part.split(",")
        if part.startswith(f"{TRIMMER}:"):
            yield from _trimmer(pairs, refused)
        else:
            yield dict(_changes(pairs, refused))


def _trimmer(pairs: Sequence[str], refused: list[RefusedParameter]) -> Iterator[dict[str, Any]]:
    """A trimmer with its options; of a function of somebody's own the name alone, which the screen then explains."""
    given = {name: unquote(raw) for name, _, raw in (pair.partition(":") for pair in pairs)}
    name = given.pop(TRIMMER)
    if trimmer_options.is_own_function(name):
        yield {TRIMMER: name}
        return
    try:
        trimmer_options.screen_options(name)
    except UnknownMember as problem:
        refused.append(RefusedParameter(f"{COMPARE} {TRIMMER}", name, str(problem)))
    else:
        yield trimmer_options.trimmer_configuration(name, _read_options(name, given, refused))


def _options(parameters: Mapping[str, str], refused: list[RefusedParameter]) -> dict[str, Any]:
    """The options of the trimmer that takes the place of a system."""
    given = {name: text for name, text in parameters.items() if name.startswith(OPTION)}
    if trimmer := trimmer_options.trimmer_of_system(parameters.get(SYSTEM, "")):
        return {} if trimmer_options.is_own_function(trimmer) else _read_options(trimmer, given, refused)
    refused += [RefusedParameter(name, text, f"{SYSTEM} names no trimmer") for name, text in given.items()]
    return {}


def _read_options(trimmer: str, given: Mapping[str, str], refused: list[RefusedParameter]) -> dict[str, Any]:
    found = dict[str, Any]()
    for name, text in given.items():
        try:
            found[name.removeprefix(OPTION)] = trimmer_options.read_trimmer_option(
                trimmer, name.removeprefix(OPTION), text
            )
        except UnknownMember:
            break  # the name of the trimmer is refused where it is opened
        except SettingsError as problem:
            refused.append(RefusedParameter(name, text, str(problem)))
    return found


def _changes(pairs: Sequence[str], refused: list[RefusedParameter]) -> Iterator[tuple[str, Any]]:
    known = by_url_name()
    for pair in pairs:
        name, colon, raw = pair.partition(":")
        if not colon or name not in known:
            refused.append(RefusedParameter(COMPARE, pair, "there is no such setting"))
            continue
        if name in NOT_IN_LINKS:
            refused.append(RefusedParameter(f"{COMPARE} {name}", unquote(raw), WHY_NOT_IN_LINKS))
            continue
        try:
            yield known[name], read_setting(known[name], unquote(raw))
        except (SettingsError, UnknownMember) as problem:
            refused.append(RefusedParameter(f"{COMPARE} {name}", unquote(raw), str(problem)))
