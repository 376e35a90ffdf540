"""What this tab holds: the choices made on screen, the link it was opened with, what is open, and where one is looking.

The only module that touches `st.session_state` and `st.query_params`. Everything lives in one plain session key,
because a widget's own value is gone as soon as its page is left; widgets are seeded from here before they are drawn.
The link is read once per load and written here: Streamlit's `bind` cannot keep the order of precedence.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import streamlit as st

from historylab.chat_models.environment import model_and_host
from historylab.errors import SettingsError
from historylab.formats.load import Conversations
from historylab.formats.samples import DEFAULT_SAMPLE
from historylab.recall.must_remember import marked_in_file
from historylab.settings.consent import within_consent
from historylab.settings.link import OURS, STARS, SYSTEM, Place, Refused, decode, place_parameters
from historylab.settings.names import as_text, by_url_name, url_name
from historylab.settings.resolve import Resolution, resolve_settings
from historylab.settings.sources import read_template
from historylab.systems.presets.base import find_preset, presets
from historylab.ui.session.tab import Opened, TabState

KEY = "historylab"
TEMPLATE_VARIABLE = "HISTORYLAB_TEMPLATE"
MOST_QUESTIONS, LONGEST_QUESTION = 20, 300
MOST_WRITTEN = 20  # addresses remembered
DEBUG, AGENT = "debug", "agent"
"""Parameters of AgentDock's links; `agent` is only handed on."""


def desk() -> TabState:
    """This tab's state, made at its first run."""
    if KEY not in st.session_state:
        st.session_state[KEY] = TabState()
    return st.session_state[KEY]


# -- the link


def follow_link(page: str) -> None:
    """Take over the address when it is not the one we wrote: a first load, or Back and Forward.

    After a click the browser may still send the address from before it, so then ours counts; and so it does when
    one comes to another page by a link that was drawn before the last click.
    """
    here, given = desk(), query_parameters()
    late = here.on not in ("", page) and given in here.wrote
    here.on = page
    if given != here.written and not here.touched and not late:
        link = decode(given)
        if here.written is not None and _opens(link.place) != _opens(decode(here.written).place):
            here.opened = None
        if link.place.request is not None:
            here.request = link.place.request
        here.you, here.link, here.misread = {}, dict(link.settings), link.refused
        here.asked, here.compare = link.place, [*link.place.compare] or None
        here.agreed, here.own = "", None
        _follow_system(link.place.system)
        if here.opened and here.opened.spec:
            follow_marks(link.place.stars)
    here.touched = False


def _follow_system(spec: str) -> None:
    """The preset a link names gives what the link leaves out."""
    here, found = desk(), find_preset(spec)
    here.system = spec if found else ""
    if found:
        preset, variant = found
        here.link = {**{url_name(n): as_text(v) for n, v in preset.decides(variant).items()}, **here.link}
    elif spec:
        here.misread = (*here.misread, Refused(SYSTEM, spec, f"known are {', '.join(presets())}"))


def _opens(place: Place) -> tuple[str, int]:
    return place.conversation or f"sample:{DEFAULT_SAMPLE}", place.which


def write_link() -> None:
    """Put what was chosen, by this person or by the link, into the address. Parameters that aren't ours stay."""
    here = desk()
    given = query_parameters()
    kept = {name: value for name, value in given.items() if name not in by_url_name() and name not in OURS}
    before, here.written = here.written, {**kept, **chosen_parameters()}
    if before not in (None, here.written):
        here.wrote = [*here.wrote, before][-MOST_WRITTEN:]
    if here.written != given:
        st.query_params.from_dict(here.written)


def chosen_parameters() -> dict[str, str]:
    """What a link to this screen must carry: the settings chosen, and what is open if it isn't this person's own."""
    here, shown = desk(), current_place()
    settings = {**here.link, **{url_name(name): as_text(value) for name, value in here.you.items()}}
    default = shown.conversation == f"sample:{DEFAULT_SAMPLE}"
    return {**settings, **place_parameters(replace(shown, conversation="" if default else shown.conversation))}


