"""Precedence: environment > you > URL > template > default, per field, by presence; and what became of the others."""

from __future__ import annotations

from functools import cache

import pytest

from historylab import resolve_settings
from historylab.settings.environment import _settings_from, environment_settings
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import environment_name, url_name
from historylab.settings.resolve import _log_once
from historylab.wording.settings import schema_of, source_word

POLICY, LENGTH = "NEXT_PUBLIC_DEFAULT_HISTORY_POLICY", "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH"
CHAT = "chatSettings"


def resolve(**sources):
    return resolve_settings(**{"env": {}, **sources})


def length(**sources) -> tuple[int, str]:
    provenance = resolve(**sources).provenance["length"]
    return provenance.value, provenance.source


ENV, YOU, URL, TEMPLATE = {LENGTH: "1"}, {"length": 2}, "historyLength=3", {CHAT: {"historyLength": 4}}


@pytest.mark.parametrize(
    ("env", "you", "url", "template", "expected"),
    [
        (ENV, YOU, URL, TEMPLATE, (1, "environment")),
        ({}, YOU, URL, TEMPLATE, (2, "you")),
        ({}, {}, URL, TEMPLATE, (3, "url")),
        ({}, {}, "", TEMPLATE, (4, "template")),
        ({}, {}, "", {}, (20, "default")),
        # presence decides, not truth: a 0 holds
        ({LENGTH: "0"}, YOU, URL, TEMPLATE, (0, "environment")),
        ({}, {"length": 0}, URL, TEMPLATE, (0, "you")),
        ({}, {}, "historyLength=0", TEMPLATE, (0, "url")),
        ({}, {}, "", {CHAT: {"historyLength": 0}}, (0, "template")),
        # what cannot be read falls through to the next
        ({LENGTH: "abc"}, YOU, URL, TEMPLATE, (2, "you")),
        ({LENGTH: ""}, {"length": "x"}, URL, TEMPLATE, (3, "url")),
        ({LENGTH: "-1"}, {}, "historyLength=abc", TEMPLATE, (4, "template")),
        ({LENGTH: "15 # comment"}, {}, "historyLength=", {CHAT: {"historyLength": "4"}}, (20, "default")),
        # our own name beats AgentDock's
        ({LENGTH: "1", "HISTORYLAB_LENGTH": "5"}, YOU, URL, TEMPLATE, (5, "environment")),
        ({LENGTH: "1", "HISTORYLAB_LENGTH": "x"}, YOU, URL, TEMPLATE, (1, "environment")),
        # a length the environment sets leaves the policy to the URL
        (ENV, {}, "historyPolicy=all", {}, (1, "environment")),
    ],
)
def test_precedence(env, you, url, template, expected):
    assert length(env=env, you=you, url=url, template=template) == expected


def test_precedence_is_per_field():
    settings = resolve(env={LENGTH: "1"}, url="historyPolicy=all&historyLength=9&budget=7", you={"budget": 5}).settings
    assert (settings.length, settings.policy, settings.budget) == (1, "all", 5)


def test_losers_and_refused_are_shown_with_the_reason():
    sources = {"env": {LENGTH: "1", "HISTORYLAB_LENGTH": "x"}, "you": {"length": 2}, "url": "historyLength=-3"}
    shown = resolve(**sources).provenance["length"].candidates
    assert [(c.source, c.name, c.raw, c.status) for c in shown] == [
        ("environment", "HISTORYLAB_LENGTH", "x", "refused"),
        ("environment", LENGTH, "1", "won"),
        ("you", "length", 2, "lost"),
        ("url", "historyLength", "-3", "refused"),
        ("default", "", 20, "lost"),
    ]
    assert [c.why for c in shown] == [
        "not a number; write one of 0 or more, such as 20",
        "",
        f"{LENGTH} comes first",
        "not a finite number of 0 or more; write one such as 20",
        f"{LENGTH} comes first",
    ]


