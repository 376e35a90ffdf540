"""The landing, and every sample of the Open drawer: each is opened by a link of ours, which tells a story.

Where nothing is asked for and nothing is set, the page follows the landing's: a compaction loses a fact that is needed
later. As they are links, the sources of their settings are those of any link; they go with their conversation, so that
a file of one's own opens under one's own settings and the defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import parse_qsl

from historylab.formats.samples import DEFAULT_SAMPLE, samples
from historylab.settings.link import BEFORE_VERSIONS, CONVERSATION, OWN_FILE, PARTIAL, Place, decode
from historylab.settings.names import OPEN, TEMPLATE, TRIMMER, VERSION
from historylab.settings.resolve import Provenance
from historylab.settings.sources import from_environment
from historylab.ui.session.given_files import files_to_open
from historylab.ui.session.session import tab
from historylab.ui.session.tab import GivenFile, Opened
from historylab.wording import settings

PAGE = "playground"
SAMPLE = "sample"
NAME = "farewell-lunch"
FILES = ("", OWN_FILE)
"""The names that files have in a link: those that the command line named, and those of one's own."""


def story_of(name: str) -> dict[str, str]:
    """The parameters of the link to that sample; empty if it has none of its own."""
    link = dict(parse_qsl(samples()[name].link)) if name in samples() else {}
    return {VERSION: PARTIAL, CONVERSATION: f"{SAMPLE}:{name}", **link} if link else {}


STORY: Mapping[str, str] = MappingProxyType(story_of(NAME))
"""As it was sent: a cake is ordered at request 18; who may not eat it stands in message 4, which a compaction took."""


def is_story_allowed() -> bool:
    """Whether neither the environment nor a template, nor files that the command line names, decide what is shown."""
    return not files_served() and _is_undecided()


def _is_undecided() -> bool:
    shown = os.environ.get(TEMPLATE) or os.environ.get(TRIMMER) or tab().template is not None
    return not shown and next(from_environment(os.environ), None) is None


def link_to_follow(page: str, given: Mapping[str, str]) -> Mapping[str, str]:
    """The link to follow for this address: the story's where the playground is opened with none.

    A page loaded anew under an address that names no conversation has the file open that this tab had.
    """
    state, unnamed = tab(), not {CONVERSATION, BEFORE_VERSIONS} & {*given}
    own = state.again or (state.opened and name_in_link(state.opened) == OWN_FILE)
    if unnamed and own and not state.address.page and not files_served():
        return {**given, CONVERSATION: OWN_FILE}
    return STORY if page == PAGE and not given and is_story_allowed() else given


def opens(place: Place) -> tuple[str, int]:
    """The name of what a link with this place opens, and which of it: files of one's own come back as they were."""
    unnamed = "" if files_served() else f"{SAMPLE}:{DEFAULT_SAMPLE}"
    name = place.conversation or unnamed
    return name, 0 if name in FILES else place.which


def name_in_link(opened: Opened) -> str:
    """The name of what is open, in a link: none of the files that this server opens where a link has none."""
    served = files_served()
    if opened.files and all(file.given in served for file in opened.files):
        return ""
    return OWN_FILE if opened.stands_in else opened.spec or OWN_FILE


def files_served() -> tuple[GivenFile, ...]:
    """The files that the command line named."""
    return files_to_open(os.environ.get(OPEN, "").splitlines())


def is_free() -> bool:
    """Tell whether a sample may bring its settings: there are none, or those of the sample before, or a link's."""
    state = tab()
    return _is_undecided() and not state.you and (not state.link or is_story_open())


def is_story_open() -> bool:
    """Tell whether the settings are those of the link to the sample that is open, or changed since."""
    state = tab()
    spec = name_in_link(state.opened) if state.opened else state.linked.conversation
    story = decode(story_of(spec.removeprefix(f"{SAMPLE}:")))
    return bool(story.settings) and state.link == story.settings


def is_untouched() -> bool:
    """Tell whether it is the landing as it was opened, so that the address needs to say nothing."""
    state, story = tab(), decode(STORY)
    spec = name_in_link(state.opened) if state.opened else state.linked.conversation
    marked = state.opened is None or state.stars == story.place.stars
    as_opened = spec == story.place.conversation and state.link == story.settings and marked
    return as_opened and not state.you and state.compare is None


def origin_word(origin: Provenance) -> str:
    """Where a value came from, as said beside its field: what the story's link sets is the sample's, not any link's."""
    return SAMPLE if origin.source == "url" and is_story_open() else settings.source_word(origin)


def leave() -> None:
    """Another conversation is opened: the story's settings are not its."""
    if is_story_open():
        tab().link = {}
