"""The trimmer on screen in place of settings: one of an installed library, or the one that the command line named.

The latter is shown by itself as long as nobody chose anything. Whatever is chosen afterwards shows the settings at
once, and taking that choice back shows again what the trimmer sends.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import settings_for
from historylab.errors import HistoryLabError, SettingsError, UnknownMember
from historylab.pricing import window_of
from historylab.registry import Option, member, members
from historylab.settings.link import COMPARE, Place, RefusedParameter
from historylab.settings.names import SYSTEM
from historylab.settings.trimmer_options import (
    OPTION,
    SYSTEM_OF_TRIMMER,
    TRIMMER,
    is_own_function,
    parse_trimmer_option,
    read_option_text,
    screen_options,
    trimmer_configuration,
    trimmer_in,
    trimmer_of_system,
)
from historylab.trimmers.given import install_command, installed_version, open_trimmer_choice
from historylab.tuning.replayed import TrimmerLane, lane_in_environment
from historylab.ui.session import cached, choices
from historylab.ui.session.drawers import ask_for
from historylab.ui.session.session import report_problem, tab, touch
from historylab.ui.session.tab import ChosenTrimmer
from historylab.wording.untrusted import one_line

NEAREST = "nearest"
"""The work that looks for settings near a trimmer."""
SHARE = 0.4
"""The share of the largest request, or of the messages, that a trimmer keeps where its library has no default."""
SHARES = {"max_part_tokens": 0.05, "compact_to": 0.2, "head_size": 0.1, "tail_size": 0.3, "max_output_tokens": 0.1}
LIMITS = ("max_tokens", "token_limit", "max_messages", "max_part_tokens")
"""Options without which a trimmer does nothing, or nothing useful, though its library doesn't ask for them."""


def served_trimmer() -> TrimmerLane | None:
    """The trimmer that the command line named."""
    try:
        return lane_in_environment()
    except (SettingsError, UnknownMember) as problem:
        tab().problem = str(problem)  # found while drawing: no click
        return None


def served_name() -> str:
    """Its name; "" where none was named."""
    served = served_trimmer()
    return str(served.trimmer) if served else ""


def offered_trimmers() -> list[str]:
    """The trimmers that may be chosen: the one that the command line named, and those of installed libraries."""
    found = () if choices.is_strict() else _find_installed()
    return list(dict.fromkeys([*([served_name()] if served_name() else []), *found]))


@cache
def _find_installed() -> tuple[str, ...]:
    """The trimmers of installed libraries, looked for once: a page asks many times."""
    return tuple(name for name, each in members(TRIMMER).items() if installed_version(each))


def missing_libraries() -> list[str]:
    """The libraries of trimmers that aren't installed here, as pip has them."""
    missing = [each.attributes for name, each in members(TRIMMER).items() if name not in _find_installed()]
    return sorted({said["library"] for said in missing if "install" not in said})


def current_trimmer() -> str:
    """The name of the trimmer on screen; "" where settings decide, or what was really sent is shown."""
    state = tab()
    chosen = state.trimmer
    if chosen and chosen.beside == choices.fingerprint() and chosen.name in offered_trimmers():
        return chosen.name
    return served_name() if chosen is None and _stands_by_itself() else ""


def _stands_by_itself() -> bool:
    """Tell whether nobody chose anything else than what the command line named."""
    state = tab()
    return state.as_sent is None and not (state.you or state.link or state.system or state.template)


def would_stand_by_itself() -> bool:
    """Tell whether the command line's trimmer would be shown if the settings weren't chosen in its place."""
    state = tab()
    return bool(served_name()) and not (state.you or state.link or state.system or state.template)


def lane_on_screen(conversation: Conversation) -> TrimmerLane | None:
    """The trimmer on screen, as it is driven over that conversation; None without one."""
    name, chosen = current_trimmer(), tab().trimmer
    return lane_of(name, chosen.options if chosen else {}, conversation) if name else None


def lane_of(name: str, options: Mapping[str, Any], conversation: Conversation) -> TrimmerLane:
    """A trimmer as it is driven over a conversation, with these options, and others where it needs them."""
    served = served_trimmer()
    if served and served.trimmer == name:
        return TrimmerLane(name, {**served.options, **options}, served.carry, served.form, served.seconds)
    return TrimmerLane(name, {**proposed_options(name, conversation), **options})


def trimmer_title(name: str) -> str:
    """The name of a trimmer on screen."""
    return one_line(name, 60) if is_own_function(name) else member(TRIMMER, name).title


# -- options


def options_of_lane(lane: TrimmerLane) -> list[tuple[Option, Any]]:
    """The options of a trimmer that have fields, each with its value; none of a function of somebody's own."""
    name = str(lane.trimmer)
    known = {} if is_own_function(name) else screen_options(name)
    return [(option, lane.options.get(each, option.default)) for each, option in known.items()]


def proposed_options(name: str, conversation: Conversation) -> dict[str, Any]:
    """Values for the options that a trimmer needs and its library has no default for, by what is in a conversation."""
    known = screen_options(name)
    needed = [each for each, option in known.items() if option.default is inspect.Parameter.empty]
    needed = needed or [each for each in LIMITS if each in known and known[each].default is None][:1]
    return {each: _propose(each, known[each].help, conversation) for each in needed}


