"""The settings, in the order they act: what is wished for, what must fit, how it is cut, how it is counted."""

from __future__ import annotations

import streamlit as st

from historylab.errors import HistoryLabError
from historylab.registry import STAGE_FAMILIES, members
from historylab.settings.model import Settings, setting_names
from historylab.settings.resolve import Resolution
from historylab.settings.sources import read_template
from historylab.ui import state
from historylab.ui.components.setting_field import setting_field

ALWAYS = ("filter", "tool_output", "compaction", "projection", "layout")


def settings_sidebar(resolution: Resolution) -> None:
    """Draw every setting that has an effect under the others, and the way back to the defaults."""
    settings = resolution.settings
    with st.sidebar:
        _heading(resolution)
        _fields(resolution, "policy", *(["length"] if settings.policy == "lastN" else []), "preserve_system_messages")
        _options(resolution, "policy")
        st.divider()
        _fields(resolution, "budget", "pruner")
        _options(resolution, "pruner")
        _fields(resolution, *(["min_turns"] if settings.pruner != "off" else []), "reserve", "overhead")
        if summarizes(settings):
            _choice(resolution, "summarizer")
        if settings.pruner == "relevance":
            _choice(resolution, "relevance")
        st.divider()
        _fields(resolution, "model", "counter")
        with st.expander("More stages", expanded=any(getattr(settings, f, "off") != "off" for f in ALWAYS)):
            _more(resolution)
        _template()


def summarizes(settings: Settings) -> bool:
    """Whether a chosen stage may write summaries."""
    chosen = [(f, name) for f in STAGE_FAMILIES for name in getattr(settings, f).split("+")]
    return any(members(family)[name].attributes.get("carries") is True for family, name in chosen)  # no mere cut


def _heading(resolution: Resolution) -> None:
    chosen = [p for p in resolution.provenance.values() if p.source in ("you", "url")]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html('<span class="hl-title">Settings</span>', width="content")
        st.button(
            "Back to defaults",
            key="defaults",
            type="tertiary",
            disabled=not chosen,
            on_click=state.forget_choices,
            help="Forgets what you and the URL chose. The environment and a template stay.",
        )


def _fields(resolution: Resolution, *names: str) -> None:
    for name in names:
        setting_field(resolution, name)


def _choice(resolution: Resolution, family: str) -> None:
    """A choice of member, if there is one, and the chosen member's options."""
    if family in Settings.model_fields and len(members(family)) > 1:
        setting_field(resolution, family)
        _options(resolution, family)


def _options(resolution: Resolution, family: str) -> None:
    """The options of what is chosen in that slot."""
    for member in getattr(resolution.settings, family).split("+"):
        prefix = f"{family}.{member}."
        _fields(resolution, *(name for name in setting_names() if name.startswith(prefix)))


def _more(resolution: Resolution) -> None:
    for family in ALWAYS:
        _choice(resolution, family)
        if family == "compaction" and resolution.settings.compaction != "off":
            _fields(resolution, "threshold", "window")
    if not any(family in Settings.model_fields and len(members(family)) > 1 for family in ALWAYS):
        st.html('<span class="hl-meta">None are installed.</span>')


def _template() -> None:
    used = state.template_source()
    with st.expander(f"Template: {'in use' if used else 'none'}"):
        if used:
            st.text(used)
        if state.desk().template is not None:
            st.button("Remove the template", key="no-template", on_click=state.use_template, args=(None,))
        st.file_uploader("A .env or JSON file to start from", key="template", on_change=_read, max_upload_size=1)


def _read() -> None:
    given = state.value_of("template")
    if given is None:
        state.use_template(None)
        return
    try:
        state.use_template(read_template(given.getvalue()), given.name)
    except HistoryLabError as problem:
        state.desk().problem = f"{given.name}: {problem}"
