"""Live in a real browser: a column a request while an app asks, a pick that stays, the way to the playground."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_checks import in_light_and_dark
from browser_pages import SECONDS, headline, settled
from chat_server import ChatServer, says
from live_recording import TRIMMED, recording
from proxy_server import serving
from server_process import playground

from historylab.exporters.base import export
from historylab.proxy.open import open_proxy

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("live")


@pytest.fixture(scope="module")
def home(chromium_path, place):
    """A server that watches a recording, started with a settings file."""
    (place / "proxy.env").write_text(export(TRIMMED, "dotenv", only_changed=True))
    with playground("--record", str(place), "--template", str(place / "proxy.env")) as url:
        yield url


@pytest.fixture
def proxy(place):
    """A proxy that records into that recording, in which nothing is left of the tests before."""
    with recording(place) as proxy:
        empty(proxy.store._store)
        yield proxy


def empty(store) -> None:
    """Leave nothing, also not by what an app's next words would be known."""
    store.delete_conversations([one.conversation for one in store.recorded_conversations()])
    store.delete_state(0)


def columns(page, count: int) -> None:
    """Wait until the map has that many requests."""
    page.locator(f'[role=slider][aria-valuemax="{count}"]').first.wait_for()


def watched(page, home):
    page.set_default_timeout(SECONDS * 1000)
    page.goto(f"{home}/live")
    return page


def test_an_empty_recording_turns_into_the_picture_of_the_first_request_and_grows_by_a_column_a_request(
    page, home, proxy, seen
):
    watched(page, home)
    headline(page, "Waiting for the first request")
    app = proxy.app()
    for number in range(1, 5):
        app.ask()
        columns(page, number)
        headline(page, f"At turn {number}, the model sees")
    assert seen.errors == []
    assert seen.external == []


def test_nothing_is_drawn_while_nothing_comes(page, home, proxy):
    proxy.app().ask()
    watched(page, home)
    headline(page, "At turn 1")
    page.evaluate(
        """() => { window.changes = 0; new MutationObserver((all) => window.changes += all.length)
        .observe(document.querySelector(".st-key-live"), { subtree: true, childList: true, characterData: true }) }"""
    )
    while changes_at_a_look(page):
        pass  # what came is still drawn; a page that never comes to rest is ended by the test's time
    proxy.app().ask()
    page.wait_for_function("() => window.changes > 0")


def changes_at_a_look(page) -> int:
    """What changed on the page from now until it has looked at the recording once more."""
    before = page.evaluate("window.changes")
    page.wait_for_function("() => document.querySelector('[data-testid=stApp][data-test-script-state=running]')")
    settled(page)
    return page.evaluate("window.changes") - before


def test_a_conversation_that_was_picked_stays_until_the_newest_is_followed_again(page, home, proxy):
    ferries, boats = proxy.app("ferry-bot"), proxy.app("boat-bot")
    ferries.ask("Which ferry is the last one?")
    boats.ask("Is there a boat?")
    watched(page, home)
    page.locator(".st-key-live-bar", has_text="boat-bot").wait_for()
    page.get_by_role("button", name=re.compile("Which ferry is the last one")).click()
    page.locator(".st-key-live-bar", has_text="ferry-bot").wait_for()
    boats.ask()
    page.get_by_role("row", name=re.compile("boat-bot .* 2 requests")).wait_for()
    ferries.ask()
    columns(page, 2)
    headline(page, "At turn 2")
    page.get_by_role("button", name="Follow the newest").click()
    boats.ask()
    columns(page, 3)
    page.locator(".st-key-live-bar", has_text="boat-bot").wait_for()