def _propose(name: str, about: str, conversation: Conversation) -> int:
    share = SHARES.get(name, SHARE)
    if "token" in name or about.startswith("tokens"):
        settings = settings_for(conversation)
        sums = cached.tokens(conversation, settings).cumsum()
        requests = conversation.columns.requests
        amount = int(sums[requests[-1] - 1]) if len(requests) else int(sums[-1])
        amount = min(amount, window_of(settings.model) or amount)  # of which a library's own counter may say less
        return max(1, _round(int(amount * share)))
    columns = conversation.columns
    units = len(columns.block_first) if "group" in name else len(columns.users) if "turn" in name else len(conversation)
    return max(1, int(units * share))


def _round(tokens: int) -> int:
    """To two digits: 46,218 is 46,000."""
    return round(tokens, min(0, 2 - len(str(tokens))))


# -- what is chosen


def choose_trimmer(name: str, options: Mapping[str, Any] | None = None) -> None:
    """Show what that trimmer sends, as a click wants it; "" for none."""
    _show_trimmer(name, options or {})
    touch()


def _show_trimmer(name: str, options: Mapping[str, Any]) -> None:
    tab().trimmer = ChosenTrimmer(name, dict(options), choices.fingerprint()) if name else None


def choose_trimmer_option(name: str, value: Any) -> None:
    """Choose a value for an option of the trimmer on screen: text as on the command line, or a value."""
    trimmer, chosen = current_trimmer(), tab().trimmer
    if trimmer and (given := take_option(trimmer, name, value)):
        choose_trimmer(trimmer, {**(chosen.options if chosen else {}), **given})


def take_option(trimmer: str, name: str, value: Any) -> dict[str, Any]:
    """The option as the library takes it; none where it doesn't, with the reason at the top of the page."""
    known = {} if is_own_function(trimmer) else screen_options(trimmer)
    if name not in known:
        return {}  # a browser that is behind tells of a trimmer before
    try:
        given = (read_option_text(value) if value else None) if isinstance(value, str) else value
        found = {name: parse_trimmer_option(known[name], given)}
    except SettingsError as problem:
        report_problem(f"{trimmer_title(trimmer)}, {name}: {problem}")
        return {}
    tab().problem = ""
    return found


def ask_for_nearest() -> None:
    """Have Compare look for the settings nearest to the trimmer on screen, which alone is beside them there."""
    choices.compare_with([trimmer_configuration(current_trimmer(), options_in_address())])
    ask_for(NEAREST)


def keep_trimmer(name: str) -> None:
    """Go on showing that trimmer, which was on screen before something else was opened."""
    if name and (chosen := tab().trimmer):
        _show_trimmer(name, chosen.options)


# -- links


def follow_linked_trimmer(place: Place) -> None:
    """Show the trimmer that a link names, if it may be chosen here."""
    name = trimmer_of_system(place.system)
    _show_trimmer("" if _why_not(name, place.options) else name, place.options)


def refused_trimmers(place: Place) -> Iterator[RefusedParameter]:
    """The trimmer that a link names in place of a system, if it isn't to be had here, with the reason."""
    name = trimmer_of_system(place.system)
    if name and (why := _why_not(name, place.options)):
        yield RefusedParameter(SYSTEM, name, why)


def _why_not(name: str, options: Mapping[str, Any]) -> str:
    """The reason why a trimmer can't be shown with these options; "" where it can, as far as a link says them all."""
    if not name or name not in offered_trimmers():
        return why_no_trimmer(name) if name else ""
    known = {} if is_own_function(name) else screen_options(name)
    needed = {each for each, option in known.items() if option.default is inspect.Parameter.empty}
    if not known or needed - options.keys():  # what is proposed depends on what is open
        return ""
    try:
        open_trimmer_choice(name, options)
    except HistoryLabError as problem:
        return str(problem)
    return ""


def offered_configurations(place: Place) -> tuple[list[dict[str, Any]], list[RefusedParameter]]:
    """The configurations that a link compares, but for trimmers that aren't to be had here; and these, with reasons."""
    refused = [name for each in place.compare if (name := trimmer_in(each)[0]) and name not in offered_trimmers()]
    found = [dict(each) for each in place.compare if trimmer_in(each)[0] not in refused]
    return found, [RefusedParameter(f"{COMPARE} {TRIMMER}", name, why_no_trimmer(name)) for name in refused]


def why_no_trimmer(name: str) -> str:
    """The reason why a trimmer can't be chosen here, and the command that helps."""
    if is_own_function(name):
        return f"no link runs a function of somebody’s own; historylab --trimmer {name} FILE does"
    try:
        found = member(TRIMMER, name)
    except UnknownMember as problem:
        return str(problem)
    if installed_version(found):
        return "the environment is strict"
    return f"its library isn’t installed here: {install_command(found)}"


def options_in_address() -> Mapping[str, Any]:
    """The options that the address says of the trimmer on screen: those that were chosen."""
    chosen = tab().trimmer
    return chosen.options if chosen and current_trimmer() else {}


def system_of_trimmer() -> str:
    """The trimmer on screen as the address names it in place of a system; "" without one."""
    name = current_trimmer()
    return f"{SYSTEM_OF_TRIMMER}{name}" if name else ""


def is_option_parameter(name: str) -> bool:
    """Tell whether a parameter of an address is an option of a trimmer."""
    return name.startswith(OPTION)
