"""Where AgentDock's two settings come from: environment, URL, template, and which of them decides."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from agentdock_chats import LENGTH, POLICY, TEMPLATE, chat, ids

from historylab.errors import HistoryLabError
from historylab.settings.model import setting_names
from historylab.settings.names import environment_name, url_name
from historylab.systems.agentdock import (
    prepare_messages,
    resolve_history_settings,
)


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
