"""Everything that depends on the request shown, in one fragment: maps, the answer about a message, chart and list."""

from __future__ import annotations

import streamlit as st

from historylab.figures.compare_chart import compare_chart
from historylab.planning.replay import Timeline
from historylab.tuning.compare import are_aligned
from historylab.ui.compare.compared_message import compared_message
from historylab.ui.compare.configurations import Configuration
from historylab.ui.compare.difference_map import difference_legend, difference_map
from historylab.ui.compare.difference_table import difference_table
from historylab.ui.compare.differing_list import differing_list
from historylab.ui.compare.motion_maps import actions_legend, motion_maps
from historylab.ui.request.request_field import current_request, step_button
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.notice import notice
from historylab.ui.shared.theme import is_dark
from historylab.wording.findings import compare_finding

SLIDER, TOGGLE, PICTURE, AGAINST = "compare request", "only differing", "picture", "against"
MAPS, DIFFERENCES = "Side by side", "What differs"
UNMATCHED = "One of them rewrites the conversation (point of view), so its messages can’t be matched one by one."


@session.fragment
def compare_view(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The maps with the scrubber and the answer about a message; below them the figures, the chart and the list."""
    aligned = are_aligned(timelines)
    differing = cached.differing_requests(timelines) if aligned else []
    number = _shown_request(timelines[0], differing)
    with st.container(key="compare-picture"):
        _picture(compared, timelines, number, aligned=aligned)
    _scrubber(timelines[0], differing, number, aligned=aligned)
    with st.container():
        if aligned:
            compared_message(compared, timelines, number)
        else:
            notice(UNMATCHED)
    with st.container(key="compare-figures"):
        difference_table(compared, timelines)
        st.plotly_chart(
            compare_chart(timelines, number, dark=is_dark()),
            key="compare tokens",
            config={"displayModeBar": False},
            alt=compare_finding(timelines),
        )
    if aligned:
        differing_list(compared, timelines, number)


def _picture(compared: list[Configuration], timelines: list[Timeline], number: int, *, aligned: bool) -> None:
    """The maps beside each other, or the one of differences; with several the choice of the one beside A."""
    letters = [configuration.letter for configuration in compared[1:]]
    against = session.tab().against if session.tab().against in letters else letters[0]
    only = session.tab().only_differences and aligned
    with st.container(horizontal=True, vertical_alignment="center", key="picture-choice"):
        if aligned:
            session.seed_widget(PICTURE, DIFFERENCES if only else MAPS)
            st.segmented_control(
                "Picture",
                [MAPS, DIFFERENCES],
                default=DIFFERENCES if only else MAPS,
                required=True,
                label_visibility="collapsed",
                key=PICTURE,
                on_change=lambda: viewing.show_only_differences(session.widget_value(PICTURE) == DIFFERENCES),
            )
        if len(letters) > 1:
            with st.container(width="content", key=f"against-{'one' if only else 'maps'}-{len(compared)}"):
                _against(letters, against)
        st.html(difference_legend(against) if only else actions_legend())
    if only:
        difference_map(timelines, number, against)
    else:
        motion_maps(compared, timelines, number, against, aligned=aligned)


def _against(letters: list[str], chosen: str) -> None:
    """The one beside A. The style sheet hides the choice where there is room for all maps."""
    st.segmented_control(
        "A against",
        letters,
        default=chosen,
        required=True,
        key=session.seed_widget(AGAINST, chosen),
        on_change=lambda: viewing.compare_against(session.widget_value(AGAINST)),
        format_func=lambda letter: f"A and {letter}",
        label_visibility="collapsed",
    )


def _shown_request(base: Timeline, differing: list[int]) -> int:
    """The request shown (from 0); if only those that differ are shown, the nearest of them."""
    number = current_request(base)
    if session.tab().only_differing and differing:
        number = min(differing, key=lambda step: abs(step - number))
    return number


# -- the scrubber


def _scrubber(base: Timeline, differing: list[int], number: int, *, aligned: bool) -> None:
    only = session.tab().only_differing and bool(differing)
    choices = differing if only else list(range(len(base.plans)))
    place = choices.index(number)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False, key="scrubber"):
        step_button("‹ Previous", "earlier", choices[place - 1] if place else None)
        if len(choices) > 1:
            st.select_slider(
                f"Request {number + 1:,} of {len(base.plans):,}",
                choices,
                number,
                format_func=lambda step: base.steps[step].label,
                key=session.seed_widget(SLIDER, number),
                on_change=lambda: viewing.select_request(session.widget_value(SLIDER)),
            )
        step_button("Next ›", "later", choices[place + 1] if place + 1 < len(choices) else None)
    if aligned:
        session.seed_widget(TOGGLE, session.tab().only_differing)
        words = f"Only requests that differ ({len(differing):,} of {len(base.plans):,})"
        st.toggle(words, session.tab().only_differing, key=TOGGLE, on_change=_toggle, disabled=not differing)


def _toggle() -> None:
    viewing.show_only_differing(session.widget_value(TOGGLE))
