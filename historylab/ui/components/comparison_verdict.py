"""The comparison in a sentence per configuration, as the page's headline; and what it is about."""

from __future__ import annotations

import streamlit as st

from historylab.contrast import sentence
from historylab.conversation import Conversation
from historylab.figures.untrusted import escaped, one_line
from historylab.replay import Timeline
from historylab.ui import comparison, state
from historylab.ui.comparison import Configuration
from historylab.ui.components.notice import notice
from historylab.ui.components.share_dialog import share_button


def comparison_verdict(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """What B does other than A as the headline; C and D below it."""
    if told := state.desk().told:
        notice(told)
    base, *others = comparison.figures(timelines)
    first, *rest = (sentence(c.letter, f, base) for c, f in zip(compared[1:], others, strict=True))
    more = "".join(f'<div class="hl-cost">{escaped(said)}</div>' for said in rest)
    st.html(f'<h1 class="hl-verdict">{escaped(first)}</h1>{more}')


def comparison_bar(conversation: Conversation, compared: list[Configuration]) -> None:
    """The conversation's title and the way to share the comparison."""
    about, buttons = st.columns([5, 4], vertical_alignment="center")
    about.html(
        f'<div class="hl-title"><bdi>{escaped(one_line(conversation.title, 90))}</bdi></div>'
        f'<div class="hl-meta">{len(conversation):,} messages; the playground opens another</div>'
    )
    with buttons.container(horizontal=True, horizontal_alignment="right"):
        share_button(compared[0].settings, "compare", comparison.chosen(compared[0].resolution))
