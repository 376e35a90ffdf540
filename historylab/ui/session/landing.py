"""The landing: where nothing is asked for and nothing is set, the playground follows a link of ours that tells a story.

A summary loses a fact that is needed later. As it is a link, the sources of its settings are those of any link; they go
with its conversation, so that a file of one's own opens under one's own settings and the defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from historylab.settings.link import decode
from historylab.settings.names import OPEN, TEMPLATE
from historylab.settings.resolve import Provenance
from historylab.settings.sources import from_environment
from historylab.ui.session.session import tab
from historylab.wording import settings

PAGE = "playground"
STORY: Mapping[str, str] = MappingProxyType(
    {
        "v": "1",
        "conv": "sample:farewell-lunch",
        "historyPolicy": "all",
        "pruner": "summarize",
        "budget": "1400",
        "tool_output": "truncate",
        "tool_output.truncate.limit": "150",
        "request": "18",
        "stars": "4",
    }
)
"""At request 18 a cake is ordered; who may not eat what stands in message 4, of which the summary says nothing."""
SAMPLE = "sample"
_LINK = decode(STORY)


def is_story_allowed() -> bool:
    """Whether neither the environment nor a template, nor files that the command line names, decide what is shown."""
    named = os.environ.get(OPEN) or os.environ.get(TEMPLATE) or tab().template is not None
    return not named and next(from_environment(os.environ), None) is None


def link_to_follow(page: str, given: Mapping[str, str]) -> Mapping[str, str]:
    """The link to follow for this address: the story's where the playground is opened with none."""
    state = tab()
    own = state.again or (state.opened and not state.opened.spec)
    return STORY if page == PAGE and not given and not own and is_story_allowed() else given


def is_story_open() -> bool:
    """Whether the story is what is open, under its settings or with changes of one's own."""
    state = tab()
    return state.link == _LINK.settings and (state.opened is None or state.opened.spec == _LINK.place.conversation)


def is_untouched() -> bool:
    """Whether it is as it was opened, so that the address needs to say nothing."""
    state = tab()
    marked = state.opened is None or state.stars == _LINK.place.stars
    return is_story_open() and marked and not state.you and state.compare is None


def origin_word(origin: Provenance) -> str:
    """Where a value came from, as said beside its field: what the story's link sets is the sample's, not any link's."""
    return SAMPLE if origin.source == "url" and is_story_open() else settings.source_word(origin)


def leave() -> None:
    """Another conversation is opened: the story's settings are not its."""
    if is_story_open():
        tab().link = {}
