"""The open conversation: title, size and load report; and the ways to open another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.formats.load import UPLOAD_BYTES
from historylab.formats.samples import samples
from historylab.planning.replay import Timeline
from historylab.registry import members
from historylab.settings.resolve import Resolution
from historylab.ui.editing.edited_bar import edited_bar
from historylab.ui.session import opening, session, viewing
from historylab.ui.toolbar.recorded_line import recorded_line
from historylab.ui.toolbar.share_dialog import share_button
from historylab.wording.untrusted import escape, one_line
from historylab.wording.verdict import counted_by

MEMORY = "What you open stays in this server's memory and is gone with the tab."
MOST_REASONS = 40
WAYS = ("Sample", "Upload", "Paste", "Generate")


def conversation_bar(
    conversation: Conversation, timeline: Timeline, resolution: Resolution, *more: Callable[[], None]
) -> None:
    """One line about the conversation, with buttons to open another and to share the view; `more` draw further ones."""
    about, buttons = st.columns([3, 4], vertical_alignment="center")
    about.html(
        f'<div class="hl-title"><bdi>{escape(one_line(conversation.title, 90))}</bdi></div>'
        f'<div class="hl-meta">{_size(conversation, timeline)}</div>'
    )
    with buttons.container(horizontal=True, horizontal_alignment="right"):
        another = st.popover("Open another conversation", key=opening.KEY, on_change=session.touch)
        if another.open:
            with another:
                _open_another()
        share_button(resolution.settings)
        for button in more:
            button()
    recorded_line(resolution)
    edited_bar()
    _file_conversations()
    _report()


def _size(conversation: Conversation, timeline: Timeline) -> str:
    total = int(timeline.plans[-1].history.sums.running[-1]) if timeline.plans else 0
    sizes = (
        (len(conversation), "message"),
        (len(conversation.columns.users), "turn"),
        (len(timeline.plans), "request"),
    )
    counts = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in sizes)
    return escape(f"{counts}, {total:,} tokens in all ({counted_by(timeline)})")


def _file_conversations() -> None:
    opened = viewing.opened()
    if len(opened.conversations) > 1:
        st.selectbox(
            f"This file holds {len(opened.conversations):,} conversations",
            range(len(opened.conversations)),
            opened.which,
            format_func=lambda i: f"{i + 1}. {one_line(opened.conversations[i].title, 80)}",
            key=session.seed_widget("which", opened.which),
            on_change=lambda: opening.open_which(session.widget_value("which")),
        )


def _report() -> None:
    """The load report's omissions and warnings, folded; nothing if everything was read."""
    report = viewing.opened().conversations.report
    if not report.skipped and not report.warnings:
        return
    reasons = [("skipped", *entry) for entry in report.skipped.items()]
    reasons += [("read", *entry) for entry in report.warnings.items()]
    listed = "".join(
        f"<li>{escape(one_line(f'{tally.count:,} {fate}: {reason}', 200))}"
        f"{escape(f', first at {tally.first}' if tally.first else '')}</li>"
        for fate, reason, tally in reasons[:MOST_REASONS]
    )
    if len(reasons) > MOST_REASONS:
        listed += f"<li>… and {len(reasons) - MOST_REASONS:,} other reasons</li>"
    if report.kept:
        listed += f"<li>{escape(one_line('kept as metadata: ' + ', '.join(report.kept), 200))}</li>"
    counts = f"{report.format}: {report.records:,} records, {report.messages:,} messages, {report.skips:,} skipped"
    warned = report.remarks - report.skips
    st.html(
        f'<details class="hl-notice"><summary>{escape(counts)}, {warned:,} read with a warning</summary>'
        f"<ul>{listed}</ul></details>"
    )


def _open_another() -> None:
    way = st.segmented_control("From", WAYS, default=WAYS[0], required=True, key="way", label_visibility="collapsed")
    {"Sample": _sample, "Upload": _upload, "Paste": _paste, "Generate": _generate}[way or WAYS[0]]()


def _sample() -> None:
    with st.container(gap=None, width=440, key="samples"):
        for sample in samples().values():
            name = sample.name
            st.button(sample.title, key=f"sample {name}", type="tertiary", on_click=opening.open_sample, args=(name,))
            st.html(f'<div class="hl-meta">{escape(sample.description)}</div>')


def _upload() -> None:
    limit = UPLOAD_BYTES // 1_000_000
    st.file_uploader(
        f"A file of messages, at most {limit} MB", key="upload", on_change=_uploaded, max_upload_size=limit
    )
    st.caption(MEMORY)


def _uploaded() -> None:
    given = session.widget_value("upload")
    if given is not None:
        opening.open_bytes(given.getvalue(), Path(given.name).name)


def _paste() -> None:
    st.text_area("JSON or JSON lines", key="pasted", height=180, placeholder='[{"role": "user", "content": "…"}]')
    st.button("Open what I pasted", key="open-pasted", on_click=_pasted)
    st.caption(MEMORY)


def _pasted() -> None:
    opening.open_bytes((session.widget_value("pasted") or "").encode("utf-8", "replace"), "")


def _generate() -> None:
    known = members("generator")
    chosen = st.selectbox(
        "Kind", list(known), format_func=lambda n: known[n].attributes.get("title", n), key="generator"
    )
    st.caption(known[chosen].summary)
    for option in known[chosen].options:
        schema = option.schema
        st.number_input(
            schema.get("title", option.name),
            schema.get("minimum"),
            schema.get("maximum"),
            option.default,
            key=f"{chosen}.{option.name}",
            help=option.help or None,
        )
    st.button("Generate", key="generate", on_click=_generated, args=(chosen,))


def _generated(name: str) -> None:
    options = {o.name: session.widget_value(f"{name}.{o.name}") for o in members("generator")[name].options}
    opening.open_generated(name, options)
