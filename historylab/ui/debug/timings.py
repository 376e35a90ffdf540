"""Measured times on this server: the replay when it was made, one request planned and rendered anew, the page."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import streamlit as st

from historylab._version import __version__
from historylab.agent.request import request_of
from historylab.costs.amounts import count_of
from historylab.planning.pipeline import plan_up_to
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.ui.session import cached
from historylab.wording.untrusted import escape

TOKENIZERS = ("toktok-rs", "tiktoken")
Seconds = float


def timings(timeline: Timeline, number: int, page: Seconds) -> None:
    """Seconds per step for request `number` (from 0). `page`: seconds the page took up to the tab."""
    rows = "".join(
        f'<tr><td>{escape(step)}</td><td class="hl-number">{1000 * seconds:,.1f} ms</td><td>{when}</td></tr>'
        for step, seconds, when in _stages(timeline, number, page)
    )
    st.html(
        '<div class="hl-table"><table><thead><tr><th>Step</th><th class="hl-number">Took</th><th>Measured</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
        '<div class="hl-meta">On this server, by its clock, without the time to the browser.</div>'
    )


def versions(timeline: Timeline) -> None:
    """The versions of HistoryLab, Streamlit, Python and the tokenizers."""
    tokenizers = [f"{name} {installed}" for name in TOKENIZERS if (installed := _version(name))]
    names = [f"HistoryLab {__version__}", f"Streamlit {st.__version__}", f"Python {platform.python_version()}"]
    everything = ", ".join([*names, *tokenizers])
    st.html(f'<div class="hl-meta">{escape(everything)}. Counter: {escape(timeline.counter.label)}.</div>')


def _stages(timeline: Timeline, number: int, page: Seconds) -> Iterator[tuple[str, Seconds, str]]:
    plan = timeline.plans[number]
    if not is_foreign(timeline):  # nothing of that was planned
        yield from _planning_times(timeline, plan.size)
    yield "Render it: the messages as they are sent", _clock(plan.render), "now"
    yield "Write it as JSON", _clock(lambda: json.dumps(request_of(plan), default=str)), "now"
    yield "Draw the page, on the server", page, "up to this tab"


def _planning_times(timeline: Timeline, size: int) -> Iterator[tuple[str, Seconds, str]]:
    (counting, planning, adding), made = cached.stage_seconds(timeline), "when these settings were replayed"
    yield f"Count the tokens of {count_of(len(timeline.conversation), 'message')}", counting, made
    yield f"Replay: plan {count_of(len(timeline.plans), 'request')}", planning, made
    yield "Add up what the screens show of them", adding, made
    alone = timeline.instruments.offline()  # timing makes no model call
    yield "Plan this request", _clock(plan_up_to, timeline.original, timeline.settings, alone, size), "now"


def _clock(work: Callable[..., Any], *args: Any) -> Seconds:
    began = perf_counter()
    work(*args)
    return perf_counter() - began


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
