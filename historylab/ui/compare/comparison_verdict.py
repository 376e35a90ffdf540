"""The comparison's result as the page's headline; the bar above it, with its report; and what may be added."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.errors import StreamlitAPIException

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.settings.link import MOST_CONFIGURATIONS
from historylab.settings.trimmer_options import trimmer_configuration
from historylab.tuning.compare import SENT, Figures
from historylab.ui.compare import configurations
from historylab.ui.compare.configurations import Configuration
from historylab.ui.compare.presets import ConfigurationPreset
from historylab.ui.request.reported import shown_of
from historylab.ui.request.request_field import current_request
from historylab.ui.session import address, cached, choices, drawers, session, viewing
from historylab.ui.session.chosen_trimmer import offered_trimmers, trimmer_title
from historylab.ui.shared.notice import notice
from historylab.ui.toolbar.conversation_bar import conversation_bar
from historylab.ui.toolbar.share_dialog import share_button
from historylab.wording.as_sent import untrimmed_note
from historylab.wording.comparison import comparison_headline, sentence_beside
from historylab.wording.loading import file_size
from historylab.wording.untrusted import escape

REPORT = "report"
ADD_TRIMMER = "Add a framework’s trimmer"


def sentences_beside(
    compared: Sequence[Configuration], timelines: Sequence[Timeline], figures: Sequence[Figures]
) -> list[str]:
    """Of each but the first, how it differs from the first."""
    marks = viewing.must_remember()
    found = [cached.retention_of(timeline, marks) for timeline in timelines]
    return [
        sentence_beside((compared[k].letter, figures[k], found[k]), (compared[0].letter, figures[0], found[0]))
        for k in range(1, len(compared))
    ]


def comparison_verdict(timelines: Sequence[Timeline], figures: Sequence[Figures], said: Sequence[str]) -> None:
    """The difference that matters most as the headline."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if done := session.tab().announcement:
            notice(done)
            _way_back()
    note = untrimmed_note(timelines[0])
    below = f'<div class="hl-meta">{escape(note)}</div>' if note else ""
    st.html(f'<h1 class="hl-verdict">{escape(comparison_headline(figures, said))}</h1>{below}')


def _way_back() -> None:
    """To the page Inspect, whose settings were just replaced."""
    try:
        st.page_link("pages/playground.py", label="Back to Inspect", query_params=address.chosen_parameters())
    except (KeyError, StreamlitAPIException):  # a page file run on its own knows no others
        st.html("Back to Inspect", width="content")


def add_buttons(
    compared: list[Configuration], timelines: Sequence[Timeline], offered: Sequence[ConfigurationPreset]
) -> None:
    """A button for each configuration that may be added."""
    if len(compared) >= MOST_CONFIGURATIONS:
        return
    wanted: list[tuple[str, tuple[object, ...]]] = []
    if not any(each.is_yours for each in compared):
        wanted.append(("yours", (None,)))
    if configurations.may_add_sent(compared, timelines):
        wanted.append(("as sent", (None, SENT)))
    wanted += [(preset.name, (preset.changes,)) for preset in offered]
    with st.container(horizontal=True, gap="small", key="add"):
        for name, added in wanted:
            st.button(
                f"Add {name}", key=f"add {name}", on_click=configurations.add_configuration, args=(compared, *added)
            )
        _add_trimmer(compared)


def _add_trimmer(compared: list[Configuration]) -> None:
    """The choice of a trimmer to add: a framework's, or the one that the command line named."""
    offered, key = offered_trimmers(), f"add trimmer {len(compared)}"
    if offered:
        st.selectbox(
            ADD_TRIMMER,
            offered,
            index=None,
            format_func=trimmer_title,
            key=key,
            placeholder=ADD_TRIMMER,
            label_visibility="collapsed",
            width=220,
            on_change=session.hand_value,
            args=(key, lambda name: configurations.add_configuration(compared, trimmer_configuration(name, {}))),
        )


def comparison_bar(conversation: Conversation, compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The conversation in a line, and the buttons to open another and to pass the comparison on."""
    yours, changes = choices.resolution(), configurations.chosen_changes(compared)
    conversation_bar(
        conversation,
        timelines[0],
        yours,
        lambda: _report_button(compared, timelines),
        share=lambda: share_button(yours.settings, "compare", changes),
    )


def _report_button(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The button that opens the dialog; the file is made as it opens."""
    st.button("Report", key=REPORT, on_click=drawers.open_drawer, args=(REPORT,))
    if drawers.take_open_request(REPORT):
        _dialog(compared, timelines)


@st.dialog("Report on what is compared")
def _dialog(compared: list[Configuration], timelines: list[Timeline]) -> None:
    number = current_request(timelines[0])
    shown = tuple(shown_of(t, c.resolution, c.letter) for c, t in zip(compared, timelines, strict=True))
    file = cached.report_file(shown, number)
    st.html(
        f"<p>Maps, charts and decisions of {count_of(len(shown), 'configuration')} in one HTML file, which loads "
        f"nothing. It is {file_size(len(file))} and contains text of the conversation.</p>"
    )
    st.download_button(
        "Download the report", file, f"compare-{number + 1}.html", "text/html", key="download-report", on_click="ignore"
    )
