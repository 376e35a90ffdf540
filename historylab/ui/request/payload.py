"""The exact payload of a request, whole or as what changed since the one before, to read, copy and download."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from historylab.agent.request import request_of
from historylab.agent.request_changes import Record, Run, request_changes, shared_beginning
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.ui.request.text_diff import text_diff
from historylab.ui.session import session, viewing
from historylab.wording.context import NOT_HELD, measured_by
from historylab.wording.terms import with_terms
from historylab.wording.untrusted import escape, multiline, one_line, visible_json

LONGEST_TEXT = 4_000  # characters shown of one text; the download is complete
MOST_MESSAGES = 100
MOST_SHOWN = {"removed": 40, "added": 40, "changed": 12}  # messages of a run
CHANGES, WHOLE = "What changed", "Whole"
SIGNS = {"same": ("=", "the same"), "changed": ("±", "changed"), "removed": ("−", "removed"), "added": ("+", "added")}
PREVIEW = 100


def payload(timeline: Timeline, number: int) -> None:
    """The messages of request `number` (from 0)."""
    plan = timeline.plans[number]
    records = request_of(plan)
    size = (
        f"{count_of(len(records), 'message')}, {timeline.contexts[number]:,} tokens ({measured_by(timeline, number)})."
        f"{f' {plan.tokens - plan.counted_tokens:,} of them are {NOT_HELD}.' if plan.is_sized else ''}"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        view = _view_field() if number else WHOLE
        st.download_button(
            "Download",
            visible_json(records),
            f"request-{number + 1}.json",
            "application/json",
            on_click="ignore",
            key="download-payload",
            help="The messages as JSON, complete",
        )
        st.html(f'<span class="hl-meta">{escape(size)}</span>')
    if view == WHOLE:
        _draw_whole(records)
    else:
        _changes(request_of(timeline.plans[number - 1]), records)


def _view_field() -> str:
    """Whole, or what changed since the request before."""
    name = "view-payload"
    st.segmented_control(
        "Payload",
        [CHANGES, WHOLE],
        default=session.tab().payload,
        required=True,
        label_visibility="collapsed",
        key=session.seed_widget(name, session.tab().payload),
        on_change=session.hand_value,
        args=(name, viewing.show_payload),
    )
    return session.tab().payload


def _draw_whole(records: list[dict[str, Any]]) -> None:
    if len(records) > MOST_MESSAGES:
        st.html(f'<span class="hl-meta">Shown are the last {MOST_MESSAGES}; the download has all.</span>')
    st.code(visible_json([shorten_texts(r) for r in records[-MOST_MESSAGES:]]), language="json", height=520)


def _changes(before: Sequence[Record], now: Sequence[Record]) -> None:
    runs = request_changes(before, now)
    same = shared_beginning(runs)
    if same == len(before):
        said = "This request only adds to the one before: a prompt cache can read all of that."
    else:
        said = (
            f"This request begins like the one before, for {count_of(same, 'message')} of {len(before):,}. A "
            "prompt cache reads nothing after that, even where messages are the same."
        )
    st.html(f'<div class="hl-small hl-tips">{with_terms(said, "request", "cache")}</div>{changes_html(runs)}')


def changes_html(runs: Iterable[Run]) -> str:
    """The runs of messages that are the same or not, one after another; of long ones a download has the rest."""
    return f'<div class="hl-diff">{"".join(map(_run, runs))}</div>'


def _run(run: Run) -> str:
    """One line for messages that are the same; for others each, its text on demand."""
    sign, word = SIGNS[run.kind]
    count = count_of(len(run.records), "message")
    head = f'<div class="hl-diff-head"><b aria-hidden="true">{sign}</b> {count} {word}</div>'
    if run.kind == "same":
        return f'<div class="hl-diff-same">{head}</div>'
    more = len(run.records) - MOST_SHOWN[run.kind]
    rest = f'<div class="hl-meta">… and {more:,} more; the download has all.</div>' if more > 0 else ""
    drawn = (
        _diff_of(run.first + i, run.before[i], record) if run.before else _record(run.first + i, record)
        for i, record in enumerate(run.records[: MOST_SHOWN[run.kind]])
    )
    return f'<div class="hl-diff-{run.kind}">{head}{"".join(drawn)}{rest}</div>'


def _diff_of(place: int, before: Record, record: Record) -> str:
    amount, diff = text_diff("\n".join(_lines(before)), "\n".join(_lines(record)))
    return f"<details open><summary>{_name(place, record)} {amount}</summary>{diff}</details>"


def _record(place: int, record: Record) -> str:
    lines = list(_lines(record))
    first = escape(one_line(" ".join(lines), PREVIEW))
    text = escape(multiline("\n".join(lines), LONGEST_TEXT))
    return f"<details><summary>{_name(place, record)} {first}</summary><pre>{text}</pre></details>"


def _name(place: int, record: Record) -> str:
    role = escape(one_line(str(record.get("role", "")), PREVIEW))
    return f"<b>{place + 1:,} {role}</b>"


def _lines(record: Record) -> Iterator[str]:
    """What a message says, then every other field as JSON."""
    content = record.get("content")
    if content:
        yield content if isinstance(content, str) else visible_json(content)
    others = {name: value for name, value in record.items() if name not in ("role", "content")}
    if others:
        yield visible_json(others)


def shorten_texts(value: Any) -> Any:
    """The record with very long texts cut, so that the browser can show it."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value) - LONGEST_TEXT:,} more characters)"
    if isinstance(value, Mapping):
        return {key: shorten_texts(inner) for key, inner in value.items()}
    return [shorten_texts(inner) for inner in value] if isinstance(value, list | tuple) else value
