"""Opening files in a real browser: unknown JSON by the list it holds, the next file, sessions of this machine."""

from __future__ import annotations

import json

import pytest
from axe_checks import violations
from browser_pages import headline, settled, upload
from server_process import playground

pytestmark = pytest.mark.browser

TURNS = [
    {"role": role, "content": f"{role} {turn} " + "and so on " * 20}
    for turn in range(9)
    for role in ("user", "assistant")
]
FOREIGN = {"log": {"history": [{"by": turn["role"], "words": turn["content"]} for turn in TURNS]}}


def test_unknown_json_is_read_as_offered_and_then_the_next_file(page, home, seen):
    page.goto(home)
    headline(page, "messages sent")
    upload(page, "foreign.json", json.dumps(FOREIGN).encode())
    offered = page.get_by_role("button", name="Read log.history (18 items: by, words)")
    offered.wait_for()
    settled(page)
    assert violations(page) == []
    offered.click()
    headline(page, "17 of 17 messages sent")
    page.get_by_role("button", name="About this file").click()
    page.get_by_text("Read by your shape: 18 messages").wait_for()
    page.keyboard.press("Escape")
    upload(page, "next.json", json.dumps(TURNS[:4]).encode())
    headline(page, "3 of 3 messages sent")
    assert seen.errors == []
    assert seen.external == []


def test_a_shape_is_saved_as_it_is_written_to_the_last_keystroke(page, home):
    page.goto(home)
    headline(page, "messages sent")
    upload(page, "foreign.json", json.dumps(FOREIGN).encode())
    page.get_by_text("Say yourself where the messages are").click()
    field = page.get_by_role("textbox", name="The shape of the file, as JSON")
    field.fill('{"role": "by", "text": "words"}')
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this shape").click()
    assert json.loads(saved.value.path().read_text()) == {"role": "by", "text": "words"}
    assert saved.value.suggested_filename == "shape.json"
    more = []
    page.on("download", lambda download: more.append(download.suggested_filename))
    field.fill("no JSON")
    page.get_by_role("button", name="Save this shape").click()
    page.get_by_text("it is no JSON").wait_for()
    assert more == []


def test_a_sample_brings_its_settings_and_the_drawer_closes(page, home):
    page.goto(home)
    page.locator("h1").first.wait_for()
    settled(page)
    page.locator(".st-key-open-drawer button:visible").first.click()
    page.get_by_role("radio", name="Sample").click()
    page.get_by_role("button", name="A squealing brake").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_url("**historyLength=2**")
    page.get_by_text("A squealing brake").first.wait_for()


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A server on a machine with two sessions of coding agents."""
    home = tmp_path_factory.mktemp("home")
    for name, question in (("1", "Mend the lamp"), ("2", "# Count <b>gulls</b> " + "at the harbour " * 9)):
        path = home / ".claude" / "projects" / "-home-ines-lamps" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        asked = {"uuid": "1", "parentUuid": None, "sessionId": name, "cwd": "/home/ines/lamps"}
        path.write_text(json.dumps({"type": "user", **asked, "message": {"role": "user", "content": question}}))
    with playground(env={"HOME": str(home)}) as address:
        yield address


def test_sessions_of_this_machine_are_searched_and_opened_by_keys_on_a_phone(page, machine):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{machine}/conversations")
    page.get_by_role("button", name="Find sessions of coding agents").click()
    table = page.get_by_role("table", name="Sessions of this machine")
    table.get_by_role("button", name="# Count <b>gulls</b>").wait_for()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert table.locator("td.date").first.evaluate("(date) => getComputedStyle(date).whiteSpace") == "nowrap"
    assert violations(page) == []
    page.get_by_role("searchbox", name="Search sessions").fill("LAMP mend")
    page.keyboard.press("Enter")
    table.get_by_role("button", name="# Count").wait_for(state="detached")
    table.get_by_role("button", name="Mend the lamp").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Mend the lamp").first.wait_for()
    page.wait_for_url(lambda url: "conversations" not in url)
