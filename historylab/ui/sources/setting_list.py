"""Every setting with what each source says of it: the winner marked, losers struck through, refusals explained."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from historylab.settings.model import setting_names
from historylab.settings.resolve import Candidate, Provenance, Resolution
from historylab.settings.sources import SOURCES
from historylab.ui.session import landing, session
from historylab.ui.shared.notice import notice
from historylab.wording.settings import FROM_SOURCE, GROUPS, full_title, group_of, source_word
from historylab.wording.sources import HEADINGS, decision_sentence, names_in, search_settings, value_of, winner_of
from historylab.wording.untrusted import escape, one_line

SET, ALL = "Only what is set", "All"


def setting_list(resolution: Resolution) -> None:
    """The list, filtered to what any source sets, or all of it; and found by name."""
    names = setting_names()
    given = [name for name in names if len(resolution.provenance[name].candidates) > 1]
    for candidate in resolution.unknown:
        notice(f"{one_line(candidate.name, 60)} {FROM_SOURCE[candidate.source]} is ignored: {candidate.why}")
    with st.container(horizontal=True, vertical_alignment="center", key="list of settings"):
        st.html('<h2 class="hl-title">Setting by setting</h2>', width="content")
        shown = st.segmented_control(
            "Which settings",
            [SET, ALL],
            default=SET if given else ALL,
            key=f"which settings {bool(given)}",
            required=True,
            format_func=lambda which: f"{which}: {len(given if which == SET else names):,}",
            label_visibility="collapsed",
        )
        words = st.text_input(
            "Find a setting",
            key="find setting",
            placeholder="Find a setting",
            label_visibility="collapsed",
            width=240,
        )
    wanted = search_settings(words) if words else names
    found = [name for name in (given if shown == SET else names) if name in wanted]
    if not found:
        nothing = "Nothing is set: every setting is at its default." if not words else "No setting of that name here."
        st.html(f'<div class="hl-meta">{nothing}</div>')
    for group in GROUPS:
        _group(group, [resolution.provenance[n] for n in found if group_of(n) == group])


def _group(title: str, origins: Iterable[Provenance]) -> None:
    cards = "".join(map(_card, origins))
    if cards:
        st.html(f'<h3 class="hl-group-title">{title}</h3><div class="hl-origins">{cards}</div>')


def _card(origin: Provenance) -> str:
    lock = "🔒\ufe0e " if origin.locked else ""
    as_if = "url" in session.tab().what_if.texts
    word = source_word(origin) if as_if else landing.origin_word(origin)
    bare = len(origin.candidates) == 1
    rows = "" if bare else f'<ol class="hl-bids">{"".join(map(_row, origin.candidates))}</ol>'
    why = "" if bare else f'<div class="hl-small">{escape(decision_sentence(origin))}</div>'
    return (
        f'<section class="hl-origin" data-setting="{escape(origin.setting)}">'
        f"<div><span>{escape(full_title(origin.setting))}</span> <b>{lock}{escape(winner_of(origin))}</b> "
        f'<span class="hl-meta">{escape(word)}</span></div>{rows}{why}{_names_by_source(origin.setting)}</section>'
    )


def _row(candidate: Candidate) -> str:
    """One source's value, its name there, and whether it won, lost or was refused."""
    place = SOURCES.index(candidate.source) + 1
    name = (
        ""
        if candidate.source in ("you", "recorded", "default")
        else f" <code>{escape(one_line(candidate.name, 80))}</code>"
    )
    look = {"won": "hl-won", "lost": "hl-lost", "refused": "hl-lost"}[candidate.status]
    told = {"won": "used", "lost": "not used", "refused": "refused"}[candidate.status]
    alarm = ' class="hl-refused"' if candidate.status == "refused" else ' class="hl-meta"'
    return (
        f'<li><span class="hl-place">{place}</span><span>{HEADINGS[candidate.source]}{name}</span> '
        f'<span class="{look}" title="{escape(candidate.why)}">{escape(value_of(candidate))}</span> '
        f"<span{alarm}>{told}</span></li>"
    )


def _names_by_source(name: str) -> str:
    """What the setting is called in each source, folded."""
    named = "".join(
        f"<li>{HEADINGS[source]}: {' or '.join(f'<code>{escape(each)}</code>' for each in names_in(source, name))}</li>"
        for source in ("environment", "url", "template")
    )
    return f'<details class="hl-folded"><summary class="hl-meta">How it is written</summary><ul>{named}</ul></details>'
