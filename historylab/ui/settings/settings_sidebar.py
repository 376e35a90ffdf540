"""The settings: the system they began with and its fields, then everything in the order it acts, the fine parts folded.

What has no effect under the other settings isn't drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import streamlit as st

from historylab.errors import HistoryLabError
from historylab.registry import members
from historylab.settings.effect import has_effect
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, setting_names, stage_options
from historylab.settings.pin import PIN_OPTIONS
from historylab.settings.resolve import Resolution
from historylab.settings.sources import read_template
from historylab.systems.presets.base import Preset
from historylab.ui.session import choices, chosen_system, session
from historylab.ui.settings.consent_field import consent_field
from historylab.ui.settings.setting_field import setting_field
from historylab.ui.settings.system_choice import system_choice
from historylab.wording.settings import GROUPS
from historylab.wording.untrusted import one_line

ALWAYS = ("filter", "tool_output", "compaction", "projection", "layout")
FIRST = ("Which messages", "Budget and cut")
"""The groups that are always unfolded."""


def settings_sidebar(resolution: Resolution, *, as_sent: bool = False) -> Any:
    """Draw every setting that has an effect under the others. Returns the place for the system's line.

    `as_sent`: the page can show what was really sent instead.
    """
    with st.sidebar:
        _heading(resolution)
        place = system_choice(resolution, as_sent=as_sent)
        if found := chosen_system.current_preset():
            _preset_fields(resolution, found[0])
        else:
            st.divider()
            _draw_remaining(resolution, ())
        _template(locked=resolution.strict)
    return place


def _heading(resolution: Resolution) -> None:
    chosen = [p for p in resolution.provenance.values() if p.source in ("you", "url")]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html('<span class="hl-title">Settings</span>', width="content")
        st.button(
            "Back to defaults",
            key="defaults",
            type="tertiary",
            disabled=not chosen and not session.tab().system,
            on_click=choices.reset_choices,
            help="Clears what you and the URL chose, including the system. The environment and a template stay.",
        )


def _preset_fields(resolution: Resolution, preset: Preset) -> None:
    """The system's own fields; all other settings folded away."""
    settings = resolution.settings
    own = [field for field in preset.fields if has_effect(settings, field.setting)]
    for field in own:
        setting_field(resolution, field.setting, field)
    drawn = {field.setting for field in own}
    if has_effect(settings, "summarizer"):  # no field of any system, because a model needs consent
        _choice(resolution, "summarizer", drawn)
        consent_field(resolution)
        drawn |= {"summarizer", *_options_of(settings, "summarizer")}
    if "model" not in drawn:
        _fields(resolution, ["model"], drawn)
        drawn.add("model")
    others = st.expander("All other settings", key="other settings", on_change=session.touch)
    if others.open:  # every element costs the browser time at each change, so folded ones aren't drawn
        with others:
            _draw_remaining(resolution, drawn)


def _draw_remaining(resolution: Resolution, drawn: Collection[str]) -> None:
    """Every setting that isn't drawn yet: policy, limits, cuts, counting."""
    settings = resolution.settings
    for group in FIRST:
        for name in GROUPS[group]:
            _fields(resolution, [name], drawn)
            if name in (*FIELDS_THAT_CHOOSE, "pin"):
                _options(resolution, name, drawn)
        st.divider()
    for family in ("summarizer", "relevance"):
        if has_effect(settings, family):
            _choice(resolution, family, drawn)
            if family == "summarizer" and family not in drawn:
                consent_field(resolution)
    _fields(resolution, ["model", "counter", "counter_factor"], drawn)
    used = not drawn and any(getattr(settings, f) != "off" for f in ALWAYS)
    more = st.expander("More stages", expanded=used, key="more stages", on_change=session.touch)
    if more.open:
        with more:
            _more_stages(resolution, drawn)


def _more_stages(resolution: Resolution, drawn: Collection[str]) -> None:
    for family in ALWAYS:
        _choice(resolution, family, drawn)
        if family == "compaction":
            _fields(resolution, ["threshold", "window"], drawn)
    _fields(resolution, ["summary_heading"], drawn)


def _fields(resolution: Resolution, names: Iterable[str], drawn: Collection[str] = ()) -> None:
    for name in names:
        if name not in drawn and has_effect(resolution.settings, name):
            setting_field(resolution, name)


def _choice(resolution: Resolution, family: str, drawn: Collection[str] = ()) -> None:
    """A choice of member, if there is one, and the chosen member's options."""
    if len(members(family)) > 1:
        _fields(resolution, [family], drawn)
        _options(resolution, family, drawn)


def _options(resolution: Resolution, family: str, drawn: Collection[str]) -> None:
    """The options of what is chosen in that slot; the rarely used ones are folded away until one is changed."""
    known, settings = stage_options(), resolution.settings
    names = [name for name in _options_of(settings, family) if name not in drawn]
    fine = [name for name in names if known[name].fine]
    _fields(resolution, [name for name in names if name not in fine])
    if fine:
        changed = sum(settings.value(name) != known[name].default for name in fine)
        title = f"Fine tuning, {changed} changed" if changed else "Fine tuning"
        folded = st.expander(
            title, expanded=bool(changed), key=f"fine {family}", on_change=session.touch, type="compact"
        )
        if folded.open:
            with folded:
                _fields(resolution, fine)


def _options_of(settings: Settings, family: str) -> list[str]:
    if family == "pin":
        return list(PIN_OPTIONS)
    prefixes = tuple(f"{family}.{member}." for member in settings.value(family).split("+"))
    return [name for name in setting_names() if name.startswith(prefixes)]


def _template(*, locked: bool) -> None:
    used = choices.template_source()
    unfolded = st.expander(f"Template: {'in use' if used else 'none'}", key="template file", on_change=session.touch)
    if not unfolded.open:
        return
    with unfolded:
        if used:
            st.text(one_line(used, 80))
        if locked:
            st.html('<div class="hl-meta">The environment is strict: a template you upload is ignored.</div>')
        if session.tab().template is not None:
            st.button("Remove the template", key="no-template", on_click=choices.use_template, args=(None,))
        st.file_uploader(
            "A .env or JSON file to start from", key="template", on_change=_read, max_upload_size=1, disabled=locked
        )


def _read() -> None:
    given = session.widget_value("template")
    if given is None:
        choices.use_template(None)
        return
    try:
        choices.use_template(read_template(given.getvalue()), given.name)
    except HistoryLabError as problem:
        session.report_problem(str(problem).replace("the text", f"“{one_line(given.name, 80)}”", 1))
