"""AgentDock's message history: its recorded cases, its feature list (A01 to A22), and what holds for any history."""

from __future__ import annotations

import copy
import json
import logging
from urllib.parse import urlencode

import pytest
from history_strategies import histories, unpaired_parts
from hypothesis import given
from hypothesis import strategies as st
from recorded_cases import options_of, recorded, right, same_objects
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.pipeline import plan_history
from historylab.settings.model import setting_names
from historylab.settings.names import environment_name, url_name
from historylab.systems.agentdock import (
    PRESET,
    HistorySettings,
    apply_history_policy,
    debug_enabled,
    debug_panel,
    prepare_messages,
    resolve_history_settings,
)

POLICY, LENGTH = "NEXT_PUBLIC_DEFAULT_HISTORY_POLICY", "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH"
TEMPLATE = {"chatSettings": {"historyPolicy": "all", "historyLength": 50}}


def chat(roles: str) -> list[dict]:
    """ "s u a u": one message a letter, `id` the letter and a running number per letter."""
    names = {"s": "system", "u": "user", "a": "assistant", "d": "developer"}
    messages = []
    for letter in roles.split():
        number = 1 + sum(m["id"][0] == letter for m in messages)
        messages.append({"id": f"{letter}{number}", "role": names[letter], "content": f"{letter} {number}"})
    return messages


def ids(messages: list[dict]) -> str:
    return " ".join(m["id"] for m in messages)


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


# -- where the settings come from


def resolved(**sources) -> tuple:
    settings = resolve_history_settings(**{"env": {}, **sources})
    return settings.history_policy, settings.history_length


def chat_settings(**settings) -> dict:
    return {"chatSettings": settings}


@pytest.mark.feature("A10")
def test_a_template_sets_both_and_the_length_is_20_without_it():
    assert resolved(template=TEMPLATE) == ("all", 50)
    assert resolved(template=chat_settings(historyPolicy="none")) == ("none", 20)
    assert resolved() == ("lastN", 20)


@pytest.mark.feature("A10")
@pytest.mark.parametrize("length", ["5", -3, None, True, float("nan"), float("inf")])
def test_a_template_length_is_a_number_within_bounds_or_refused(caplog, length):
    assert resolved(template=chat_settings(historyPolicy="all", historyLength=length)) == ("all", 20)
    assert "chatSettings.historyLength" in caplog.text


@pytest.mark.feature("A10")
@pytest.mark.parametrize("template", [None, {}, {"chatSettings": None}, {"name": "agent", "length": []}])
def test_a_template_without_history_settings_decides_nothing(template):
    assert resolved(template=template) == ("lastN", 20)


@pytest.mark.feature("A10")
def test_a_template_that_is_no_object_is_refused():
    with pytest.raises(HistoryLabError, match="not list"):
        resolved(template=[TEMPLATE])


@pytest.mark.feature("A11")
def test_the_environment_sets_both():
    assert resolved(env={POLICY: "none", LENGTH: "7"}, template=TEMPLATE) == ("none", 7)


@pytest.mark.feature("A11")
@pytest.mark.parametrize("length", ["15 # comment", "-5", "", "many", "nan", "inf", "1_000", "١٠", "１０"])
def test_an_invalid_environment_value_is_refused_with_a_warning_and_the_next_layer_decides(caplog, length):
    assert resolved(env={POLICY: "everything", LENGTH: length}, template=TEMPLATE) == ("all", 50)
    assert [POLICY in line or LENGTH in line for line in caplog.messages] == [True, True]


@pytest.mark.feature("A11")
def test_the_environment_is_the_process_own_unless_one_is_given(monkeypatch):
    monkeypatch.setenv(LENGTH, "3")
    assert resolve_history_settings().history_length == 3
    assert resolve_history_settings(env={}).history_length == 20


@pytest.mark.feature("A12")
@pytest.mark.parametrize("policy", ["none", "lastN", "all"])
def test_the_url_sets_the_policy_in_its_exact_spelling(policy):
    assert resolved(url_query=f"?historyPolicy={policy}")[0] == policy
    assert resolved(url_query=f"?historyPolicy={policy.upper()}", template=TEMPLATE)[0] == "all"


@pytest.mark.feature("A13")
@pytest.mark.parametrize(
    ("query", "length"),
    [("5", 5), ("0", 0), ("2.9", 2), ("1e3", 1000), ("%205", 5), ("3&historyLength=9", 3), ("7#historyLength=1", 7)],
)
def test_the_url_sets_any_length_that_reads_as_a_number_of_0_or_more(query, length):
    assert resolved(url_query=f"historyLength={query}", template=TEMPLATE) == ("all", length)


@pytest.mark.feature("A13")
@pytest.mark.parametrize(
    "query", ["", "abc", "-1", "12abc", "nan", "inf", "-0.5", "&historyLength=3", "1_000", "١٠", "%EF%BC%91", "%C2%A05"]
)
def test_any_other_url_length_is_refused(query):
    assert resolved(url_query=f"historyLength={query}", template=TEMPLATE) == ("all", 50)


