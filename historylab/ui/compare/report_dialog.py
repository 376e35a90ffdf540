"""The comparison as a report: one file with the map, the chart and the decisions of every configuration."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.ui.compare.configurations import Configuration
from historylab.ui.request.reported import shown_of
from historylab.ui.request.request_field import current_request
from historylab.ui.session import cached, drawers

KEY = "report"


def report_button(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The button that opens the dialog; the file is made as it opens."""
    st.button("Report", key=KEY, on_click=drawers.open_drawer, args=(KEY,), help="What you compare, as a file to send")
    if drawers.take_open_request(KEY):
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
