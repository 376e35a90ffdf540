"""AgentDock's message history: its recorded cases, its feature list (A01 to A22), and what holds for any history."""

from __future__ import annotations

import copy
import json
import logging

import pytest
from agentdock_chats import LENGTH, POLICY, TEMPLATE, chat, ids
from history_strategies import histories, unpaired_parts
from hypothesis import given
from hypothesis import strategies as st
from recorded_cases import options_of, recorded, right, same_objects
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.pipeline import plan_history
from historylab.systems.agentdock import (
    PRESET,
    HistorySettings,
    apply_history_policy,
    debug_enabled,
    debug_panel,
    prepare_messages,
    resolve_history_settings,
)


def trimmed(roles: str, **options) -> str:
    return ids(apply_history_policy(chat(roles), **options))


# -- recorded cases


@recorded("agentdock", "applyHistoryPolicy")
def test_recorded_policies(case):
    given, options = case["input"]["messages"], options_of(case)
    if right(case) == {"raises": "ValueError"}:
        with pytest.raises(ValueError, match="history_length"):
            apply_history_policy(given, **options)
        return
    returned = apply_history_policy(given, **options)
    assert returned == right(case)
    assert same_objects(returned, given or [])


@recorded("agentdock", "resolveHistorySettings")
def test_recorded_settings(case):
    resolved = resolve_history_settings(**case["input"])
    assert shown(resolved) == right(case)


def shown(resolved: HistorySettings) -> dict:
    panel = debug_panel(resolved, [])
    assert panel.pop("messages") == 0
    fields = {
        "historyPolicy": resolved.history_policy,
        "historyLength": resolved.history_length,
        "preserveSystemMessages": resolved.preserve_system_messages,
    }
    return fields | {"debug_panel": panel | {"length": str(panel["length"])}}


# -- the policies


@pytest.mark.feature("A01")
def test_last_n_keeps_the_last_user_messages_with_their_answers():
    assert trimmed("u a a u a u a", history_length=2) == "u2 a3 u3 a4"


@pytest.mark.feature("A01")
def test_with_n_user_messages_or_fewer_nothing_goes():
    assert trimmed("a u a u a", history_length=2) == "a1 u1 a2 u2 a3"
    assert trimmed("a a a", history_length=1) == "a1 a2 a3"


@pytest.mark.feature("A02")
def test_all_keeps_everything_where_it_is_in_a_new_list():
    given = chat("u s a s u")
    returned = apply_history_policy(given, history_policy="all", history_length=1, preserve_system_messages=False)
    assert returned == given
    assert returned is not given


@pytest.mark.feature("A02")
def test_all_leaves_a_late_tool_result_where_it_is():
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    given = [call, {"role": "user", "content": "and?"}, {"role": "tool", "tool_call_id": "c", "content": "1"}]
    assert apply_history_policy(given, history_policy="all") == given


@pytest.mark.feature("A03")
def test_none_keeps_system_messages_only_and_drops_even_the_pending_question():
    assert trimmed("s u a s u", history_policy="none") == "s1 s2"


@pytest.mark.feature("A04")
def test_no_list_is_an_empty_history():
    assert [apply_history_policy(None, history_policy=p) for p in ("all", "lastN", "none")] == [[], [], []]


@pytest.mark.feature("A04")
@pytest.mark.parametrize(("policy", "shown"), [("LASTN", "LASTN"), ("", ""), (None, "null"), (3, "3")])
def test_an_unknown_policy_keeps_everything_and_says_so_once(caplog, policy, shown):
    assert trimmed("u s u", history_policy=policy, history_length=float("nan")) == "u1 s1 u2"
    warning = f"[applyHistoryPolicy] Unrecognized historyPolicy: {shown}. Returning all messages."
    assert caplog.record_tuples == [("historylab", logging.WARNING, warning)]


@pytest.mark.feature("A05")
@pytest.mark.parametrize(("policy", "left"), [("lastN", "u2"), ("none", ""), ("all", "s1 u1 s2 u2")])
def test_system_messages_go_when_they_are_not_preserved_but_under_all(policy, left):
    options = {"history_policy": policy, "history_length": 1, "preserve_system_messages": False}
    assert trimmed("s u s u", **options) == left


@pytest.mark.feature("A06")
def test_every_role_but_system_is_conversation():
    assert trimmed("d u d u d", history_length=1) == "u2 d3"


@pytest.mark.feature("A07")
def test_history_starts_at_the_nth_last_user_message_and_consecutive_ones_count_each():
    assert trimmed("a u a u u u", history_length=2) == "u3 u4"


@pytest.mark.feature("A08")
def test_system_messages_come_first_even_when_nothing_is_trimmed():
    assert trimmed("u s a s u a", history_length=1) == "s1 s2 u2 a2"
    assert trimmed("u s a s u a", history_length=9) == "s1 s2 u1 a1 u2 a2"


@pytest.mark.feature("A09")
@pytest.mark.parametrize("length", [0, -3, 0.5, None, "1", " 1.9 ", "-inf", 1.9, -(10**400)])
def test_these_lengths_keep_one_user_message(length):
    assert trimmed("u a u a", history_length=length) == "u2 a2"


@pytest.mark.feature("A09")
@pytest.mark.parametrize("length", [float("inf"), "Infinity", 2, "2", 10**400])
def test_a_length_of_all_there_are_or_more_keeps_everything(length):
    assert trimmed("u a u a", history_length=length) == "u1 a1 u2 a2"


