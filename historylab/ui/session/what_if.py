"""Sources as the tab Sources tries them: other texts in the sources, sources switched off, a strict environment."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from historylab.settings.layers import read_layer, write_layer
from historylab.settings.resolve import Resolution
from historylab.settings.sources import SOURCES, strict_by_environment
from historylab.ui.session import choices
from historylab.ui.session.session import tab, touch
from historylab.ui.session.tab import WhatIf

SWITCHED = SOURCES[:-1]
"""The sources that can be switched off: all but the default."""


def tried_resolution(off: Collection[str] | None = None, *, strict: bool | None = None) -> Resolution:
    """The settings as they would be. `off`: these sources off instead of those that are; `strict`: the same of it."""
    tried = tab().what_if
    off = tried.off if off is None else off
    strict = is_strict_as_tried() if strict is None else strict
    really = choices.said_by_sources()
    said = {source: {} if source in off else really[source] for source in SWITCHED}
    said |= {source: read_layer(source, text).values for source, text in tried.texts.items() if source not in off}
    return choices.with_consent(choices.decide_settings(said, strict=strict))


def is_strict_as_tried() -> bool:
    """Whether the environment is strict, as tried or else as this tab has it; a variable may say so, too."""
    tried = tab().what_if.strict
    return tab().strict if tried is None else tried


def decided_by_server() -> bool | None:
    """Whether a variable makes the environment strict, as tried or really; None if none says so."""
    text = tab().what_if.texts.get("environment")
    return strict_by_environment(os.environ if text is None else read_layer("environment", text).values)


def source_text(source: str) -> str:
    """What the source says: as tried, else as it is."""
    tried = tab().what_if.texts.get(source)
    return write_layer(source, choices.said_by_sources()[source]) if tried is None else tried


def problems_of(source: str) -> tuple[str, ...]:
    """What of a text that is tried could not be read."""
    text = tab().what_if.texts.get(source)
    return () if text is None else read_layer(source, text).problems


# -- verbs


def try_text(source: str, text: str) -> None:
    """Try what would be if the source said this; what it says anyway is no trial."""
    tried = tab().what_if
    tried.texts.pop(source, None)
    if text.strip() != source_text(source).strip():
        tried.texts[source] = text
    touch()


def switch(source: str, *, on: bool) -> None:
    """Try what would be if the source said nothing, or no longer."""
    tried = tab().what_if
    tried.off = tried.off - {source} if on else tried.off | {source}
    touch()


def switch_strict(*, on: bool) -> None:
    """Try a strict environment, or none, where something is tried already; else have it so in this tab."""
    if tab().what_if:
        tab().what_if.strict = on
        touch()
    else:
        choices.be_strict(on)


def try_case(name: str, texts: Mapping[str, str], *, strict: bool) -> None:
    """Try a ready case: these texts and no others; the open file says what it says, unless the case says otherwise."""
    tab().what_if = WhatIf()
    others = [source for source in SWITCHED if source != "recorded" and source_text(source)]
    said = {source: texts.get(source, "") for source in SWITCHED if source in others or texts.get(source)}
    tab().what_if = WhatIf(said, set(), strict, name)
    touch()


def stop() -> None:
    """Back to what the sources say."""
    tab().what_if = WhatIf()
    touch()