@pytest.mark.parametrize(
    ("name", "raw", "told"),
    [
        ("budget", "lots", "not a number; write it in digits alone, such as 4000"),
        ("budget", "12.5", "not a whole number; write it without a fraction"),
        ("reserve", "-1", "too small; 0 is the least"),
        ("threshold", "2", "too large; 1 is the most"),
        ("threshold", "0", "too small; write more than 0"),
        ("preserve_system_messages", "perhaps", "neither; write true or false"),
        ("model", "", "empty; write a text"),
        ("pruner.fifo.unit", "x", "'x': not one of these; write 'turn', 'whole_turn' or 'block'"),
    ],
)
def test_what_is_refused_says_what_to_write_instead(name, raw, told):
    assert [c.why for c in resolve(you={name: raw}).provenance[name].refused] == [told]


def test_the_environment_locks_and_nothing_else_does():
    assert resolve(env=ENV).provenance["length"].locked
    assert not resolve(you=YOU, url=URL).provenance["length"].locked
    assert not resolve(env={LENGTH: "x"}, url=URL).provenance["length"].locked


def test_every_setting_has_a_provenance():
    resolution = resolve()
    assert tuple(resolution.provenance) == setting_names()
    assert resolution.settings == Settings()
    assert resolution.refused == ()
    assert {p.source for p in resolution.provenance.values()} == {"default"}


STRICT = "HISTORYLAB_STRICT_ENVIRONMENT"


@pytest.mark.parametrize("valid", [ENV, {POLICY: "all"}, {"HISTORYLAB_BUDGET": "5"}])
def test_a_strict_environment_shuts_out_the_url_and_the_choices_on_screen_as_a_whole(valid):
    others = {"you": {"reserve": 8}, "url": "historyLength=9&overhead=7", "template": TEMPLATE}
    resolution = resolve(env=valid, **others, strict_environment=True)
    assert (resolution.settings.overhead, resolution.settings.reserve) == (0, 0)
    assert resolution.settings.length in (1, 4)
    (shut,) = [c for c in resolution.provenance["overhead"].candidates if c.source == "url"]
    assert (shut.status, shut.why) == ("lost", "the environment is set, so the URL as a whole is ignored")
    (shut,) = [c for c in resolution.provenance["reserve"].candidates if c.source == "you"]
    assert (shut.status, shut.why) == ("lost", "the environment is set, so choices on screen are ignored")
    assert resolution.strict
    assert all(origin.locked for origin in resolution.provenance.values())
    assert resolution == resolve(env={**valid, STRICT: "true"}, **others)


@pytest.mark.parametrize("env", [{}, {LENGTH: "abc"}, {"HISTORYLAB_BUGDET": "5"}, {"HOME": "/"}])
def test_a_strict_environment_without_a_valid_value_shuts_nothing_out(env):
    for resolution in (
        resolve(env=env, url="historyLength=9", strict_environment=True),
        resolve(env={**env, STRICT: "true"}, url="historyLength=9"),
    ):
        assert (resolution.settings.length, resolution.strict) == (9, False)


@pytest.mark.parametrize("source", ["url", "you", "template"])
@pytest.mark.parametrize("name", [STRICT, STRICT.lower(), "strict_environment", "strictEnvironment", "strict"])
@pytest.mark.parametrize("on", [True, False])
def test_nothing_but_the_environment_makes_it_strict_or_no_longer(source, name, on):
    """Neither a link nor a template nor a choice among the settings."""
    env = {**ENV, STRICT: str(on).lower()}
    resolution = resolve(**{"env": env, source: {name: str(not on).lower(), "budget": "5"}})
    assert resolution.strict is on
    if (source, name) == ("template", STRICT):
        assert [c.why for c in resolution.refused] == ["only the environment itself can be strict"]


