"""AgentDock's links in the app: what each of the document's four sends, and the map that draws it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from app_pages import screen, sources
from map_bytes import unpacked

from historylab.formats.messages.chat_messages import to_record
from historylab.formats.samples import load_sample
from historylab.planning.reasons import Action
from historylab.systems.agentdock import prepare_messages, resolve_history_settings
from historylab.ui.server.chat_path import playground_link

pytestmark = pytest.mark.slow  # whole screens

CHAT = "http://localhost:3000/chat?agent=demo&"
LINKS = {
    "historyPolicy=all": ("all", 20),
    "historyPolicy=lastN&historyLength=2": ("lastN", 2),
    "historyPolicy=lastN&historyLength=0": ("lastN", 0),
    "historyPolicy=none": ("none", 20),
}
MESSAGES = [to_record(message) for message in load_sample()[0]]
USERS = np.array([message["role"] == "user" for message in MESSAGES])


def followed(link: str):
    """The playground as that link opens it: where the server sends the browser, run without one."""
    return screen("app.py", **dict(parse_qsl(urlsplit(playground_link(urlsplit(link).query)).query)))


def drawn(app) -> np.ndarray:
    """bool[messages, requests]: what the map on screen draws as sent, read from the bytes the browser gets."""
    parts = [e.proto.bytes for e in app.get("bidi_component") if e.proto.component_name.endswith("timeline_data")]
    part = next(part for part in map(unpacked, parts) if "conversation" in part.head)
    sent = np.array([False, *(code <= Action.TRUNCATED for code in part.words["codes"])])
    return sent[part.cells(len(MESSAGES))]


@pytest.mark.feature("A14")
@pytest.mark.parametrize("query", LINKS)
def test_each_of_the_documents_four_links_means_the_same_in_the_app_as_in_agentdocks_face(query):
    policy, length = LINKS[query]
    settings = resolve_history_settings(env={}, url_query=CHAT + query)
    assert (settings.history_policy, settings.history_length) == (policy, length)
    app = followed(CHAT + query)
    assert app.selectbox(key="set policy").value == policy
    assert sources(app)["policy"] == "URL"
    if policy == "lastN":
        assert app.number_input(key="set length").value == length
    by_agentdock = prepare_messages(MESSAGES, settings, env={})
    kept = [any(message is other for other in by_agentdock) for message in MESSAGES]
    shown = drawn(app)[:, -1]
    if policy == "none":  # AgentDock's caller adds the pending question; the app sends it with the rest
        kept, shown = kept[: int(np.flatnonzero(USERS)[-1])], shown[: int(np.flatnonzero(USERS)[-1])]
    assert shown.tolist() == kept


@pytest.mark.feature("A22")
@pytest.mark.parametrize("length", [1, 3, 20])
def test_the_map_of_a_length_of_3_keeps_three_user_messages_and_what_follows(length):
    """At every request, which this conversation makes for each user message; the drawing in the document has two."""
    sent = drawn(followed(f"{CHAT}historyPolicy=lastN&historyLength={length}"))
    for request, newest in enumerate(np.flatnonzero(USERS)):
        before = sent[: newest + 1, request]
        first = np.flatnonzero(USERS)[max(0, request + 1 - length)]
        assert (before & USERS[: newest + 1]).sum() == min(length, request + 1)
        assert before[first:].all()
        assert not before[:first][USERS[:first]].any()


def test_a_link_that_names_a_system_keeps_it():
    assert playground_link("agent=demo") == "./?agent=demo&system=agentdock"
    assert playground_link("system=mentu&agent=demo") == "./?system=mentu&agent=demo"
    assert playground_link("") == "./?system=agentdock"
