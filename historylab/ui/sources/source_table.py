"""Every setting with all its sources side by side: the winner marked, losers struck through, refusals explained."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import streamlit as st

from historylab.settings.model import setting_names
from historylab.settings.resolve import Candidate, Provenance, Resolution
from historylab.settings.sources import SOURCES
from historylab.ui.shared.notice import notice
from historylab.wording.settings import SOURCE_WORDS, show_value, title_of
from historylab.wording.untrusted import escape, one_line

HEADINGS = {
    "environment": "Environment",
    "you": "You",
    "url": "URL",
    "template": "Template",
    "recorded": "Open file",
    "default": "Default",
}


def source_table(resolution: Resolution, tried: Collection[tuple[str, str]] = ()) -> None:
    """The table, fields first, then the options. `tried`: (source, name) of what-if values, which are marked."""
    shown = [n for n in setting_names() if "." not in n or len(resolution.provenance[n].candidates) > 1]
    rest = [n for n in setting_names() if n not in shown]
    _table(resolution, shown, tried)
    for candidate in resolution.unknown:
        notice(f"{candidate.name} from {SOURCE_WORDS[candidate.source]}: {candidate.why}")
    with st.expander(f"{len(rest)} options of stages, at their defaults"):
        _table(resolution, rest, tried)


def _table(resolution: Resolution, names: Iterable[str], tried: Collection[tuple[str, str]]) -> None:
    head = "".join(f"<th>{HEADINGS[source]}</th>" for source in SOURCES)
    rows = "".join(_row(name, resolution.provenance[name], tried) for name in names)
    st.html(
        f'<div class="hl-table hl-wide"><table><thead><tr><th>Setting</th><th>In effect</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(name: str, origin: Provenance, tried: Collection[tuple[str, str]]) -> str:
    lock = "🔒\ufe0e " if origin.locked else ""
    cells = "".join(
        "<td>" + "<br>".join(_candidate(c, tried) for c in origin.candidates if c.source == source) + "</td>"
        for source in SOURCES
    )
    return (
        f"<tr><td>{escape(title_of(name))}<br><code>{escape(name)}</code></td>"
        f"<td><b>{lock}{escape(show_value(origin.value))}</b></td>{cells}</tr>"
    )


def _candidate(candidate: Candidate, tried: Collection[tuple[str, str]]) -> str:
    """One source's value, its name there, and whether it won, lost or was refused."""
    ours = candidate.source in ("you", "default")
    value = escape(show_value(candidate.raw) if ours else one_line(str(candidate.raw), 60)) or "(empty)"
    what_if = " <em>what if</em>" if (candidate.source, candidate.name) in tried else ""
    name = "" if ours else f"<br><code>{escape(one_line(candidate.name, 80))}</code>"
    if candidate.status == "refused":
        why = f'<div class="hl-refused">refused: {escape(candidate.why)}</div>'
        return f'<span class="hl-lost">{value}</span>{what_if}{name}{why}'
    status = {"won": "hl-won", "lost": "hl-lost"}[candidate.status]
    return f'<span class="{status}" title="{escape(candidate.why)}">{value}</span>{what_if}{name}'
