"""The settings the proxy applies, beside those on screen, which can be its own from the next request on."""

from __future__ import annotations

import shlex

import streamlit as st

from historylab.errors import StoreError
from historylab.recordings.exchange import read_settings
from historylab.recordings.watch import ProxyStart, Watch, WatchedConversation
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices, session, settings_file, watching
from historylab.ui.session.settings_file import Obstacle, SharedFile
from historylab.ui.shared.notice import notice
from historylab.ui.shared.time_zone import reader_zone
from historylab.wording.cuts import settings_in_words
from historylab.wording.live import clock_time, proxy_sentence
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape, one_line

OBSTACLES: dict[Obstacle, str] = {
    "no proxy": "No proxy has written to this recording yet.",
    "no file": "The proxy was started without a settings file. Started with --settings FILE, and this page with "
    "--template FILE, it can be given the settings of Inspect from here.",
    "another file": "This page was started with another settings file than the proxy, or with none. Started with the "
    "proxy’s, it can give it the settings of Inspect:",
    "elsewhere": "Only a reader at the machine that serves this page can give the proxy other settings.",
    "unreadable": "The settings file they share can’t be read at the moment.",
}
SAME = "Inspect has the same; what is changed there can be given to the proxy."
PATH = 200  # characters


def proxy_settings(watch: Watch, newest: WatchedConversation) -> None:
    """The proxy's settings and Inspect's, and the button that writes these into the file that both read."""
    proxy = watch.proxy
    with st.container(key="live-settings", gap="small"):
        st.html('<h2 class="hl-title">Settings from now on</h2>')
        if proxy:
            st.html(f'<div class="hl-small">{escape(proxy_sentence(proxy, reader_zone()))}</div>')
        shared = settings_file.shared_file(proxy)
        if not isinstance(shared, SharedFile):
            _how_to_share(shared, proxy)
            return
        st.html(f'<div class="hl-small" role="status">{escape(_state(shared, watch.proxy, newest))}</div>')
        resolution = choices.resolution()
        if resolution.settings.values() == shared.settings.values():
            st.html(f'<div class="hl-meta">{SAME}</div>')
            return
        said = f"Inspect has {settings_in_words(resolution.settings)}."
        st.html(f'<div class="hl-small">{escape(said)}</div>{_locked_html(resolution)}')
        _button(resolution)


def give_to_proxy(resolution: Resolution) -> None:
    """On Inspect, the same button, where the proxy has other settings and can be given these."""
    if not settings_file.may_be_shared():
        return
    try:
        watch = watching.recording()
        shared = settings_file.shared_file(watch.newest_proxy()) if watch else None
    except StoreError:
        return
    if not isinstance(shared, SharedFile):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="give-to-proxy"):
        if done := session.tab().announcement:
            notice(done)
            session.clear_announcement()
        elif resolution.settings.values() != shared.settings.values():
            name = one_line(shared.path.name, PATH)
            said = f"The proxy’s settings file, {name}, has {settings_in_words(shared.settings)}."
            st.html(f'<div class="hl-notice hl-small">{escape(said)}{_locked_html(resolution)}</div>')
            _button(resolution)


def _button(resolution: Resolution) -> None:
    st.button(
        "Use these settings from now on",
        key="settings-from-now-on",
        on_click=settings_file.write_into,
        args=(resolution.settings,),
    )


def _how_to_share(obstacle: Obstacle, proxy: ProxyStart | None) -> None:
    st.html(f'<div class="hl-meta">{OBSTACLES[obstacle]}</div>')
    if obstacle == "another file" and proxy:
        command = f"historylab --record PLACE --template {shlex.quote(one_line(proxy.settings_file, PATH))}"
        st.code(command, language=None, wrap_lines=True)


def _state(shared: SharedFile, proxy: ProxyStart | None, newest: WatchedConversation) -> str:
    """Whether the proxy has what the file says."""
    name, applied = one_line(shared.path.name, PATH), read_settings(proxy.settings) if proxy else None
    if applied is not None and applied.values() == shared.settings.values():
        return f"These are the settings of {name}."
    said = f"{name}, written at {clock_time(shared.written, reader_zone())}, has {settings_in_words(shared.settings)}"
    if newest.last_started > shared.written:
        return f"{said}; the proxy’s environment, or a value it refused, decides otherwise."
    return f"{said}. The proxy uses that from its next request."


def _locked_html(resolution: Resolution) -> str:
    """The settings that the environment of this page decides: they are written as they are there."""
    names = [title_of(name) for name, origin in resolution.provenance.items() if origin.source == "environment"]
    if not names:
        return ""
    said = f"{', '.join(names)}: set in this page’s environment, and written as set there."
    return f'<div class="hl-meta">{escape(said)}</div>'
