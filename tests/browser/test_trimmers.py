"""A trimmer of one's own in a browser, as the command line named it: it takes its time, and is asked once."""

from __future__ import annotations

import os

import pytest
from server_process import playground

pytestmark = pytest.mark.browser

SLOW = """
import pathlib, time

HERE = pathlib.Path(__file__).parent


def keep_four(messages):
    with (HERE / "asked").open("a") as file:
        file.write("once ")
    while not (HERE / "go").exists():
        time.sleep(0.01)
    return messages[-4:]
"""
REQUESTS = 5  # that the conversation makes


@pytest.fixture
def slow(tmp_path):
    """The address of a server with a trimmer that gives no answer before a file called "go" is there."""
    (tmp_path / "slow_app.py").write_text(SLOW)
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    with playground("--trimmer", "slow_app:keep_four", "--trimmer-seconds", "60", env={"PYTHONPATH": path}) as url:
        yield f"{url}/?conv=gen:support_desk:turns=4,seed=1"


def test_a_trimmer_is_asked_once_although_a_click_interrupts_the_waiting(page, slow, tmp_path):
    page.goto(slow)
    page.get_by_text("Asking slow_app:keep_four").wait_for()
    page.get_by_role("link", name="Compare").click()
    (tmp_path / "go").touch()
    page.locator(".hl-lane", has_text="keep_four").first.wait_for()
    page.get_by_text("tokens, this request").first.wait_for()
    assert (tmp_path / "asked").read_text().split() == ["once"] * REQUESTS


def test_waiting_is_stopped_and_the_settings_are_shown_instead(page, slow, tmp_path):
    page.goto(slow)
    page.locator(".st-key-stop-trimmer button").click()  # not Streamlit's own, which is there before any page
    page.locator(".hl-count", has_text="messages sent").wait_for()
    assert page.get_by_role("combobox", name="System").input_value() == "Your own settings"
    (tmp_path / "go").touch()
