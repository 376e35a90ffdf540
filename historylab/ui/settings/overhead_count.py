"""Tokens of tool definitions and a hidden system prompt, counted as they are pasted, and a button to use the count."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.counters.tool_definitions import ToolDefinition, count_prompt, count_tools, read_tools
from historylab.errors import LoadError
from historylab.settings.resolve import Resolution
from historylab.ui.session import cached, choices, session
from historylab.ui.shared.notice import notice
from historylab.wording.settings import locked_by
from historylab.wording.untrusted import escape, one_line

ABOUT = (
    "Tools, and a system prompt that isn’t in the transcript, go with every request. Paste them here: nothing is kept."
)
ESTIMATE = "An estimate: providers rewrite tool definitions in forms they don’t publish, so here their JSON is counted"
MOST_NAMED = 40


def overhead_count(resolution: Resolution) -> None:
    """An expander whose content is computed only while it is open."""
    unfolded = st.expander("Count tools and prompt", key="overhead-count", type="compact", on_change=session.touch)
    if unfolded.open:
        with unfolded:
            _inside(resolution)


def _inside(resolution: Resolution) -> None:
    st.html(f'<div class="hl-meta">{ABOUT}</div>')
    placeholder = '[{"type": "function", "function": {…}}]'
    pasted = st.text_area("Tool definitions, as JSON", key="pasted-tools", height=150, placeholder=placeholder)
    prompt = st.text_area("Hidden system prompt, as text", key="pasted-prompt", height=90)
    try:
        tools = read_tools(pasted or "")
    except LoadError as problem:
        notice(f"The tools can’t be counted: {problem}", "error")
        return
    counter = cached.counter(resolution.settings)
    counts, of_prompt = count_tools(counter, tools), count_prompt(counter, prompt or "")
    if not counts and not of_prompt:
        return
    _show_counts(tools, counts, of_prompt)
    st.html(f'<div class="hl-meta">{ESTIMATE}, by {escape(counter.label)}.</div>')
    _use(resolution, sum(counts) + of_prompt)


def _show_counts(tools: list[ToolDefinition], counts: list[int], prompt: int) -> None:
    parts = [f"{count_of(len(tools), 'tool')}: {count_of(sum(counts), 'token')}"] if tools else []
    parts += [f"prompt: {prompt:,} tokens"] if prompt else []
    largest = sorted(zip(counts, tools, strict=True), key=lambda found: -found[0])[:MOST_NAMED]
    listed = "".join(f"<li>{escape(one_line(tool.name, 60))}: {count:,}</li>" for count, tool in largest)
    st.html(f'<div class="hl-small">{" + ".join(parts)}</div><ul class="hl-says">{listed}</ul>')


def _use(resolution: Resolution, total: int) -> None:
    origin, now = resolution.provenance["overhead"], resolution.settings.overhead
    if origin.locked:
        st.html(
            f'<div class="hl-small">🔒\ufe0e {total:,} tokens in all. The overhead stays at {now:,}: '
            f"{locked_by(origin)}.</div>"
        )
    elif total == now:
        st.html(f'<div class="hl-small">The overhead is set to these {total:,} tokens.</div>')
    else:
        st.button(
            f"Use {total:,} tokens",
            key="use-count",
            type="primary",
            on_click=choices.choose_setting,
            args=("overhead", total),
        )
        st.html(f'<div class="hl-meta">This replaces the current overhead of {now:,}.</div>')