@pytest.mark.parametrize("switch", ["true", "false", "ture"])
def test_trim_has_no_url_so_a_strict_environment_changes_nothing_there(monkeypatch, switch):
    monkeypatch.setenv("HISTORYLAB_LENGTH", "3")
    before = environment_settings()
    monkeypatch.setenv(STRICT, switch)
    assert environment_settings() == before


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"HISTORYLAB_BUDGET": "500", POLICY: "all", LENGTH: "7", "HISTORYLAB_LENGTH": "8"},
        {"HISTORYLAB_PRUNER": "sliding_window", "HISTORYLAB_PRUNER__SLIDING_WINDOW__TURNS": "3"},
        {"HISTORYLAB_COMPACTION__ROLLING__BATCH": "3", "HISTORYLAB_POLICY__LASTN__LATE_RESULTS": "drop"},
        {"HISTORYLAB_PIN": "a*", "HISTORYLAB_PIN__ROLES": "user", "HISTORYLAB_COUNTER": "chars/4"},
        {"HISTORYLAB_BUDGET": "-1", "HISTORYLAB_BUGDET": "5", "HISTORYLAB_PRUNER": "none", "HISTORYLAB_OPEN": "x"},
        {"HISTORYLAB_PRUNER__SLIDING_WINDOW__TURN": "3", "HISTORYLAB_PRUNER__NOBODY__N": "3", STRICT: "perhaps"},
        {environment_name(name): "1" for name in setting_names()},
    ],
)
def test_an_app_reads_of_its_environment_what_the_screen_would(monkeypatch, caplog, env):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    _settings_from.cache_clear()
    found = environment_settings()
    said = sorted(caplog.messages)
    caplog.clear()
    _log_once.cache_clear()
    assert resolve_settings().settings == found
    assert sorted(caplog.messages) == said


@pytest.mark.parametrize("wrong", ["", "ture", "2", "si", "true # always", "\uff54\uff52\uff55\uff45"])
def test_a_switch_that_cannot_be_read_is_refused_and_said(wrong, caplog):
    resolution = resolve(env={**ENV, STRICT: wrong}, url="overhead=7")
    assert (resolution.settings.overhead, resolution.strict) == (7, False)
    assert [(c.source, c.name, c.why) for c in resolution.refused] == [("environment", STRICT, "write true or false")]
    assert f"{STRICT}: write true or false" in caplog.text


def test_names_nobody_knows_are_refused_not_swallowed():
    resolution = resolve(env={"HISTORYLAB_BUGDET": "5", "HISTORYLAB_TEMPLATE": "x", "OTHER": "y"}, you={"bugdet": 6})
    assert [(c.source, c.name, c.raw) for c in resolution.refused] == [
        ("environment", "HISTORYLAB_BUGDET", "5"),
        ("you", "bugdet", 6),
    ]
    assert resolution.settings == Settings()


def test_each_refusal_is_logged_once_however_often_it_is_met(caplog):
    for _ in range(3):
        resolve(env={POLICY: "everything"})
    resolve(env={POLICY: "something"})
    assert caplog.messages == [
        f"Refused environment {POLICY}='{wrong}': there is no policy '{wrong}'; "
        "choose one of all, lastMessages, lastN, none"
        for wrong in ("everything", "something")
    ]


def test_the_log_holds_no_value_of_a_name_we_do_not_know_and_no_endless_one(caplog):
    resolve(env={"HISTORYLAB_OPENAI_API_KEY": "sk-SECRET"}, url="historyPolicy=" + "a" * 9_000)
    assert len(caplog.messages) == 2
    assert "Refused environment HISTORYLAB_OPENAI_API_KEY: there is no such setting" in caplog.messages
    assert "sk-SECRET" not in caplog.text
    assert max(map(len, caplog.messages)) < 600


@pytest.mark.parametrize("name", ["historyPolicy", "filter", "pruner.fifo.unit", "filter.participants.ids"])
def test_why_a_value_was_refused_stays_one_sentence_however_long_it_is(name):
    (refused,) = resolve(url={name: "\0" + "a" * 9_000}).refused
    assert len(refused.why) < 400


