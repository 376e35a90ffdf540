"""Export: the settings in the format of any exporter, the request as a report, the conversation in other formats."""

from __future__ import annotations

import streamlit as st

from historylab.exporters.base import USE, Difference, differences, export
from historylab.planning.refusals import refusal_sentence
from historylab.planning.replay import Timeline
from historylab.planning.validity import recorded_validity
from historylab.recordings.as_sent import is_foreign
from historylab.registry import Member, members
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.ui.request.reported import shown_of
from historylab.ui.request.request_field import current_request
from historylab.ui.session import cached, drawers, viewing
from historylab.ui.session.chosen_trimmer import ask_for_nearest
from historylab.ui.shared.page import go_to
from historylab.ui.toolbar.write_out import write_out
from historylab.wording.loading import file_size
from historylab.wording.palette import ALARM
from historylab.wording.phrases import capitalize_first
from historylab.wording.settings import differing_in_words, setting_in_words, title_of
from historylab.wording.untrusted import escape, replace_hidden

ALL_IN_THE_FILE = "The file has all of them, so that it means the same under any template."
NO_SETTINGS = "These settings aren't in use. Choose “Your own settings” or a system to export them."
TO_SETTINGS = "The trimmer decides, so there are none to export. Compare finds the nearest: use them, and export those."
AGENTS = {"claude_code": "claude", "codex": "codex", "gemini_cli": "gemini"}
"""The format of an agent's sessions → the program that wrote it, which `historylab run` starts."""
DIFFERING = "What differs"
ORDER = ("dotenv", "shell")  # the rest follow by name


def export_button(resolution: Resolution, timeline: Timeline, key: str = "export") -> None:
    """The button that opens the drawer."""
    st.button("Export", key=key, on_click=drawers.open_drawer, args=(key,))
    if drawers.take_open_request(key):
        _drawer(resolution, timeline, key)


@st.dialog("Export", position="right", width="medium")
def _drawer(resolution: Resolution, timeline: Timeline, key: str) -> None:
    drawers.stands(key)
    if not is_foreign(timeline):
        _settings(resolution.settings, timeline)
    if timeline.plans:
        _request(resolution, timeline)
    if timeline.run:
        _settings_near(timeline)
    elif is_foreign(timeline):
        st.html(f'<div class="hl-title">These settings</div><div class="hl-meta">{NO_SETTINGS}</div>')
    write_out([timeline.original], key)


def _settings_near(timeline: Timeline) -> None:
    """Of a trimmer there are no settings: the way to those that send nearly the same."""
    st.html(f'<div class="hl-title">As settings</div><div class="hl-meta">{TO_SETTINGS}</div>')
    if st.button("Find the nearest settings", key="find-nearest", disabled=not timeline.judged.any()):
        ask_for_nearest()
        go_to("compare")


def _settings(settings: Settings, timeline: Timeline) -> None:
    """As any exporter writes them: what differs from the defaults, or all; and the file with all of them.

    They will do wherever they are put what they do here: what an API would refuse of it is said first.
    """
    known = members("exporter")
    names = [*ORDER, *sorted(set(known) - set(ORDER))]
    st.html('<div class="hl-title">These settings</div>')
    agent = AGENTS.get(viewing.current_file().conversations.report.member)
    if agent:
        _command(settings, known[ORDER[0]], agent)
    st.html(f'<div class="hl-meta">{ALL_IN_THE_FILE}</div>')
    if recorded_validity(timeline).refused.any():
        refused = f"With this conversation: {refusal_sentence(timeline, setting_in_words)}"
        st.html(f'<div class="hl-small hl-over">{ALARM.glyph} {escape(refused)}</div>')
    name = st.segmented_control(
        "As", names, default=names[0], required=True, format_func=lambda n: known[n].attributes["title"], key="as"
    )
    every = f"All {len(settings.values())}"
    shown = st.segmented_control(
        capitalize_first(differing_in_words(settings)),
        [DIFFERING, every],
        default=DIFFERING,
        required=True,
        key="shown",
    )
    _file(settings, known[name or names[0]], only_changed=shown != every, first=not agent)


def _command(settings: Settings, dotenv: Member, agent: str) -> None:
    """The command that starts the session's agent under these settings, and the file it reads."""
    file = dotenv.attributes["file_name"]
    st.code(f"historylab run --settings {file} -- {agent}", language="bash", wrap_lines=True)
    _settings_file(f"Download {file} for {agent}", export(settings, dotenv.name), dotenv, "agent", first=True)


def _file(settings: Settings, member: Member, *, only_changed: bool, first: bool) -> None:
    text = export(settings, member.name, only_changed=only_changed)
    st.caption(f"{member.summary} {capitalize_first(member.attributes.get('use', USE))}.")
    if told := differences(settings, member.name):
        st.warning("\n".join(["Not carried over:", *map(_line, told)]))
    st.code(
        replace_hidden(text),
        language=member.attributes.get("language"),
        height=min(420, 60 + 24 * text.count("\n")),
        wrap_lines=True,
    )
    with st.container(horizontal=True, gap="small"):
        name = f"Download {member.attributes['file_name']}"
        _settings_file(name, export(settings, member.name), member, "all", first=first)
        _settings_file("Only what differs", export(settings, member.name, only_changed=True), member, "differing")


def _settings_file(label: str, text: str, member: Member, which: str, *, first: bool = False) -> None:
    st.download_button(
        label,
        text,
        member.attributes["file_name"],
        member.attributes.get("mime"),
        key=f"download-{which}",
        on_click="ignore",
        type="primary" if first else "secondary",
    )


def _line(difference: Difference) -> str:
    titles = dict.fromkeys(title_of(name) for name in difference.settings)
    return f"- **{', '.join(titles)}**: {difference.instead}"


def _request(resolution: Resolution, timeline: Timeline) -> None:
    """The request shown, for people without HistoryLab.

    The files are made as the drawer opens, once. A file made on the click would belong to one run of the drawer, and
    be gone after the next; and its button, disabled meanwhile, would lose the focus, without which Esc closes nothing.
    """
    number = current_request(timeline)
    report = cached.report_file((shown_of(timeline, resolution),), number)
    st.html(
        f'<div class="hl-title">This request: {timeline.steps[number].label}</div><div class="hl-meta">The report '
        f"({file_size(len(report))}) and the decisions contain text of the conversation, the pictures none.</div>"
    )
    with st.container(horizontal=True):
        _download("Report", f"request-{number + 1}.html", report)
        _download("Decisions", f"request-{number + 1}.csv", cached.decisions_file(timeline, number))
    drawn_map, chart = cached.picture_files(timeline, number)
    with st.container(horizontal=True):
        _download("Map", f"map-{number + 1}.svg", drawn_map)
        _download("Token chart", f"tokens-{number + 1}.svg", chart)


def _download(label: str, name: str, data: bytes) -> None:
    extension = name.rpartition(".")[2]
    st.download_button(
        f"{label} ({extension.upper()})",
        data,
        name,
        "image/svg+xml" if extension == "svg" else f"text/{extension}",
        key=f"download-{label.lower().replace(' ', '-')}",
        on_click="ignore",
    )
