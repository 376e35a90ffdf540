"""What the page Live shows while there is nothing to see: how to begin, or why the recording can't be read."""

from __future__ import annotations

import streamlit as st

from historylab.recordings.place import named_place
from historylab.recordings.watch import Watch
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.shared.notice import notice
from historylab.ui.shared.time_zone import reader_zone
from historylab.wording.live import proxy_sentence
from historylab.wording.loading import home_as_tilde
from historylab.wording.untrusted import escape

PROXY = "http://127.0.0.1:8484"
SCRIPTED_UPSTREAM = "http://127.0.0.1:8900"
UPSTREAM = "https://api.openai.com/v1"
STEPS = (
    (
        "Write a settings file, and start the proxy with it in front of your provider: it trims and records",
        "historylab export --out history.env\n"
        f"historylab proxy --upstream {UPSTREAM} --settings history.env --record recordings",
    ),
    (
        "Start this page with the same recording and the same settings",
        "historylab --record recordings --template history.env",
    ),
    ("Start your app with the proxy as its base URL", f"OPENAI_BASE_URL={PROXY}/v1 python your_app.py"),
)
BASE_URLS = (
    ("OpenAI's clients, and any that speaks Chat Completions", f"OPENAI_BASE_URL={PROXY}/v1"),
    ("Anthropic's clients", f"ANTHROPIC_BASE_URL={PROXY}"),
    ("Google's clients", f"GOOGLE_GEMINI_BASE_URL={PROXY}"),
)

NO_PROXY = "No proxy has written to it yet. Start one with the same recording, and point your app at it:"


def nothing_to_watch() -> None:
    """The server was started without a recording."""
    _headline(
        "Watch your app as it talks to a model",
        "This page was started without a recording. Three commands, each in a terminal of its own, show your app here; "
        "nothing in it changes but the base URL.",
    )
    for number, (what, command) in enumerate(STEPS, 1):
        st.html(f'<div class="hl-label">{number}. {escape(what)}</div>')
        st.code(command, language=None, wrap_lines=True)
    st.html(
        '<div class="hl-meta">Any file that Export wrote will do. With --mode audit the proxy only watches. Keys are '
        "passed on, never kept. To try it without a key, start a model server that needs none, and give the proxy "
        f"--upstream {SCRIPTED_UPSTREAM}:</div>"
    )
    st.code("python -m historylab.proxy.scripted_upstream", language=None, wrap_lines=True)


def waiting_for_requests(watch: Watch) -> None:
    """The recording has no request yet."""
    proxy = watch.proxy
    said = f"{proxy_sentence(proxy, reader_zone())} Point your app at the proxy:" if proxy else NO_PROXY
    _headline("Waiting for the first request", f"{_place()} {said}")
    if not proxy:
        st.code(f"historylab proxy --upstream {UPSTREAM} --record PLACE", language=None, wrap_lines=True)
    for whose, line in BASE_URLS:
        st.html(f'<div class="hl-label">{escape(whose)}</div>')
        st.code(line, language=None, wrap_lines=True)
    st.html('<div class="hl-meta">With the port your proxy listens on. The page draws the request as it ends.</div>')


def recording_unreadable(problem: str) -> None:
    """The store fails."""
    _headline("The recording can’t be read", "The page tries again by itself.")
    notice(problem, "error")


def _headline(words: str, more: str) -> None:
    st.html(f'<h1 class="hl-verdict">{escape(words)}</h1><div class="hl-cost">{escape(more)}</div>')


def _place() -> str:
    """Where the recording is, for a reader at this machine; a database's address may hold a password."""
    place = named_place()
    if "://" in place or not on_this_machine():
        return "The recording is open and empty."
    return f"The recording in {home_as_tilde(place)} is open and empty."
