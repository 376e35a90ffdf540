"""Ready cases to press: sources that disagree in the ways that matter, each explained setting by setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from historylab.settings.resolve import Resolution
from historylab.ui.session import session, what_if
from historylab.wording.settings import title_of
from historylab.wording.sources import decision_sentence, winner_of
from historylab.wording.untrusted import escape

KEY = "case"
AGENTDOCK = "NEXT_PUBLIC_DEFAULT_HISTORY_"


@dataclass(frozen=True)
class Case:
    """What the sources say, by the text of each, and the point of it."""

    title: str
    point: str
    texts: Mapping[str, str]
    strict: bool = False


CASES: Mapping[str, Case] = {
    case.title: case
    for case in (
        Case(
            "Three sources disagree",
            "AgentDock's document has three sources: environment, URL, template. Each setting goes to the first that "
            "sets it, so two settings may come from two of them.",
            {
                "environment": f"{AGENTDOCK}POLICY=lastN",
                "url": "?historyPolicy=all&historyLength=5",
                "template": '{"chatSettings": {"historyPolicy": "none", "historyLength": 20}}',
            },
        ),
        Case(
            "A locked environment",
            "A 0 is a value, too. The server set it, so no link lets in more; as a length, 0 acts as 1.",
            {"environment": f"{AGENTDOCK}LENGTH=0", "url": "?historyLength=50"},
        ),
        Case(
            "A refused value",
            "A value that can't be read is refused and said so; it blocks nothing, and the next source decides.",
            {
                "url": "?historyLength=abc&historyPolicy=lastN",
                "template": '{"chatSettings": {"historyLength": 12}}',
            },
        ),
        Case(
            "All or nothing",
            "Under a strict environment one valid variable shuts out the whole link, and your choices, even for "
            "settings it leaves open. A template still fills those.",
            {
                "environment": f"{AGENTDOCK}POLICY=lastN",
                "url": "?historyPolicy=all&historyLength=3",
                "template": '{"chatSettings": {"historyLength": 10}}',
            },
            strict=True,
        ),
        Case(
            "Recorded against template",
            "What the open file was recorded with fills in only what nothing else sets, and never what is cut.",
            {
                "template": '{"budget": 4000, "chatSettings": {"historyPolicy": "all"}}',
                "recorded": "model=claude-opus-4-5\nwindow=200000\nbudget=60000",
            },
        ),
    )
}


def ready_cases() -> None:
    """The cases as a choice of one, with the way back."""
    tried = session.tab().what_if
    with st.container(horizontal=True, vertical_alignment="center", key="cases"):
        st.pills(
            "Ready cases",
            list(CASES),
            default=tried.case or None,
            key=session.seed_widget(KEY, tried.case or None),
            on_change=_try,
            label_visibility="collapsed",
            wrap=True,
        )
        if tried:
            st.button("Back to what is real", key="real", type="tertiary", on_click=what_if.stop)


def case_explained(resolution: Resolution) -> None:
    """What is tried, marked as such; of a ready case its point and who decides each setting it is about."""
    with st.container():
        tried = session.tab().what_if
        if not tried:
            return
        case = CASES.get(tried.case)
        said = f"<b>{escape(case.title)}.</b> {escape(case.point)}" if case else "Something is tried."
        about = [n for n, o in resolution.provenance.items() if any(c.source in tried.texts for c in o.candidates)]
        names = about if case else []
        decided = "".join(
            f"<li><b>{escape(title_of(n))}: {escape(winner_of(resolution.provenance[n]))}.</b> "
            f"{escape(decision_sentence(resolution.provenance[n]))}</li>"
            for n in names
        )
        st.html(
            f'<div class="hl-notice" role="status"><span class="hl-as-if">as if</span> {said} '
            f"Nothing outside this page changes.{f'<ul>{decided}</ul>' if decided else ''}</div>"
        )


def _try() -> None:
    name = session.widget_value(KEY)
    if name in CASES:
        what_if.try_case(name, CASES[name].texts, strict=CASES[name].strict)
    else:
        what_if.stop()