def current_place(*, request: int | None = None, compare: Sequence[Mapping[str, Any]] | None = None) -> Place:
    """What is open, and what it is compared with; nothing is said of what is this person's own."""
    here = desk()
    compare = tuple((here.compare if compare is None else compare) or ())
    if not here.opened:
        return replace(here.asked, request=request, compare=compare, system=here.system)
    return Place(here.opened.spec, here.opened.which, request, compare, here.system, _stars_to_tell(here.opened))


def query_parameters() -> dict[str, str]:
    """The address's parameters; of a repeated one the first counts."""
    return {name: st.query_params.get_all(name)[0] for name in st.query_params}


def debug_is_shown() -> bool:
    """Whether the debug drawer is open: as this person left it, at first as the link's `debug=true` says."""
    shown = desk().debug
    return query_parameters().get(DEBUG, "").lower() == "true" if shown is None else shown


def show_debug(shown: bool) -> None:
    """Open the debug drawer, or close it for good: its link doesn't open it again."""
    desk().debug = shown
    touch()


def open_drawer(what: str) -> None:
    """Let that drawer open, and no other as there is room for one; or that work begin."""
    show_debug(False)
    desk().wanted = what


def take_open_request(what: str) -> bool:
    """Whether that is to be opened or begun now. It is said once: the browser closes a drawer without telling us."""
    here = desk()
    found = here.wanted == what
    if found:
        here.wanted = ""
    return found


def linked_agent() -> str:
    """The agent the link names, as AgentDock's links do."""
    return query_parameters().get(AGENT, "agent")


# -- settings


def resolution(*, what_if: bool = False, also: Mapping[str, Any] | None = None) -> Resolution:
    """The settings as environment, you, URL and template decide them; with `what_if`, as they would.

    `also` are further choices of yours, for a configuration that is compared.
    """
    here = desk()
    tried = here.what_if if what_if else {}
    resolution = resolve_settings(
        env={**os.environ, **tried.get("environment", {})},
        you={**here.you, **tried.get("you", {}), **(also or {})},
        url={**here.link, **tried.get("url", {})},
        template={**template(), **tried.get("template", {})},
    )
    agreed = here.agreed == model_and_host(resolution.settings.model)
    return within_consent(resolution, agreed=agreed, linked=also or ())  # a link may bring what is compared


def try_value(source: str, name: str, value: str) -> None:
    """Let a source say something else, on the page that shows the sources only."""
    desk().what_if.setdefault(source, {})[name] = value
    touch()


def stop_trying() -> None:
    desk().what_if = {}
    touch()


def tried_values() -> list[tuple[str, str]]:
    """(source, name) of every value being tried."""
    return [(source, name) for source, values in desk().what_if.items() for name in values]


def template() -> dict[str, Any]:
    """The uploaded template, else the file the environment names; one that cannot be read is a problem on screen."""
    here = desk()
    if here.template is not None or not os.environ.get(TEMPLATE_VARIABLE):
        return here.template or {}
    try:
        return read_template(Path(os.environ[TEMPLATE_VARIABLE]))
    except SettingsError as problem:
        here.problem = f"{TEMPLATE_VARIABLE}: {problem}"
        return {}


def template_source() -> str:
    """The name of the template in use, or nothing."""
    return desk().template_name or Path(os.environ.get(TEMPLATE_VARIABLE, "")).name


def choose_setting(setting: str, value: Any) -> None:
    """This person wants that value."""
    desk().you[setting] = value
    desk().problem = ""
    touch()


def reset_choices() -> None:
    """Back to what environment, template and defaults say."""
    desk().you, desk().link, desk().problem = {}, {}, ""
    desk().system, desk().own, desk().agreed = "", None, ""
    touch()


