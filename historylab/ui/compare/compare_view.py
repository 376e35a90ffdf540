"""Everything that depends on the request shown, in one fragment: chart, strips and the messages sent differently."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of
from historylab.figures.compare_chart import compare_chart
from historylab.figures.message_strip import difference_strip, message_strip
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.tuning.compare import are_aligned, differing_messages
from historylab.ui.compare.compared_message import compared_message
from historylab.ui.compare.configurations import Configuration
from historylab.ui.compare.difference_map import difference_map
from historylab.ui.request.request_field import current_request, step_button
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.notice import notice
from historylab.ui.shared.theme import is_dark
from historylab.wording.findings import compare_finding
from historylab.wording.message_text import preview, speaker
from historylab.wording.over_budget import cause_in_words
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape
from historylab.wording.verdict import count_actions, count_sent

SLIDER, TOGGLE = "compare request", "only differing"
MOST_ROWS = 500
ABOUT_STRIPS = "The oldest message is on the left; the thin line marks what only A or only the other sends."
UNMATCHED = "One of them rewrites the conversation (point of view), so its messages can’t be matched one by one."


@session.fragment
def compare_view(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """Chart, map and scrubber, and below them what the request sends under each configuration."""
    aligned = are_aligned(timelines)
    differing = cached.differing_requests(timelines) if aligned else []
    number = _shown_request(timelines[0], differing)
    st.plotly_chart(
        compare_chart(timelines, number, dark=is_dark()),
        key="compare tokens",
        config={"displayModeBar": False},
        alt=compare_finding(timelines),
    )
    if aligned:
        difference_map(compared, timelines, number)
    _scrubber(timelines[0], differing, number, aligned=aligned)
    if not aligned:
        notice(UNMATCHED)
        return
    compared_message(compared, timelines, number)
    _strips(compared, timelines, number)
    _list(compared, timelines, number)


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


# -- this request


def _strips(compared: list[Configuration], timelines: list[Timeline], number: int) -> None:
    """A strip of messages per configuration, with a thin line for what only it or only A sends."""
    base = timelines[0].plans[number]
    rows = []
    for configuration, timeline in zip(compared, timelines, strict=True):
        plan, letter = timeline.plans[number], configuration.letter
        sent, said = count_sent(count_actions(plan))
        thin = "" if configuration is compared[0] else difference_strip(plan, base, letter, "A")
        cause = timeline.over_budget_cause(number)
        over = f' <span class="hl-refused">! over the budget: {escape(cause_in_words(cause))}</span>' if cause else ""
        rows.append(
            f'<b class="hl-letter hl-letter-{letter}">{letter}</b><div>{message_strip(plan)}{thin}</div>'
            f'<span class="hl-small">{sent:,} of {said:,} messages, {plan.tokens:,} tokens{over}</span>'
        )
    legend = "".join(f"<span>{look.mark(action.name.lower())}{look.word}</span>" for action, look in LOOKS.items())
    st.html(
        f'<div class="hl-strips">{"".join(rows)}</div><div class="hl-chips">{legend}'
        f'</div><div class="hl-meta">{ABOUT_STRIPS}</div>'
    )


def _list(compared: list[Configuration], timelines: list[Timeline], number: int) -> None:
    """The messages sent differently, with each configuration's decision."""
    rows = differing_messages(timelines, number)
    if not len(rows):
        st.html('<p class="hl-meta">The same messages are sent with this request.</p>')
        return
    chosen = rows[-MOST_ROWS:]
    more = f", the newest {MOST_ROWS:,} of them below" if len(rows) > len(chosen) else ""
    differ = "1 message is" if len(rows) == 1 else f"{len(rows):,} messages are"
    st.html(f'<div class="hl-title">{differ} sent differently with this request{more}</div>')
    badges = st.column_config.MultiselectColumn(
        options=[look.badge for look in LOOKS.values()],
        color=[look.colour(is_dark()) for look in LOOKS.values()],
        width=120,
    )
    st.dataframe(
        _columns(compared, timelines, number, chosen),
        key=f"differing {number} {len(compared)}",
        height=38 + 35 * min(len(chosen), 12),
        hide_index=True,
        alt=f"{count_of(len(chosen), 'message')} with the decision of each configuration",
        column_config={
            "#": st.column_config.NumberColumn(width=50),
            "role": st.column_config.TextColumn(width=90),
            "tokens": st.column_config.NumberColumn(format="localized", width=70),
            "text": st.column_config.TextColumn(width="large"),
            **{c.letter: badges for c in compared},
        },
    )


def _columns(
    compared: list[Configuration], timelines: list[Timeline], number: int, chosen: np.ndarray
) -> dict[str, list[Any]]:
    messages = [timelines[0].conversation[i] for i in chosen.tolist()]
    decisions = {
        c.letter: [[LOOKS[Action(a)].badge] for a in t.plans[number].actions[chosen].tolist()]
        for c, t in zip(compared, timelines, strict=True)
    }
    return {
        "#": (chosen + 1).tolist(),
        "role": [speaker(m, 40) for m in messages],
        **decisions,
        "tokens": timelines[0].plans[number].history.tokens[chosen].tolist(),
        "text": [preview(m) for m in messages],
    }
