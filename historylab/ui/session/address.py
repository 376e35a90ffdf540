"""The address bar: settings and place read from a link, and written back after every run.

The link is read once per load and written here: Streamlit's `bind` cannot keep the order of precedence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from historylab.settings.link import (
    CONVERSATION,
    OURS,
    OWN_FILE,
    PARTIAL,
    Place,
    RefusedParameter,
    decode,
    link_parameters,
    place_parameters,
)
from historylab.settings.names import NOT_IN_LINKS, SYSTEM, VERSION, as_text, by_url_name, url_name
from historylab.settings.trimmer_options import trimmer_of_system
from historylab.systems.presets.base import find_preset, preset_in_link, presets
from historylab.ui.session import choices, chosen_trimmer, landing, viewing
from historylab.ui.session.session import tab
from historylab.ui.session.shown_timeline import system_in_address

AGENT = "agent"
"""Parameter of AgentDock's links, which is only handed on."""
DEBUG = "debug"
"""Parameter of AgentDock's links, which opens the tab of that name."""
COMPARE, PLAY, PRESENT = "compare", "play", "present"
"""The page Compare; and parameters of a link that count once: maps play by themselves, in the presenter's view."""


def follow_link(page: str) -> None:
    """Take over the address if it is a new one: a first load, Back and Forward. `AddressSync` knows a late one."""
    given, loaded = address_parameters(), not tab().address.page
    link = landing.link_to_follow(page, given)
    tab().presenting = False  # its link opens it once
    if tab().address.receive(page, given):
        take_over(link)
        name, _ = landing.opens(tab().linked)
        if tab().opened is None and name in landing.FILES and not loaded:
            viewing.open_latest_file(name)  # Back and Forward
    tab().playing &= page == COMPARE  # left while it plays, it does not begin again


def take_over(given: Mapping[str, str]) -> None:
    """Take over settings and place as a link has them. What is open stays open if the address names it too."""
    state, link = tab(), decode(given)
    written = state.address.written
    if written is None and given.get(DEBUG, "").lower() == "true":
        viewing.show_tab(viewing.DEBUG)
    if written is not None and landing.opens(link.place) != landing.opens(decode(written).place):
        state.opened = None
    if link.place.request is not None:
        state.request = link.place.request
    state.playing, state.presenting = (given.get(name, "").lower() == "true" for name in (PLAY, PRESENT))
    state.you = {name: value for name, value in state.you.items() if name in NOT_IN_LINKS}
    state.link, state.misread = dict(link.settings), link.refused
    compared, without = chosen_trimmer.offered_configurations(link.place)
    state.linked, state.compare = replace(link.place, compare=tuple(compared)), compared or None
    state.compared_without = link.place.without
    state.agreed, state.before_preset = "", None
    _follow_system(link.place.system)
    state.misread = (*state.misread, *chosen_trimmer.refused_trimmers(link.place), *without)
    if state.opened and state.opened.spec:
        viewing.follow_marks(link.place.stars)


def _follow_system(spec: str) -> None:
    """The preset a link names is the one on screen, or what was really sent, a trimmer, or no system."""
    state, found = tab(), find_preset(spec)
    state.system, state.system_linked = (spec, True) if found else ("", False)
    state.as_sent = {choices.AS_SENT: choices.fingerprint(), choices.OWN: ""}.get(spec)
    chosen_trimmer.follow_linked_trimmer(state.linked)
    if spec and not found and state.as_sent is None and not trimmer_of_system(spec):
        state.misread = (*state.misread, RefusedParameter(SYSTEM, spec, f"known are {', '.join(presets())}"))


def write_link() -> None:
    """Put what was chosen, on screen or by the link, into the address. Parameters that aren't ours stay."""
    given = address_parameters()
    ours = (*by_url_name(), *OURS, PLAY, PRESENT)
    kept = {n: v for n, v in given.items() if n not in ours and not chosen_trimmer.is_option_parameter(n)}
    address = {**kept, **chosen_parameters()}
    if not given and landing.is_untouched():
        address = {}
    elif not address and (given or current_place().conversation) and landing.is_story_allowed():
        opened, _ = landing.opens(current_place())  # without any parameter, the landing would be opened
        address = place_parameters(replace(current_place(), conversation=opened))
    tab().address.write(address)
    if address != given:
        st.query_params.from_dict(address)


def chosen_parameters() -> dict[str, str]:
    """Parameters of a link to this screen: the settings chosen, and what is open."""
    state, shown = tab(), current_place()
    settings = {**state.link, **{url_name(name): as_text(value) for name, value in state.you.items()}}
    unnamed, _ = landing.opens(Place())
    place = replace(shown, conversation="" if shown.conversation == unnamed else shown.conversation)
    return link_parameters(settings, place, preset_in_link(place.system))


def current_place(*, request: int | None = None, compare: Sequence[Mapping[str, Any]] | None = None) -> Place:
    """The open conversation and the configurations compared; of an upload or pasted text only that it is one's own."""
    state = tab()
    compare = tuple((state.compare if compare is None else compare) or ())
    opened, system, without = state.opened, system_in_address(), state.compared_without
    options = chosen_trimmer.options_in_address()
    if not opened or opened.stands_in:
        if state.linked.conversation == OWN_FILE:
            request = state.linked.request  # the file's, for when that is opened
        return replace(state.linked, request=request, compare=compare, system=system, without=without, options=options)
    which = opened.which if opened.spec else 0  # what is open of a file stays open with it
    name, marks = landing.name_in_link(opened), viewing.marks_for_link(opened)
    return Place(name, which, request, compare, system, marks, without, options)


def address_parameters() -> dict[str, str]:
    """The address's parameters; of a repeated one the first counts."""
    return {name: st.query_params.get_all(name)[0] for name in st.query_params}


def leave_conversation() -> None:
    """Have the address name no conversation any more."""
    rest = {name: value for name, value in address_parameters().items() if name != CONVERSATION}
    st.query_params.from_dict({} if rest == {VERSION: PARTIAL} else rest)


def linked_agent() -> str:
    """The agent the link names, as AgentDock's links do."""
    return address_parameters().get(AGENT, "agent")