def use_template(found: dict[str, Any] | None, name: str = "") -> None:
    """Settings to start from; None takes the template away again."""
    desk().template, desk().template_name, desk().problem = found, name, ""
    touch()


# -- what is open, and where one is looking


def open_conversations(conversations: Conversations, spec: str, which: int = 0) -> None:
    """Open these conversations. The view goes back to the last request."""
    here = desk()
    here.opened, here.problem = Opened(conversations, spec, which), ""
    here.request = here.message = None
    here.stars, here.questions = marked_in_file(conversations[which]), ()
    here.page = None


def look_at(request: int) -> None:
    """Look at that request (from 0)."""
    desk().request = request
    desk().page = None


def touch() -> None:
    """Something was clicked: what this tab holds is newer than the address the browser sends with the click."""
    desk().touched = True


def whole_page_if_touched() -> None:
    """Draw the whole page, where a fragment alone is about to be drawn and something around it was clicked.

    A busy browser sends two clicks in one message, and Streamlit takes that for the fragment's if one of them is:
    who types into the search and then presses D would see no drawer.
    """
    if desk().touched:
        st.rerun()


# -- what must be remembered


def must_remember() -> tuple[int, ...]:
    """Indices of the messages that must be remembered, ascending, in the open conversation before any projection."""
    return desk().stars


def set_must_remember(indices: Iterable[int]) -> None:
    """Let those be the messages that must be remembered."""
    desk().stars = tuple(sorted(set(indices)))
    touch()


def questions() -> tuple[str, ...]:
    """What this person thinks might be asked later. It is their own text, and in no link."""
    return desk().questions


def set_questions(text: str) -> None:
    """Let the lines of this text be the questions."""
    lines = (" ".join(line.split())[:LONGEST_QUESTION] for line in text.splitlines())
    desk().questions = tuple(dict.fromkeys(filter(None, lines)))[:MOST_QUESTIONS]


def follow_marks(told: Sequence[int] | None) -> None:
    """Mark what a link marks, by its number in the original; the file's own where it says nothing.

    A number of no message is reported.
    """
    here, original = desk(), desk().opened.original
    marked = marked_in_file(original) if told is None else tuple(i for i in told if i < len(original))
    tried = here.opened.edited
    here.stars = marked if tried is None else tuple(i for i, key in enumerate(tried.keys) if key in marked)
    beyond = ",".join(str(i + 1) for i in told or () if i >= len(original))
    if beyond:
        here.misread = (*here.misread, Refused(STARS, beyond, f"the conversation has {len(original):,} messages"))


def _stars_to_tell(opened: Opened) -> tuple[int, ...] | None:
    """What a link must say of them, as the original numbers them, for that is what it opens.

    Nothing where they are the file's own, or the file is this person's.
    """
    keys = opened.edited.keys if opened.edited else range(len(opened.original))
    marked = tuple(sorted(keys[i] for i in must_remember() if keys[i] >= 0))
    return None if not opened.spec or marked == marked_in_file(opened.original) else marked


# -- time


def start_clock() -> None:
    """The page begins to be drawn."""
    desk().began = perf_counter()


def seconds_so_far() -> float:
    """Since the page began to be drawn."""
    return perf_counter() - desk().began


# -- widgets


def seed_widget(key: str, value: Any, *, may_be_empty: bool = False) -> str:
    """Set a widget's value before it is drawn, where it is drawn already and holds another; returns its key.

    A new widget takes the value from its own argument. A browser that is behind may put it on the page from a later
    answer than its first, which would no longer say what was set, and then tell us that somebody emptied it. Only a
    number that `may_be_empty` has None as its argument, for that is what it holds when it is emptied.
    """
    if st.session_state[key] != value if key in st.session_state else may_be_empty:
        st.session_state[key] = value
    return key


def value_of(key: str) -> Any:
    """What a widget holds, in its callback."""
    return st.session_state.get(key)
