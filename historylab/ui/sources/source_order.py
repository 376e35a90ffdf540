"""The sources in their order, as numbered cards: what each says and does here, a switch, and its text to edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.settings.names import SYSTEM, VERSION, as_text
from historylab.settings.resolve import Resolution
from historylab.settings.sources import SOURCES
from historylab.ui.session import landing, session, what_if
from historylab.wording.phrases import capitalize_first
from historylab.wording.sources import ABOUT, HEADINGS, OWN, says_sentence
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape, one_line

MOST_SHOWN = 6  # values on a card
OWN_HELP = "Not part of AgentDock's document: HistoryLab adds it."
SAMPLE_HELP = "No link of yours: the sample that Inspect opens on follows this one."
WRITTEN = {
    "environment": ("Variables, one a line", "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH=5"),
    "you": ("Your choices, one a line", "budget=4000"),
    "url": ("The link, or what follows its ?", "?historyPolicy=lastN&historyLength=5"),
    "template": (
        "The template: AgentDock's chatSettings, HistoryLab's JSON, or a .env",
        '{"chatSettings": {"historyPolicy": "lastN", "historyLength": 5}}',
    ),
    "recorded": ("What the file was recorded with, one a line", "model=gpt-4o"),
}


def source_order(resolution: Resolution) -> Mapping[str, Any]:
    """Draw the cards. Returns per source the place for what it does, which needs replays."""
    places = {}
    with st.container(key="order", gap=None):
        for number, source in enumerate(SOURCES, 1):
            with st.container(key=f"source {source}", gap=None):
                if source in what_if.SWITCHED:
                    places[source] = _card(resolution, source, number)
                else:
                    st.html(f'<div class="hl-source-name">{_number(number)}<b>{HEADINGS[source]}</b></div>')
                    _faint(ABOUT[source])
    return places


def _card(resolution: Resolution, source: str, number: int) -> Any:
    on = source not in session.tab().what_if.off
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(_number(number), width="content")
        key = f"on {source}"
        st.toggle(
            HEADINGS[source],
            on,
            key=session.seed_widget(key, on),
            on_change=_switch,
            args=(source, key),
            help=f"{capitalize_first(ABOUT[source])}. Switched off, it counts as if it said "
            "nothing; what it really says stays.",
        )
        if tags := _tags(source, on=on):
            st.html(tags, width="content")
    if on and (said := said_html(resolution, source)):
        st.html(said)
    place = st.empty()
    _editor(source, says_sentence(resolution, source) if on else "Switched off.")
    return place


def said_html(resolution: Resolution, source: str) -> str:
    """What a source says, value by value: what is used, what is not struck through, what is refused in red.

    Of an unknown name the value isn't shown, for it may be a secret.
    """
    found = [
        (c.status, name if source == "recorded" else c.name, f"={one_line(as_text(c.raw), 60)}")
        for name, origin in resolution.provenance.items()
        for c in origin.candidates
        if c.source == source and c.name not in (SYSTEM, VERSION)
    ]
    found += [(c.status, c.name, "") for c in resolution.unknown if c.source == source]
    shown = " ".join(
        f'<code class="hl-said-{status}">{escape(one_line(name, 60) + value)}</code>'
        for status, name, value in found[:MOST_SHOWN]
    )
    more = f" and {len(found) - MOST_SHOWN:,} more" if len(found) > MOST_SHOWN else ""
    first = ([c.name for c in o.candidates if c.source == source][:1] for o in resolution.provenance.values())
    implied = Counter(name for names in first for name in names)
    by = "".join(
        f" <code>{name}</code> for {count_of(implied[name], 'setting')}" for name in (SYSTEM, VERSION) if implied[name]
    )
    return f'<div class="hl-said">{shown}{more}{by}</div>' if shown or by else ""


def _tags(source: str, *, on: bool) -> str:
    as_if = not on or source in session.tab().what_if.texts
    own = f'<span class="hl-tag" title="{OWN_HELP}">HistoryLab\'s own</span>' if source in OWN else ""
    if source == "url" and not as_if and landing.is_story_open():
        own = f'<span class="hl-tag" title="{SAMPLE_HELP}">{landing.SAMPLE}</span>'
    return own + ('<span class="hl-as-if">as if</span>' if as_if else "")


def _number(number: int) -> str:
    return f'<span class="hl-place">{number}</span>'


def _faint(text: str) -> None:
    st.html(f'<div class="hl-meta">{escape(capitalize_first(text))}.</div>')


def _editor(source: str, says: str) -> None:
    """What a source says, in a sentence; unfolded the text itself, to edit as if; and what could not be read of it."""
    label, example = WRITTEN[source]
    text, problems, key = what_if.source_text(source), what_if.problems_of(source), f"text {source}"
    folded = st.expander(says, key=f"edit {source}", on_change=session.touch, type="compact")
    if folded.open:
        with folded:
            st.text_area(
                label,
                text,
                key=session.seed_widget(key, text),
                on_change=_write,
                args=(source, key),
                placeholder=example,
                height=104,
            )
    for problem in problems:
        st.html(f'<div class="hl-refused" role="alert">{escape(problem.rstrip("."))}</div>')


def effect_shown(place: Any, sentence: str) -> None:
    """Fill the place of a card."""
    place.html(f'<div class="hl-effect">{with_terms(sentence, "fact", "request")}</div>')


def _switch(source: str, key: str) -> None:
    session.hand_value(key, lambda on: what_if.switch(source, on=on))


def _write(source: str, key: str) -> None:
    session.hand_value(key, lambda text: what_if.try_text(source, text))
