"""Live without a browser: what the page shows of a recording, as it is when the page is drawn."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from app_pages import hovers, rows, screen, shown, text, told
from live_recording import TRIMMED, recording

from historylab import Settings
from historylab.exporters.base import export
from historylab.planning.pipeline import Pipeline
from historylab.recordings.exchange import make_line
from historylab.settings.names import RECORD, TEMPLATE
from historylab.settings.resolve import settings_in_file
from historylab.stores.base import Record

pytestmark = pytest.mark.slow
PAGE = "pages/live.py"


@pytest.fixture
def proxy(tmp_path, monkeypatch):
    """A recording that the server was started with, and what writes it."""
    monkeypatch.setenv(RECORD, str(tmp_path / "calls"))
    with recording(tmp_path / "calls") as proxy:
        yield proxy


@pytest.fixture
def settings_file(tmp_path, monkeypatch) -> Path:
    """A settings file that the server was started with, read by someone at this machine."""
    monkeypatch.setattr("historylab.ui.session.settings_file.on_this_machine", lambda: True)
    file = tmp_path / "proxy.env"
    file.write_text(export(TRIMMED, "dotenv", only_changed=True))
    monkeypatch.setenv(TEMPLATE, str(file))
    return file


def live(**link: str):
    return shown(screen("app.py", **link).switch_page(PAGE).run())


def headline(app) -> str:
    (html,) = (e.proto.body for e in app.get("html") if "<h1" in e.proto.body)
    return re.sub("<[^>]+>", "", html.partition("</h1>")[0])


def listed(app) -> list[list[str]]:
    return rows(app, "live-conversations")


def pick(app, name: str):
    """A click on the conversation that this app has."""
    state = app.session_state["historylab"]
    state.live.picked = name
    return shown(app.run())


def conversation_of(proxy, app_name: str) -> str:
    """The conversation of that app, as the recording calls it."""
    lines = [record for record in proxy.store._store.read_records() if f'"app":"{app_name}"' in record.text]
    return lines[-1].conversation


# -- nothing to see


def test_without_a_recording_it_says_how_to_begin():
    app = screen(PAGE)
    assert headline(app) == "Watch your app as it talks to a model"
    commands = [code.value for code in app.code]
    assert [command.split()[0] for command in commands] == [
        "historylab",
        "historylab",
        "OPENAI_BASE_URL=http://127.0.0.1:8484/v1",
        "python",
    ]
    assert "--record" in commands[0]
    assert "--record" in commands[1]


def test_an_empty_recording_waits_and_says_how_to_start_a_proxy_and_which_addresses_to_use(proxy):
    app = screen(PAGE)
    assert headline(app) == "Waiting for the first request"
    assert "No proxy has written to it yet" in text(app)
    start, *addresses = [code.value for code in app.code]
    assert start == "historylab proxy --upstream https://api.openai.com/v1 --record PLACE"
    anywhere = "http://127.0.0.1:8484"
    names = (f"OPENAI_BASE_URL={anywhere}/v1", f"ANTHROPIC_BASE_URL={anywhere}", f"GOOGLE_GEMINI_BASE_URL={anywhere}")
    assert addresses == [*names]
    proxy.starts()
    app = shown(app.run())
    assert "in front of https://models.example trims: FIFO to 150" in text(app)
    assert [code.value for code in app.code] == addresses


def test_a_recording_that_cannot_be_read_says_why(tmp_path, monkeypatch):
    (tmp_path / "file.db").write_text("no database " * 1000)
    monkeypatch.setenv(RECORD, str(tmp_path / "file.db"))
    app = screen(PAGE)
    assert headline(app) == "The recording can’t be read"
    assert 'role="alert"' in " ".join(e.proto.body for e in app.get("html"))


def test_a_password_in_the_place_is_never_shown(monkeypatch):
    monkeypatch.setenv(RECORD, "postgresql://me:hush@127.0.0.1:1/none")
    app = screen(PAGE)
    assert headline(app) == "The recording can’t be read"
    assert "hush" not in text(app)


# -- as it happens


def test_the_newest_conversation_is_watched_until_one_is_picked(proxy):
    ferries, boats = proxy.app("ferry-bot"), proxy.app("boat-bot", model="gpt-5.5-mini")
    ferries.ask()
    app = live()
    assert headline(app) == "At turn 1, the model sees the one message so far."
    boats.ask()
    boats.ask()
    shown(app.run())
    assert [row[1] for row in listed(app)] == ["boat-bot · gpt-5.5-mini", "ferry-bot · gpt-5.5"]
    assert [row[2].partition(" · ")[0] for row in listed(app)] == ["2 requests", "1 request"]
    assert headline(app).startswith("At turn 2, ")
    pick(app, conversation_of(proxy, "ferry-bot"))
    assert headline(app).startswith("At turn 1, ")
    boats.ask()
    assert headline(shown(app.run())).startswith("At turn 1, ")
    ferries.ask()
    assert headline(shown(app.run())).startswith("At turn 2, ")
    shown(app.button(key="follow-newest").click().run())
    boats.ask()
    assert headline(shown(app.run())).startswith("At turn 4, ")


def test_the_picture_is_what_was_sent_under_the_settings_of_each_request(proxy):
    app = proxy.app()
    for _ in range(6):
        app.ask()
    page = live()
    assert "the model sees 5 of 11 messages" in headline(page)
    assert "of 150  tokens" in text(page)
    app.settings = Settings(policy="all", pruner="off")
    app.ask()
    shown(page.run())
    assert "the model sees all 13 messages" in headline(page)
    assert "The plan drawn is not the recorded decision" not in text(page)


def test_no_stage_is_asked_to_draw_what_has_its_reasons_on_record(proxy, monkeypatch):
    app = proxy.app()
    for _ in range(6):
        app.ask()
    start = screen("app.py")  # which plans the sample that the playground opens
    fold, asked = Pipeline._fold, []
    monkeypatch.setattr(Pipeline, "_fold", lambda self, *more: asked.extend(self.stages) or fold(self, *more))
    page = shown(start.switch_page(PAGE).run())
    assert "the model sees 5 of 11 messages" in headline(page)
    assert asked == []
    page.button(key="live-check").click()
    assert "Planned again, this version decides the same at all 6 requests." in text(shown(page.run()))
    assert asked


def test_a_check_holds_until_another_line_comes(proxy):
    app = proxy.app()
    app.ask()
    page = live()
    page.button(key="live-check").click()
    assert "Planned again, this version decides the same at 1 request." in text(shown(page.run()))
    app.ask()
    assert "Planned again" not in text(shown(page.run()))
    assert page.button(key="live-check").label == "Check against a new plan"


def test_what_was_only_watched_would_be_seen(proxy):
    proxy.starts(mode="audit")
    app = proxy.app(mode="audit")
    for _ in range(6):
        app.ask()
    page = live()
    assert "the model would see 5 of 11 messages" in headline(page)
    said = text(page)
    assert "Trimming would cost" in hovers(page)
    assert "6 of 6 requests were only watched (audit): they were sent whole" in said
    assert "only watches (audit) and would trim: FIFO to 150" in said


def test_cost_and_cache_stand_beside_those_of_not_trimming(proxy):
    app = proxy.app()
    for _ in range(6):
        app.ask()
    said = text(live())
    assert re.search(r"[\d.]+¢  \(?(as|[\d.]+¢) untrimmed", said)
    assert "Nothing was read from a cache, as reported and as predicted" in said


def test_what_went_wrong_is_named(proxy):
    app = proxy.app()
    app.ask()
    app.ask(untrimmed="the plan failed: <b>oh</b>")
    app.ask(status=429, response={}, error="rate limited")
    said = text(live())
    assert "1 of 3 requests failed: at" in said
    assert "(rate limited)" in said
    assert "1 of 3 requests went through untrimmed: at" in said
    assert "<b>oh</b>" not in " ".join(e.proto.body for e in live().get("html"))


def test_a_line_from_elsewhere_breaks_nothing(proxy):
    proxy.app().ask()
    line = make_line(
        "request", version=1, id="r-9", conversation="lost", after="r-gone", same=4, request={"messages": []}
    )
    proxy.store._store.append_records([Record("lost", time.time(), line), Record("lost", time.time(), "{")])
    app = live()
    assert len(listed(app)) == 2
    assert "This conversation can" in text(app)
    assert "be read: " in text(app)


@pytest.mark.parametrize(
    "hostile", ["<script>window.harmed = 1</script>", "![x](https://example.invalid/x.png)", "a\u202eb"]
)
def test_names_of_apps_and_models_are_only_text(proxy, hostile):
    proxy.app(hostile, model=hostile).ask(hostile)
    app = live()
    html = " ".join(e.proto.body for e in app.get("html"))
    assert "<script>" not in html
    assert "\u202e" not in html + str(listed(app))


# -- to the playground and back


def test_a_conversation_opens_in_the_playground_at_the_request_that_was_looked_at(proxy):
    app = proxy.app()
    for _ in range(4):
        app.ask()
    page = live()
    page.session_state["historylab"].live.request = 1
    shown(page.run())
    shown(page.button(key="live-open").click().run())
    assert "Turn 2: " in text(page)
    assert "Ferry 1 to the island" in text(page)
    assert "c-" not in str(page.query_params)


def test_it_can_be_looked_at_under_the_settings_it_was_sent_with(proxy):
    app = proxy.app()
    for _ in range(6):
        app.ask()
    page = live()
    shown(page.button(key="live-open").click().run())
    assert page.selectbox(key="system").value == "as-sent"
    assert "As HistoryLab sent it: 5 of 11 messages" in told(page, "System")
    assert "Sent under FIFO to 150 over all messages" in text(page)
    shown(page.button(key="use-sent-under").click().run())
    assert "5 of 11 messages" in headline(page)
    assert "use-sent-under" not in [button.key for button in page.button]


def test_what_was_only_watched_was_not_sent_under_its_settings(proxy):
    proxy.app(mode="audit").ask()
    page = live()
    shown(page.button(key="live-open").click().run())
    assert "Only watched (audit) under FIFO to 150 over all messages" in text(page)
    assert page.selectbox(key="system").value == ""


# -- settings from now on


def test_the_settings_of_the_playground_become_the_proxys(proxy, settings_file):
    proxy.starts(file=settings_file)
    proxy.app().ask()
    page = live()
    assert "Inspect has the same" in text(page)
    page.session_state["historylab"].you["budget"] = 900
    shown(page.run())
    assert "Inspect has FIFO to 900" in text(page)
    shown(page.button(key="settings-from-now-on").click().run())
    assert settings_in_file(settings_file) == TRIMMED.replace(budget=900)
    assert "Written into proxy.env: the proxy uses them from its next request" in text(page)
    assert "The proxy uses that from its next request" in text(shown(page.run()))
    proxy.starts(TRIMMED.replace(budget=900), file=settings_file)
    assert "These are the settings of proxy.env" in text(shown(page.run()))


def test_the_playground_offers_the_same(proxy, settings_file):
    proxy.starts(file=settings_file)
    page = screen("app.py")
    assert "settings-from-now-on" not in [button.key for button in page.button]
    page.session_state["historylab"].you["budget"] = 900
    shown(page.run())
    shown(page.button(key="settings-from-now-on").click().run())
    assert settings_in_file(settings_file).budget == 900
    assert "Written into proxy.env" in text(page)


def test_what_the_environment_sets_is_said(proxy, settings_file, monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "700")
    proxy.starts(file=settings_file)
    proxy.app().ask()
    page = live()
    assert "Budget: set in this page’s environment" in text(page)
    shown(page.button(key="settings-from-now-on").click().run())
    assert settings_in_file(settings_file).budget == 700


def test_a_file_that_cannot_be_written_says_so(proxy, settings_file, monkeypatch):
    proxy.starts(file=settings_file)
    proxy.app().ask()
    page = live()
    page.session_state["historylab"].you["budget"] = 900
    shown(page.run())

    def refuse(*_):
        raise OSError(13, "Permission denied")

    monkeypatch.setattr("os.replace", refuse)
    shown(page.button(key="settings-from-now-on").click().run())
    assert "The settings were not written: proxy.env cannot be written: Permission denied" in text(page)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("no proxy", "No proxy has written to this recording yet"),
        ("no file", "The proxy was started without a settings file"),
        ("another file", "This page was started with another settings file"),
        ("elsewhere", "Only a reader at the machine"),
        ("unreadable", "can’t be read at the moment"),
    ],
)
def test_where_it_cannot_be_the_proxys_it_says_why_and_offers_no_button(proxy, settings_file, monkeypatch, how, said):
    if how != "no proxy":
        file = {"no file": None, "another file": settings_file.with_name("other.env")}.get(how, settings_file)
        proxy.starts(file=file)
    proxy.app().ask()
    if how == "elsewhere":
        monkeypatch.setattr("historylab.ui.session.settings_file.on_this_machine", lambda: False)
    if how == "unreadable":
        settings_file.write_text("HISTORYLAB_BUDGET=none")
    page = live()
    assert said in text(page)
    assert "settings-from-now-on" not in [button.key for button in page.button]