@pytest.mark.parametrize(
    ("raw", "read"), [("none", "none"), ("lastN", "lastN"), ("all", "all"), ("lastn", None), ("", None)]
)
def test_policies_are_case_sensitive(raw, read):
    provenance = resolve(env={POLICY: raw}).provenance["policy"]
    assert (provenance.value, bool(provenance.refused)) == (read or "lastN", read is None)


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("5", 5), ("0", 0), ("2.9", 2), ("1e3", 1000), (" 7 ", 7), ("0.5", 0), ("9007199254740993", 9007199254740993),
        ("", None), ("abc", None), ("-1", None), ("12abc", None), ("NaN", None), ("Infinity", None), ("1e999", None),
        ("0x10", None), ("true", None), ("9" * 5000, None), ("1, 2", None),
    ],
)  # fmt: skip
def test_a_length_in_text_is_the_number_it_writes_rounded_down(raw, read):
    for source in ({"env": {LENGTH: raw}}, {"url": {"historyLength": raw}}, {"you": {"length": raw}}):
        provenance = resolve(**source).provenance["length"]
        assert (provenance.value, bool(provenance.refused)) == (20 if read is None else read, read is None)


ODD = [
    "{0}_0",
    "0_{0}",
    "\u0661",
    "{0}\u0660",
    "\uff11",
    "\u00a0{0}",
    "{0}\u3000",
    "\x1c{0}",
    "{0}\x0b",
    "\u2212{0}",
    "{0}\u200b",
]


@pytest.mark.parametrize("odd", ODD)
def test_what_python_reads_as_a_number_and_nobody_writes_as_one_is_refused_everywhere(odd):
    """1_000, Arabic and full-width digits, other spaces: for every setting and option that is a number."""
    names, written = _numbers(), odd.format(1)
    assert {"length", "budget", "threshold", "window", "pruner.sliding_window.turns"} <= {*names}
    for source, spelled in {"env": environment_name, "url": url_name, "you": str, "template": str}.items():
        provenance = resolve(**{source: {spelled(name): written for name in names}}).provenance
        found = {name: (provenance[name].source, len(provenance[name].refused)) for name in names}
        assert found == dict.fromkeys(names, ("default", 1)), (written, source)


@cache
def _numbers() -> tuple[str, ...]:
    return tuple(name for name in setting_names() if _type(name) in ("integer", "number"))


def _type(name: str) -> str:
    return schema_of(name).get("type", "")


@pytest.mark.parametrize("raw", [" 1 ", "1\n", "\t1", "+1", "1.0"])
def test_a_number_may_have_plain_space_around_it_a_sign_and_a_point(raw):
    for name in ("length", "budget", "threshold", "window", "pruner.sliding_window.turns"):
        assert resolve(env={environment_name(name): raw}).settings.value(name) == 1