@pytest.mark.feature("A13")
@pytest.mark.parametrize("form", ["{}", "?{}", "&{}", "http://localhost:3000/chat?{}", "/chat?{}", "{}&next=/a?b=c"])
def test_the_query_may_come_in_any_of_these_forms(form):
    assert resolved(url_query=form.format("agent=demo&historyLength=4&historyPolicy=none")) == ("none", 4)


@pytest.mark.feature("A14")
@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("historyPolicy=all", "s1 u1 a1 u2 a2 u3 a3"),
        ("historyPolicy=lastN&historyLength=2", "s1 u2 a2 u3 a3"),
        ("historyPolicy=lastN&historyLength=0", "s1 u3 a3"),
        ("historyPolicy=none", "s1"),
    ],
)
def test_the_documents_four_links_keep_what_it_says(query, left):
    link = f"http://localhost:3000/chat?agent=demo&{query}"
    settings = resolve_history_settings(env={}, url_query=link)
    assert ids(prepare_messages(chat("s u a u a u a"), settings, env={})) == left


@pytest.mark.feature("A15")
def test_precedence_holds_per_field():
    env, url = {LENGTH: "4"}, "historyPolicy=none&historyLength=99"
    settings = resolve_history_settings(env=env, url_query=url, template=TEMPLATE)
    assert (settings.history_policy, settings.history_length) == ("none", 4)
    assert settings.sources == {
        "history_policy": "url",
        "history_length": "environment",
        "preserve_system_messages": "default",
    }


@pytest.mark.feature("A15")
@pytest.mark.parametrize("switch", ["true", "1", "yes", "on", "TRUE"])
def test_the_environment_itself_may_be_strict(switch):
    env = {LENGTH: "4", "HISTORYLAB_STRICT_ENVIRONMENT": switch}
    assert resolved(env=env, url_query="historyPolicy=none&historyLength=99", template=TEMPLATE) == ("all", 4)


@pytest.mark.feature("A15")
@pytest.mark.parametrize("switch", ["", "ture", "2", "strict", "false"])
def test_what_does_not_say_yes_is_not_strict_and_what_says_nothing_is_refused(caplog, switch):
    env = {LENGTH: "4", "HISTORYLAB_STRICT_ENVIRONMENT": switch}
    assert resolved(env=env, url_query="historyPolicy=none", template=TEMPLATE) == ("none", 4)
    assert ("HISTORYLAB_STRICT_ENVIRONMENT: write true or false" in caplog.text) == (switch != "false")


@pytest.mark.feature("A15")
def test_a_strict_environment_shuts_the_url_out_altogether():
    url = "historyPolicy=none&historyLength=99"
    strict = {"url_query": url, "template": TEMPLATE, "strict_environment": True}
    assert resolved(env={LENGTH: "4"}, **strict) == ("all", 4)
    assert resolved(env={LENGTH: "refused", "HISTORYLAB_BUDGET": "9000"}, **strict) == ("none", 99)


@pytest.mark.feature("A16")
def test_no_url_overrides_the_environment_not_even_its_0():
    env = {POLICY: "lastN", LENGTH: "0"}
    assert resolved(env=env, url_query="historyPolicy=all&historyLength=99", template=TEMPLATE) == ("lastN", 0)


@pytest.mark.feature("A16", "A18")
@pytest.mark.parametrize("env", [{}, {POLICY: "lastN"}, {POLICY: "lastN", LENGTH: "4"}])
def test_the_url_has_its_two_parameters_and_no_more(caplog, env):
    """No link takes the agent's instructions away, or reaches anything else of ours."""
    ours = {url_name(name): "false" for name in setting_names()} | {"model": "", "budget": "huge", "agent": "demo"}
    settings = resolve_history_settings(env=env, url_query=urlencode(ours))
    assert settings == resolve_history_settings(env=env)
    assert settings.preserve_system_messages
    refused = [line.partition("=")[0] for line in caplog.messages]
    assert refused == ["Refused url historyPolicy", "Refused url historyLength"]


@pytest.mark.feature("A11", "A18")
def test_our_own_variables_are_none_of_agentdocks():
    ours = {environment_name(name): "1" for name in setting_names()}
    assert resolved(env=ours | {POLICY: "all", LENGTH: "7"}) == ("all", 7)
    assert resolve_history_settings(env=ours) == resolve_history_settings(env={})


@pytest.mark.feature("A10")
def test_our_own_settings_in_a_template_are_none_of_agentdocks():
    ours = {"length": 3, "preserve_system_messages": False, "policy": "none"}
    for template in ({**TEMPLATE, **ours}, {**TEMPLATE, "historylab": ours}, {**TEMPLATE, POLICY: "none"}):
        assert resolve_history_settings(env={}, template=template) == resolve_history_settings(
            env={}, template=TEMPLATE
        )


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
