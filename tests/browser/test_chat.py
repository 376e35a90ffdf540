"""The page Chat in a real browser: a tool call, a compaction, Stop, and an error with its mend."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from axe_checks import in_light_and_dark
from browser_pages import HOSTILE, headline, settled
from chat_server import ChatServer, says, status
from server_process import playground

pytestmark = pytest.mark.browser

SECRET = "sk-of-the-environment-1234"


def say(page, words: str) -> None:
    field = page.get_by_placeholder("Write to the model")
    field.fill(words)
    field.press("Enter")


def saw(page):
    """The lines about what each answer saw."""
    return page.locator("[class*=st-key-saw-] button:visible")


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(says("Good evening.")) as found:
        yield found


@pytest.fixture(scope="module")
def chats(server) -> Iterator[str]:
    """The address of a playground whose environment names that server."""
    with playground(env={"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": SECRET}) as url:
        yield url


@pytest.fixture
def chat(page, chats):
    """The page with the server's model agreed to, under settings that send everything."""

    def open_chat(link: str = "historyPolicy=all&pruner=off"):
        page.goto(f"{chats}/talk?{link}")
        page.get_by_text("A model on a server").click()
        page.get_by_text("Send this chat to").click()
        settled(page)
        return page

    return open_chat


def test_a_chat_calls_a_tool_compacts_and_leads_to_what_each_answer_saw(page, home, seen):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{home}/talk?historyPolicy=all&pruner=summarize&budget=400")
    page.get_by_role("button", name="When does a ferry go to Dursey on Friday?").click()
    page.get_by_text("To Dursey on Friday: 08:10, 12:40, 16:20. An adult pays €14.").wait_for()
    for number in range(4):
        say(page, f"My box {number} is {'brown paper and string ' * 12}")
        saw(page).nth(number + 2).wait_for()
    page.get_by_role("note").filter(has_text="Compacted by extractive: ").first.wait_for()
    saw(page).nth(1).click()
    headline(page, "At turn 1, request 2 of 2, the model sees all 3 messages")
    settled(page)
    say(page, HOSTILE[1])
    page.get_by_text(HOSTILE[1]).first.wait_for()
    page.get_by_role("button", name="Inspect", exact=True).click()
    page.wait_for_url(lambda url: "/talk" not in url)
    headline(page, "messages sent")
    assert page.evaluate("window.harmed") is None
    assert seen.external == []
    assert seen.errors == []


def test_the_field_has_the_focus_again_after_an_answer(page, home):
    page.goto(f"{home}/talk?conv=sample:birthday-by-the-sea")
    say(page, "hello")
    saw(page).first.wait_for()
    settled(page)
    page.keyboard.type("and again")
    page.keyboard.press("Enter")
    saw(page).nth(1).wait_for()


def test_stop_ends_the_request_and_keeps_what_came(chat, server):
    gone = threading.Event()

    def waits(handler):
        handler.start_events()
        handler.event({"choices": [{"index": 0, "delta": {"content": "Half an answer"}, "finish_reason": None}]})
        handler.connection.settimeout(60)
        if not handler.connection.recv(1):
            gone.set()

    server.behaviours = [waits]
    page = chat()
    say(page, "hello")
    page.get_by_text("Half an answer").wait_for()
    page.locator(".st-key-stop-answer button").click()
    page.get_by_text("Stopped here.").wait_for()
    assert gone.wait(60)
    server.behaviours = [says("It goes on.")]
    settled(page)
    say(page, "go on")
    page.get_by_text("It goes on.").wait_for()
    assert SECRET not in page.content()


def test_a_request_that_is_too_long_is_mended_by_a_click(chat, server):
    server.behaviours = [says("Yes. " * 300)]
    page = chat()
    for number in range(2):
        say(page, f"hello {number}")
        saw(page).nth(number).wait_for()
        settled(page)
    server.behaviours = [status(400, "prompt is too long: 700 tokens > 500 maximum")]
    say(page, "and now?")
    page.get_by_role("alert").filter(has_text="longer than the model takes: 700 of 500 tokens").wait_for()
    server.behaviours = [says("That fits.")]
    page.get_by_role("button", name="Use these settings and ask again").click()
    page.get_by_text("That fits.").wait_for()
    page.get_by_role("button", name="dropped").last.wait_for()


def test_axe_finds_nothing_serious_in_a_chat(page, home):
    page.emulate_media(color_scheme="light")
    page.goto(f"{home}/talk?conv=sample:birthday-by-the-sea")
    page.get_by_role("button", name="When does a ferry go to Dursey on Friday?").click()
    saw(page).nth(1).wait_for()
    page.get_by_text("Tools and system prompt").click()
    page.get_by_text("A model on a server").click()
    page.get_by_role("textbox", name="Base URL").wait_for()
    assert in_light_and_dark(page) == []


def test_a_narrow_screen_has_the_chat_above_what_it_saw(page, home):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{home}/talk?conv=sample:birthday-by-the-sea")
    page.get_by_role("button", name="When does a ferry go to Dursey on Friday?").click()
    saw(page).nth(1).wait_for()
    settled(page)
    field, verdict = (page.locator(found).bounding_box() for found in (".stChatInput", "h1.hl-verdict"))
    assert field["y"] + field["height"] < verdict["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
