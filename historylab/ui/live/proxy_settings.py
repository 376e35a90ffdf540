"""The settings the proxy applies, beside those on screen, which can be its own from the next request on."""

from __future__ import annotations

import shlex

import streamlit as st

from historylab.recordings.watch import ProxyStart, Watch
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices, settings_file
from historylab.ui.session.settings_file import Obstacle, SharedFile
from historylab.ui.shared.time_zone import reader_zone
from historylab.wording.cuts import capitalize_first, settings_in_words
from historylab.wording.live import clock_time, proxy_sentence, read_settings
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape, one_line

OBSTACLES: dict[Obstacle, str] = {
    "no proxy": "No proxy has written to this recording yet.",
    "no file": "The proxy was started without a settings file. Started with --settings FILE, and this page with "
    "--template FILE, it can be given the settings of the playground from here.",
    "another file": "This page was started with another settings file than the proxy, or with none. Started with the "
    "proxy's, it can be given the settings of the playground from here.",
    "elsewhere": "Only a reader at the machine that serves this page can give the proxy other settings.",
    "unreadable": "The settings file they share can’t be read at the moment.",
}
SAME = "The playground has the same; what is changed there can be given to the proxy."
PATH = 200  # characters


def proxy_settings(watch: Watch) -> None:
    """What the proxy applies; the playground's settings, and the button that writes them into the file both read."""
    proxy = watch.proxy
    with st.container(key="live-settings", gap="small"):
        st.html('<h2 class="hl-title">Settings from now on</h2>')
        if proxy:
            st.html(f'<div class="hl-small">{escape(proxy_sentence(proxy, reader_zone()))}</div>')
        shared = settings_file.shared_file(proxy)
        if proxy and isinstance(shared, SharedFile):
            st.html(f'<div class="hl-meta" role="status">{escape(_state(shared, proxy))}</div>')
            _offer(shared, proxy)
        elif not isinstance(shared, SharedFile):
            _how_to_share(shared, proxy)


def _how_to_share(obstacle: Obstacle, proxy: ProxyStart | None) -> None:
    st.html(f'<div class="hl-meta">{OBSTACLES[obstacle]}</div>')
    if obstacle == "another file" and proxy:
        command = f"historylab --record … --template {shlex.quote(one_line(proxy.settings_file, PATH))}"
        st.code(command, language="bash", wrap_lines=True)


def _offer(shared: SharedFile, proxy: ProxyStart) -> None:
    """The settings on screen, and the button that gives them to the proxy, where they are others."""
    resolution = choices.resolution()
    if resolution.settings.values() == shared.settings.values():
        st.html(
            '<div class="hl-meta">The playground has the same; what is changed there can be given to the proxy.</div>'
        )
        return
    st.html(
        f'<div class="hl-small">The playground: {escape(settings_in_words(resolution.settings))}.</div>'
        f'<div class="hl-meta">{escape(_locked(resolution))}</div>'
    )
    st.button(
        "Use these settings from now on",
        key="settings-from-now-on",
        type="primary",
        on_click=settings_file.write_into,
        args=(proxy, resolution.settings),
    )


def _state(shared: SharedFile, proxy: ProxyStart) -> str:
    """Whether the proxy has what the file says."""
    name, applied = one_line(shared.path.name, PATH), read_settings(proxy.settings)
    if applied is not None and applied.values() == shared.settings.values():
        return f"It has what {name} says."
    said = settings_in_words(shared.settings)
    if shared.written > proxy.at:
        at = clock_time(shared.written, reader_zone())
        return f"{name} was written at {at}: {said}. The proxy uses it from its next request."
    return f"{name} says {said}, but the proxy’s own environment decides otherwise."


def _locked(resolution: Resolution) -> str:
    """The settings that the environment of this page decides: they are written as they are there."""
    names = [title_of(name) for name, origin in resolution.provenance.items() if origin.source == "environment"]
    if not names:
        return ""
    return f"{capitalize_first(', '.join(names))}: set in this page’s environment, and written as set there."
