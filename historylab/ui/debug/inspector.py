"""Octopus' context inspector in the tab Debug: the messages a request sends, their sections, and its fill level."""

from __future__ import annotations

from typing import Any

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.systems.octopus import inspect_plan
from historylab.ui.session import chosen_system
from historylab.wording.context import counted_by
from historylab.wording.untrusted import escape, one_line

SYSTEM = "octopus"
MOST_ROWS = 200
TEXT = 90  # characters of a message


def inspector(timeline: Timeline, number: int) -> None:
    """The figures of request `number` (from 0); nothing if another system is chosen."""
    found = chosen_system.current_preset()
    if found is None or found[0].name != SYSTEM:
        return
    figures = inspect_plan(timeline.plans[number])
    rows = figures["messages"]
    used = figures["budgetUsedPercent"]
    totals = (
        ("totalTokens", f"{figures['totalTokens']:,}"),
        ("budget", f"{figures['budget']:,}"),
        ("budgetUsedPercent", "no budget" if used is None else f"{used:g}%"),
        ("pruningApplied", "yes" if figures["pruningApplied"] else "no"),
    )
    head = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in totals)
    body = "".join(_row(row) for row in rows[-MOST_ROWS:])
    older = f", the newest {MOST_ROWS:,} of {len(rows):,} messages" if len(rows) > MOST_ROWS else ""
    about = f"Request {number + 1:,}{older}. Tokens by {escape(counted_by(timeline))}."
    with st.container(border=True, key="inspector"):
        st.html(
            f'<div class="hl-title">Context inspector</div><div class="hl-table"><table>{head}</table></div>'
            f'<div class="hl-meta">{about}</div>'
        )
        with st.expander(count_of(len(rows), "message")):
            st.html(
                '<div class="hl-table"><table><thead><tr><th>role</th><th>section</th><th class="hl-number">tokenCount'
                f"</th><th>content</th></tr></thead><tbody>{body}</tbody></table></div>"
            )


def _row(row: dict[str, Any]) -> str:
    return (
        f"<tr><td>{escape(one_line(row['role'], 20))}</td><td>{row['section']}</td>"
        f'<td class="hl-number">{row["tokenCount"]:,}</td><td>{escape(one_line(row["content"], TEXT))}</td></tr>'
    )
