"""The comparison in a sentence per configuration as the page's headline, and the bar above it, with its report."""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitAPIException

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.tuning.compare import SENT, comparison_sentence
from historylab.ui.compare import configurations
from historylab.ui.compare.configurations import Configuration
from historylab.ui.request.reported import shown_of
from historylab.ui.request.request_field import current_request
from historylab.ui.session import address, cached, drawers, session
from historylab.ui.shared.notice import notice
from historylab.ui.toolbar.share_dialog import share_button
from historylab.wording.as_sent import untrimmed_note
from historylab.wording.untrusted import escape, one_line

REPORT = "report"


def comparison_verdict(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The difference of the second from the first as the headline; those of the others below it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if done := session.tab().announcement:
            notice(done)
            _way_back()
    base, *others = configurations.compared_figures(timelines)
    than = _name(compared[0].letter, "what was really sent")
    named = [_name(c.letter, f"{SENT} (as sent)") for c in compared[1:]]
    said = [comparison_sentence(name, f, base, than) for name, f in zip(named, others, strict=True)]
    first, *rest = (*said, *filter(None, [untrimmed_note(timelines[0])]))
    more = "".join(f'<div class="hl-cost">{escape(sentence)}</div>' for sentence in rest)
    st.html(f'<h1 class="hl-verdict">{escape(first)}</h1>{more}')


def _name(letter: str, sent: str) -> str:
    return sent if letter == SENT else letter


def _way_back() -> None:
    """To the playground, whose settings were just replaced."""
    try:
        st.page_link("pages/playground.py", label="Back to the playground", query_params=address.chosen_parameters())
    except (KeyError, StreamlitAPIException):  # a page file run on its own knows no others
        st.html("Back to the playground", width="content")


def comparison_bar(conversation: Conversation, compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The conversation's title, and the buttons to pass the comparison on."""
    about, buttons = st.columns([5, 4], vertical_alignment="center")
    about.html(
        f'<div class="hl-title"><bdi>{escape(one_line(conversation.title, 90))}</bdi></div>'
        f'<div class="hl-meta">{count_of(len(conversation), "message")}; open another in the playground</div>'
    )
    with buttons.container(horizontal=True, horizontal_alignment="right"):
        _report_button(compared, timelines)
        share_button(compared[0].settings, "compare", configurations.compared_changes(compared[0].resolution))


def _report_button(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The button that opens the dialog; the file is made as it opens."""
    st.button(
        "Report", key=REPORT, on_click=drawers.open_drawer, args=(REPORT,), help="What you compare, as a file to send"
    )
    if drawers.take_open_request(REPORT):
        _dialog(compared, timelines)


@st.dialog("Report on what is compared")
def _dialog(compared: list[Configuration], timelines: list[Timeline]) -> None:
    number = current_request(timelines[0])
    shown = tuple(shown_of(t, c.resolution, c.letter) for c, t in zip(compared, timelines, strict=True))
    file = cached.report_file(shown, number)
    st.html(
        f"<p>Maps, charts and decisions of {count_of(len(shown), 'configuration')} in one HTML file, which loads "
        f"nothing. It has {len(file) / 1000:,.0f} kB and holds text of the conversation.</p>"
    )
    st.download_button(
        "Download the report", file, f"compare-{number + 1}.html", "text/html", key="download-report", on_click="ignore"
    )