def test_what_was_only_watched_is_said_to_be_what_would_be_sent_wherever_one_looks(page, home, proxy):
    app = proxy.app("watched-bot", mode="audit")
    for _ in range(6):
        app.ask()
    app.mode = "trim"
    app.ask()
    watched(page, home)
    columns(page, 7)
    headline(page, "At turn 7, the model sees 5 of 13 messages")
    settled(page)  # a key is lost on a map that is still being drawn
    page.locator("canvas.marks").first.press("ArrowLeft")
    headline(page, "At turn 6, the model would see 5 of 11 messages")
    page.locator('[role=slider][aria-valuetext*="5 of 11 messages would be sent"]').first.wait_for()
    back = page.get_by_role("button", name="Show the newest request")
    back.wait_for()  # the map moves at once; only with this does the server know which request is looked at
    proxy.app("other-bot").ask()
    page.get_by_role("row", name=re.compile("other-bot")).wait_for()
    headline(page, "At turn 6, the model would see 5 of 11 messages")  # who looks at a request stays with it
    back.click()
    headline(page, "At turn 7, the model sees 5 of 13 messages")
    page.get_by_role("button", name="Follow the newest").click()
    headline(page, "At turn 1")


def test_a_click_on_a_message_of_the_map_leads_to_its_answer_in_the_playground(page, home, proxy, seen):
    app = proxy.app("answered-bot")
    for _ in range(6):
        app.ask()
    watched(page, home)
    columns(page, 6)
    settled(page)
    marks = page.locator(".st-key-live-map canvas.marks, canvas.marks").first
    marks.scroll_into_view_if_needed()
    box = marks.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 30, box["y"] + 40)  # a canvas that is drawn anew is never still
    page.locator(".st-key-answer").get_by_text(re.compile("^Message [1-9]:")).wait_for()
    headline(page, "Turn 6: 5 of 11 messages sent")
    watch_from_drawer(page)
    columns(page, 6)
    assert seen.errors == []


def test_axe_finds_nothing_serious_in_the_picture_on_a_wide_and_on_a_narrow_screen(page, home, proxy, place):
    proxy.starts(TRIMMED, file=place / "other.env")
    app = proxy.app("faulty-bot")
    for _ in range(5):
        app.ask()
    app.ask(status=429, response={}, error="rate limited")
    page.emulate_media(color_scheme="light")
    watched(page, home)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        columns(page, 6)
        page.get_by_text("1 of 6 requests failed").wait_for()
        assert in_light_and_dark(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_app_behind_a_real_proxy_is_drawn_as_it_asks_and_trimmed_as_the_page_says(page, home, proxy, place):
    openai = pytest.importorskip("openai")
    file = place / "proxy.env"
    file.write_text(export(TRIMMED, "dotenv", only_changed=True))
    with (
        ChatServer(says("Ferry 7 leaves at 7:30.")) as upstream,
        serving(open_proxy(upstream.url, settings=str(file), record=str(place))) as running,
        openai.OpenAI(base_url=f"{running.url}/v1", api_key="sk-hush") as client,
    ):
        said: list[dict[str, str]] = []

        def ask() -> None:
            question = f"When does ferry {len(said)} to the island leave today, and from which pier, please?"
            said.append({"role": "user", "content": question})
            answer = client.chat.completions.create(model="gpt-5.5", messages=said)
            said.append({"role": "assistant", "content": answer.choices[0].message.content})

        watched(page, home)
        for _ in range(5):
            ask()
        columns(page, 5)
        ask()
        sent = len(upstream.requests[-1]["messages"])
        assert sent < 11
        headline(page, f"At turn 6, the model sees {sent} of 11 messages")
        page.goto(f"{home}/?conv=sample:birthday-by-the-sea&budget=9000")
        watch_from_drawer(page)
        page.get_by_role("button", name="Use these settings from now on").click()
        page.get_by_text("The proxy uses that from its next request").wait_for()
        ask()
        headline(page, "At turn 7, the model sees all 13 messages")
        assert len(upstream.requests[-1]["messages"]) == 13
        page.get_by_text("These are the settings of proxy.env").wait_for()
        assert "hush" not in page.content()


def watch_from_drawer(page) -> None:
    settled(page)
    page.locator(".st-key-open-drawer button:visible").click()
    page.get_by_role("link", name="Watch a live app").click()