@pytest.mark.feature("A09")
@pytest.mark.parametrize("length", [float("nan"), "nan", "", "many", True, [3], "1_0", "١٠", "１", "\u00a01"])
def test_a_length_that_is_no_number_is_refused(length):
    with pytest.raises(ValueError, match="user messages") as refusal:
        trimmed("u a u a", history_length=length)
    assert isinstance(refusal.value, HistoryLabError)


# -- log and debug panel


def log_of(caplog, messages, settings, **options) -> list[str]:
    with caplog.at_level(logging.DEBUG, logger="historylab"):
        prepare_messages(messages, settings, **options)
    return caplog.messages


@pytest.mark.feature("A19")
def test_in_development_the_settings_in_effect_are_logged(caplog, monkeypatch):
    monkeypatch.setenv("NODE_ENV", "development")
    lines = log_of(caplog, chat("u a " * 11), HistorySettings("lastN", 20), agent_id="example-agent")
    expected = '[History] Agent example-agent history settings: {policy: "lastN", length: 20, messageCount: 22}'
    assert lines[0] == expected
    assert not any("Trimmed" in line for line in lines)


@pytest.mark.feature("A19")
@pytest.mark.parametrize("environment", [{}, {"NODE_ENV": "production"}, {"NODE_ENV": "Development"}])
def test_elsewhere_nothing_is_logged(caplog, environment):
    assert log_of(caplog, chat("u a u a"), HistorySettings("lastN", 1), env=environment) == []


@pytest.mark.feature("A20")
def test_in_development_what_was_trimmed_is_logged(caplog):
    lines = log_of(caplog, chat("u a " * 11), HistorySettings("lastN", 6), env={"NODE_ENV": "development"})
    assert lines[1] == "[History] Trimmed messages from 22 to 12"


@pytest.mark.feature("A17")
@pytest.mark.parametrize("length", [1, 6, 20])
def test_in_development_the_tokens_before_and_after_are_logged_even_if_nothing_was_trimmed(caplog, length):
    settings = HistorySettings("lastN", length)
    before, after = chat("u a " * 11), prepare_messages(chat("u a " * 11), settings, env={})
    counted = [plan_history(Conversation(to_messages(m)), PRESET.replace(policy="all")).tokens for m in (before, after)]
    lines = log_of(caplog, before, settings, env={"NODE_ENV": "development"})
    assert lines[-1] == "[History] Tokens from {} to {} (o200k_base)".format(*counted)


@pytest.mark.feature("A21")
@pytest.mark.parametrize(
    ("sources", "source"),
    [
        ({"env": {LENGTH: "4"}, "url_query": "historyPolicy=none", "template": TEMPLATE}, "environment"),
        ({"url_query": "historyLength=50", "template": TEMPLATE}, "URL"),
        ({"env": {POLICY: "rejected"}, "url_query": "historyLength=-1", "template": TEMPLATE}, "default"),
        ({}, "default"),
    ],
)
def test_the_panel_names_the_strongest_layer_that_decided_something(sources, source):
    settings = resolve_history_settings(**{"env": {}, **sources})
    assert debug_panel(settings, chat("s u a")) == {
        "policy": settings.history_policy,
        "length": settings.history_length,
        "source": source,
        "messages": 3,
    }


@pytest.mark.feature("A16", "A21")
@pytest.mark.parametrize("name", ["history_policy", "history_length", "preserve_system_messages"])
@pytest.mark.parametrize(("source", "shown"), [("environment", "environment"), ("url", "URL"), ("template", "default")])
def test_the_panel_counts_every_setting(name, source, shown):
    assert debug_panel(HistorySettings("all", 3, sources={name: source}), [])["source"] == shown


@pytest.mark.feature("A21")
def test_the_panel_is_asked_for_by_debug_true():
    asked = ["?debug=true", "agent=demo&debug=true", "http://localhost/chat?debug=true"]
    not_asked = ["", "?debug=1", "?debug=True", "?nodebug=true", "?debug=false&debug=true"]
    assert [debug_enabled(url) for url in (*asked, *not_asked)] == [True] * 3 + [False] * 5


def test_a_length_of_3_keeps_three_user_messages():
    assert plan_history(conv("s u a u a u a u a u"), PRESET.replace(length=3)).sketch() == "PDDDDKKKKK"


# -- whatever the history


@given(histories(), st.sampled_from(["none", "lastN", "all"]), st.integers(-1, 6), st.booleans())
def test_the_callers_own_messages_come_back_whole_and_nothing_is_changed(given, policy, length, preserve):
    before = copy.deepcopy(given)
    options = {"history_policy": policy, "history_length": length, "preserve_system_messages": preserve}
    returned = apply_history_policy(given, **options)
    assert given == before
    assert returned is not given
    assert same_objects(returned, given)
    assert unpaired_parts(returned) <= unpaired_parts(given)


@given(histories(), st.integers(0, 6))
def test_last_n_gives_exactly_the_last_user_messages(given, length):
    users = [m for m in given if m["role"] == "user"]
    returned = apply_history_policy(given, history_length=length)
    assert [m for m in returned if m["role"] == "user"] == users[-max(1, length) :]
    assert [m for m in returned if m["role"] == "system"] == [m for m in given if m["role"] == "system"]


def test_the_preset_is_what_the_document_starts_with():
    assert (PRESET.policy, PRESET.length, PRESET.pruner) == ("lastN", 20, "off")
    json.dumps(PRESET.model_dump())