@pytest.mark.parametrize(
    ("raw", "read"),
    [(5, 5), (0, 0), (2.9, 2), ("5", None), (True, None), (None, None), (-1, None), ([5], None), (10**400, None)],
)
def test_agentdocks_template_takes_numbers_only(raw, read):
    provenance = resolve(template={CHAT: {"historyLength": raw}}).provenance["length"]
    assert (provenance.value, bool(provenance.refused)) == (20 if read is None else read, read is None)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("?agent=demo&historyPolicy=all", ("all", 20)),
        ("?agent=demo&historyPolicy=lastN&historyLength=2", ("lastN", 2)),
        ("?agent=demo&historyPolicy=lastN&historyLength=0", ("lastN", 0)),
        ("?agent=demo&historyPolicy=none", ("none", 20)),
        ("https://example.org/chat?historyPolicy=none#historyPolicy=all", ("none", 20)),
        ("/chat?historyPolicy=none", ("none", 20)),
        ("historyPolicy=none&q=what?", ("none", 20)),
        ("&historyPolicy=none", ("none", 20)),
        ("historyLength=3&historyLength=9", ("lastN", 3)),  # the first of repeated ones
        ("historyLength=&historyLength=9", ("lastN", 20)),  # even if it is refused
        ("historyLength=%33", ("lastN", 3)),
        ("HistoryLength=3", ("lastN", 20)),
        ("", ("lastN", 20)),
        ("?", ("lastN", 20)),
        ("https://[broken?historyLength=3", ("lastN", 3)),
        ({"historyLength": ["3", "9"]}, ("lastN", 3)),
        ({"historyLength": "3"}, ("lastN", 3)),
        ({"historyLength": []}, ("lastN", 20)),
    ],
)
def test_links(url, expected):
    settings = resolve(url=url).settings
    assert (settings.policy, settings.length) == expected


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("budget", ""), ("budget", "-1"), ("budget", "1e3"), ("budget", True), ("budget", "9999999999"),
        ("budget", None), ("model", "a${HOME}b"),
        ("min_turns", "-1"), ("min_turns", True), ("window", "0"), ("window", "many"), ("threshold", "0"),
        ("threshold", "1.1"), ("threshold", "nan"), ("threshold", True), ("model", ""), ("model", "m" * 201),
        ("model", "a\0b"), ("model", "a\rb"), ("model", "\ud800"), ("model", 5), ("pruner", "newest"), ("pruner", ""),
        ("counter", "words"), ("filter", "scope+nothing"), ("preserve_system_messages", "perhaps"),
        ("pruner.sliding_window.turns", "-1"), ("pruner.sliding_window.turns", True), ("pruner.fifo.unit", "message"),
        ("pruner.summarize.max_share", "0"), ("filter.participants.ids", "\0"),
    ],
)  # fmt: skip
def test_what_is_out_of_bounds_is_refused_with_a_reason_and_the_next_decides(name, raw):
    resolution = resolve(you={name: raw})
    (refused,) = resolution.provenance[name].refused
    assert refused.why
    assert resolution.settings == Settings()


def test_an_empty_window_is_the_models_own():
    provenance = resolve(env={"HISTORYLAB_WINDOW": ""}, url="window=100").provenance["window"]
    assert (provenance.value, provenance.source, provenance.refused) == (None, "environment", ())


@pytest.mark.parametrize("raw", ["true", "True", "1", "yes", "on"])
def test_the_usual_words_for_true_are_read(raw):
    assert resolve(env={"HISTORYLAB_PRESERVE_SYSTEM_MESSAGES": raw}).settings.preserve_system_messages is True


@pytest.mark.parametrize("raw", ["false", "False", "0", "no", "off"])
def test_and_those_for_false(raw):
    assert resolve(env={"HISTORYLAB_PRESERVE_SYSTEM_MESSAGES": raw}).settings.preserve_system_messages is False


RECORDED = {"model": "claude-opus-4-5", "window": 200_000, "overhead": 900, "counter_factor": 1.4, "budget": 40_000}


def test_what_a_file_was_recorded_with_comes_before_the_default_alone():
    found = resolve(recorded=RECORDED).provenance
    assert {name: (found[name].value, found[name].source) for name in RECORDED} == {
        name: (value, "recorded") for name, value in RECORDED.items()
    }
    for stronger in ({"template": {"budget": 5}}, {"url": "budget=5"}, {"you": {"budget": 5}}):
        budget = resolve(recorded=RECORDED, **stronger).provenance["budget"]
        assert (budget.value, budget.source) == (5, next(iter(stronger)))
        assert budget.candidates[-2].source == "recorded"


def test_a_budget_is_suggested_and_all_else_recorded():
    found = resolve(recorded=RECORDED).provenance
    assert {found[name].name for name in RECORDED if name != "budget"} == {"recorded"}
    assert found["budget"].name == source_word(found["budget"]) == "suggested for this file"


@pytest.mark.parametrize("name", ["length", "pruner", "projection", "summarizer", "pruner.fifo.unit", "nothing"])
def test_a_file_decides_nothing_else(name):
    found = resolve(recorded={name: "all"})
    assert found.settings == Settings()
    assert [c.source for c in found.refused] == ["recorded"]


def test_a_strict_environment_leaves_open_what_the_file_fills_in():
    found = resolve(env={"HISTORYLAB_LENGTH": "5"}, recorded=RECORDED, strict_environment=True)
    assert (found.settings.length, found.settings.model) == (5, "claude-opus-4-5")
