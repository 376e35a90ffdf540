"""The conversation that is watched, drawn as Inspect draws one: a column of the map for every request."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.formats.base import Report
from historylab.planning.replay import Timeline
from historylab.recordings.sent_plans import SentPlans
from historylab.recordings.watch import Watch, WatchedConversation
from historylab.ui.live.cost_so_far import cost_so_far
from historylab.ui.request.growing_picture import growing_picture
from historylab.ui.request.verdict_line import verdict_line
from historylab.ui.request.verdict_strip import lost_cell, seen_cell
from historylab.ui.session import cached_recording, session, watching
from historylab.ui.shared.notice import fold_lines, notice
from historylab.ui.shared.time_zone import reader_zone
from historylab.wording.live import check_in_words, clock_time, faults_in_words, gaps_in_words
from historylab.wording.loading import reasons_in_words
from historylab.wording.untrusted import escape, one_line

BY_THE_PROXY = "set where it was sent"


def watched_bar(watch: Watch, shown: WatchedConversation) -> None:
    """Its title, what it is from, and the way to Inspect."""
    last = clock_time(shown.last_at, reader_zone())
    about = [one_line(shown.app, 60), one_line(", ".join(shown.models), 120), count_of(len(shown.requests), "request")]
    with st.container(horizontal=True, vertical_alignment="center", key="live-bar"):
        st.html(
            f'<div class="hl-title"><bdi>{escape(one_line(shown.title, 90) or "Untitled")}</bdi></div>'
            f'<div class="hl-meta">{escape(" · ".join([*filter(None, about), f"last at {last}"]))}</div>'
        )
        st.button(
            "Inspect",
            key="live-open",
            on_click=lambda: watching.open_in_playground(watch, shown.id, session.tab().live.request),
        )


def faults(shown: WatchedConversation, sent: SentPlans, report: Report) -> None:
    """What went otherwise than it should, or isn't on record; in a place that stays."""
    told = [*faults_in_words(shown.requests, reader_zone()), *gaps_in_words(sent)]
    lines = list(reasons_in_words(report)) if report.skips else []
    with st.container(key="live-faults", gap="small"):
        for sentence in told:
            notice(sentence)
        if lines:
            st.html(fold_lines(f"{count_of(report.skips, 'line')} of the recording could not be used", lines))


def check_of_decisions(shown: WatchedConversation, conversation: Conversation, sent: SentPlans) -> None:
    """The button that has what is on record compared with a new plan; and, once it was clicked, what that found."""
    if not sent.timeline.decided:
        return
    of_newest, line = shown.of_newest, shown.last_number
    if session.tab().live.checked == (shown.id, line):
        found = cached_recording.requests_decided_otherwise(conversation, of_newest)
        notice(check_in_words(found, len(sent.timeline.plans)))
        return
    st.button(
        "Check against a new plan",
        key="live-check",
        type="tertiary",
        help="What is drawn is what was recorded. This plans every request again and compares.",
        on_click=watching.check_decisions,
        args=(shown.id, line),
    )


@session.fragment
def watched_picture(watch: Watch, shown: WatchedConversation, sent: SentPlans) -> None:
    """Verdict, chips, map and chart of the newest request, or of the one looked at."""
    timeline = sent.timeline
    if not timeline.plans:
        notice("No request of it could be read yet")
        return
    newest = len(timeline.plans) - 1
    chosen = session.tab().live.request
    number = newest if chosen is None else min(chosen, newest)
    would = sent.audited[number]
    with st.container(horizontal=True, key="headline"):
        verdict_line(timeline, number, would=would)
    with st.container(key="verdict"):
        seen_cell(timeline, number)
        lost_cell(timeline, ())
        with st.container(key="cost-so-far", gap=None):
            cost_so_far(sent)
    growing_picture(
        "live",
        timeline,
        number,
        None,
        lambda request, message: _choose(watch, shown, timeline, request, message),
        locked=BY_THE_PROXY,
        watched=[i for i, only_watched in enumerate(sent.audited) if only_watched],
    )
    if number != newest:
        st.button("Show the newest request", key="live-newest", on_click=watching.show_request, args=(shown.id, None))


def _choose(
    watch: Watch, shown: WatchedConversation, timeline: Timeline, request: int | None, message: int | None
) -> None:
    """A click on a message leads to its answer in Inspect; a move along the requests shows that one here."""
    if message is not None:
        watching.open_in_playground(watch, shown.id, request, message)
    elif request is not None:
        watching.show_request(shown.id, None if request == len(timeline.plans) - 1 else request)
