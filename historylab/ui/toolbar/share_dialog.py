"""Sharing: the link to what is on screen, what it contains, and what it never does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from historylab.errors import SettingsError
from historylab.settings.link import OWN_FILE, YOURS, Place, encode
from historylab.settings.model import Settings
from historylab.settings.names import NOT_IN_LINKS
from historylab.settings.trimmer_options import is_own_function, trimmer_of_system
from historylab.systems.presets.base import preset_in_link
from historylab.tuning.compare import LETTERS
from historylab.ui.session import address, choices, drawers, edits, opening, session, viewing
from historylab.ui.session.choices import AS_SENT
from historylab.ui.session.chosen_trimmer import lane_on_screen, options_of_lane, trimmer_title
from historylab.ui.session.shown_timeline import shows_as_sent
from historylab.ui.shared.copy_link import copy_link
from historylab.ui.shared.notice import notice
from historylab.ui.shared.page import PAGES
from historylab.wording.phrases import list_in_words
from historylab.wording.settings import count_differing, differing_in_words
from historylab.wording.untrusted import escape, one_line

KEY = "share"
Compared = Sequence[Mapping[str, Any]] | None
NOT_YOURS = (
    "The conversation is not in the link, which opens a sample and says so. To show it, "
    "send the report (Export, Report)."
)
NO_PINS = (
    "Texts under “What must stay” are left out, as they may be private; results can differ. An export carries them."
)
ONLY_NAMED = ", by its name alone: no link runs it, and it opens with your settings"
NOT_EDITED = "it opens the original. To show the edited conversation, send the report (Export, Report)."


def share_button(settings: Settings, path: str = "", compare: Compared = None) -> None:
    """The button that opens the dialog. `path` is the page's: "compare"; `compare` what is compared there."""
    st.button("Share", key=KEY, on_click=drawers.open_drawer, args=(KEY,))
    if drawers.take_open_request(KEY):
        _dialog(settings, path, compare)


@st.dialog("Share a link to this")
def _dialog(settings: Settings, path: str, compare: Compared) -> None:
    try:
        link = _full_link(settings, path, compare)
    except SettingsError as problem:
        notice(f"There is no link: {problem}", "error")
        return
    yours = address.current_place().conversation == OWN_FILE
    if not yours and st.toggle("Open it full screen, for an audience", True, key="share-presents"):
        link += f"&{address.PRESENT}=true"
    copy_link(link)
    st.code(link, language=None, wrap_lines=True)
    contents = "".join(f"<li>{escape(line)}</li>" for line in link_contents(settings, compare))
    st.html(f'<div class="hl-meta">It carries</div><ul class="hl-says">{contents}</ul>')
    if yours:
        notice(NOT_YOURS)
    elif edits.current_edits():
        notice(f"Your edits are not in the link ({edits.describe_edits()}): {NOT_EDITED}")
    if {name for name in NOT_IN_LINKS if settings.value(name)}.union(*compare or ()) & NOT_IN_LINKS:
        notice(NO_PINS)
    st.html(
        '<div class="hl-meta">Text you uploaded, pasted or wrote is never in it. What another server’s environment '
        "sets takes precedence over the link there, and is shown as such.</div>"
    )


def link_contents(settings: Settings, compare: Compared = None) -> Iterator[str]:
    """The contents of the link, a line each."""
    shown = _place(request=_request_for_link(), compare=compare)
    if not trimmer_of_system(shown.system) or count_differing(settings):
        yield f"your settings: {differing_in_words(settings)}"
    if shown.system == AS_SENT:
        yield "that it is shown as recorded: what was really sent"
    if trimmer := trimmer_of_system(shown.system):
        yield f"the trimmer: {trimmer_title(trimmer)}{ONLY_NAMED if is_own_function(trimmer) else ', with its options'}"
    kind, _, name = shown.conversation.partition(":")
    unedited = ", as it was before your edits" if edits.current_edits() else ""
    if kind == "sample":
        yield f"the sample that is open: {name}{unedited}"
    elif kind == "gen":
        yield f"the generated conversation, by its seed: {one_line(name, 80)}{unedited}"
    elif shown.conversation == OWN_FILE:
        yield "that it was made from a file, without its name"
    elif not shown.conversation:
        yield "no conversation: this server opens its own file"
    if shown.request is not None:
        yield f"the request you look at: {shown.request + 1:,}"
    if shown.stars:
        listed = ", ".join(f"{star + 1:,}" for star in shown.stars)
        yield f"which messages must be remembered, by number: {one_line(listed, 80)}"
    if shown.compare:
        others = LETTERS if YOURS in shown.without else LETTERS[1:]
        yield f"what you compare: {list_in_words(others[: len(shown.compare)])}"


def _full_link(settings: Settings, path: str, compare: Compared) -> str:
    """The settings that differ from the defaults, the open sample or seed, the request shown, and what is compared.

    For an edited conversation it opens the original, which has other requests, and leaves the request out.

    `path` is the page's: "compare". Raises SettingsError if the link would be too long.
    """
    place = _place(request=_request_for_link(), compare=compare)
    query = encode(settings, place, preset_in_link(place.system))
    return f"{_playground_address()}{path}?{query}"


def _place(*, request: int | None = None, compare: Compared) -> Place:
    """The place that the link opens, and there what was really sent, if that is what is on screen."""
    place = address.current_place(request=request, compare=compare)
    if place.conversation in ("", OWN_FILE):
        place = replace(place, which=place.which or viewing.current_file().which)
    if lane := lane_on_screen(opening.conversation()):
        options = {option.name: value for option, value in options_of_lane(lane) if option.name in lane.options}
        return replace(place, options=options)
    return replace(place, system=AS_SENT) if shows_as_sent(choices.resolution()) else place


def _request_for_link() -> int | None:
    """The request shown (from 0); None if edits, which no link carries, may have moved it."""
    return None if edits.current_edits() else session.tab().request


def _playground_address() -> str:
    """The playground's address without a query; it is at the root, whatever path this tab came by."""
    base = (st.context.url or "").partition("?")[0]
    for name in PAGES:
        base = base.removesuffix("/").removesuffix(f"/{name}")
    return base + "/"
