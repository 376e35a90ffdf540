"""The exact payload of a request: its messages in the form of the Chat Completions API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.agent.request import request_of
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.wording.untrusted import escape, visible_json
from historylab.wording.verdict import counted_by

LONGEST_TEXT = 4_000  # characters shown of one text; the download is complete
MOST_MESSAGES = 100


def payload(timeline: Timeline, number: int, key: str = "payload") -> None:
    """The messages of request `number` (from 0) as JSON, to read, copy and download; `key` where a page has two."""
    plan = timeline.plans[number]
    records = request_of(plan)
    left, right = st.columns([4, 1], vertical_alignment="center")
    size = f"{count_of(len(records), 'message')}, {plan.tokens:,} tokens"
    left.html(f'<span class="hl-meta">{size} ({escape(counted_by(timeline))}).{_shown(records)}</span>')
    right.download_button(
        "Download",
        visible_json(records),
        f"request-{number + 1}.json",
        "application/json",
        on_click="ignore",
        key=f"download-{key}",
        width="stretch",
    )
    st.code(visible_json([shortened(r) for r in records[-MOST_MESSAGES:]]), language="json", height=520)


def shortened(value: Any) -> Any:
    """The record with very long texts cut, so that the browser can show it."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value) - LONGEST_TEXT:,} more characters)"
    if isinstance(value, Mapping):
        return {key: shortened(inner) for key, inner in value.items()}
    return [shortened(inner) for inner in value] if isinstance(value, list | tuple) else value


def _shown(records: list[Any]) -> str:
    if len(records) > MOST_MESSAGES:
        return f" Shown are the last {MOST_MESSAGES}; the download has all."
    return ""
