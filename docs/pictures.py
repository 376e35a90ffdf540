"""Take the screenshots of the documentation from the running app.

pip install -e ".[test]" && python docs/pictures.py          # needs Chromium; writes docs/img/*.png
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from browser_pages import settled  # noqa: E402
from live_recording import recording  # noqa: E402
from server_process import playground  # noqa: E402 (the tests' own server)

from historylab.exporters.base import export  # noqa: E402
from historylab.formats.convert import write  # noqa: E402
from historylab.formats.samples import load_sample  # noqa: E402
from historylab.settings.model import Settings  # noqa: E402
from historylab.wording.chat import EXAMPLES  # noqa: E402

IMAGES = ROOT / "docs" / "img"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
BIRTHDAY = "conv=sample:birthday-by-the-sea"
PLAYED = "() => globalThis.historylabClock?.now.request > 55"


def choose(page: Page) -> None:
    """Choose a message on the map that was lost, for the answer beside it."""
    page.get_by_role("slider", name="Selected request").first.click(position={"x": 520, "y": 60})
    page.mouse.move(5, 5)


def play(page: Page) -> None:
    """The maps as they play, well on their way."""
    page.wait_for_function(PLAYED)


def disagree(page: Page) -> None:
    """Sources that disagree, and who wins."""
    page.get_by_text("Three sources disagree").first.click()


def talk(page: Page) -> None:
    """A chat that calls tools until the settings summarise the beginning."""
    for number, words in enumerate(EXAMPLES, 1):
        field = page.get_by_placeholder("Write to the model")
        field.fill(words)
        field.press("Enter")
        page.wait_for_function(
            "n => document.querySelectorAll('.hl-chat-user').length === n && !document.querySelector('.hl-chat-doing')",
            arg=number,
        )
        page.wait_for_timeout(1500)


def nothing(page: Page) -> None:
    """The page as it opens."""


PICTURES = (  # file, address, colour scheme, width, maximum height, what is done first
    ("as-sent-light", "?conv=sample:held-for-the-auditors&request=14&stars=1", "light", 1440, 900, nothing),
    ("as-sent-dark", "?conv=sample:held-for-the-auditors&request=14&stars=1", "dark", 1440, 900, nothing),
    ("answer-light", f"?{BIRTHDAY}", "light", 1440, 900, choose),
    ("presenter-light", "?present=true", "light", 1280, 720, nothing),
    ("compare-light", f"compare?v=1&{BIRTHDAY}&cmp=historyLength:5&play=true", "light", 1440, 1000, play),
    ("tune-light", "tune", "light", 1280, 1000, nothing),
    ("chat-light", "talk?historyPolicy=all&pruner=summarize&budget=190", "light", 1440, 1000, talk),
    ("settings-light", "settings", "light", 1440, 1000, disagree),
)


WATCHED = (  # the same, where apps are recorded
    ("live-light", "live?budget=2500", "light", 1440, 1000, nothing),
    ("conversations-light", "conversations", "light", 1440, 900, nothing),
)
TRIMMED = Settings(policy="all", pruner="summarize", budget=1000)


def record(place: Path) -> None:
    """Apps as a proxy that trims records them, in that folder: samples, request by request."""
    file = place / "history.env"
    file.write_text(export(TRIMMED, "dotenv"), encoding="utf-8")
    with recording(place) as proxy:
        proxy.starts(TRIMMED, file=file)
        apps = (("garden-room", "garden-bot"), ("bike-rental-support", "bike-desk"), ("farewell-lunch", "lunch-bot"))
        for sample, name in apps:
            app = proxy.app(name, TRIMMED)
            messages = json.loads(write(load_sample(sample)[0], "chat_completions").text)["messages"]
            for before, message in pairwise([{}, *messages]):
                if message["role"] == "assistant" and before.get("role") != "assistant":
                    app.request(message)  # which keeps the answer
                else:
                    app.messages.append(message)


def take(page: Page, name: str, max_height: int, act: Callable[[Page], None]) -> None:
    """Save one screenshot of the whole page, at most `max_height` pixels high, after doing that."""
    page.get_by_role("heading", level=1).first.wait_for(timeout=120_000)
    if act is not play:
        page.wait_for_timeout(6000)  # charts draw after the text
        settled(page)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": min(int(height) + 40, max_height)})
    act(page)
    page.wait_for_timeout(2500 * (act is not play))
    page.screenshot(path=IMAGES / f"{name}.png", timeout=120_000)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    wanted = set(sys.argv[1:])
    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with playground() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        for name, *how in PICTURES:
            if not wanted or name in wanted:
                picture(browser, home, name, *how)
        if watched := [how for how in WATCHED if not wanted or how[0] in wanted]:
            with TemporaryDirectory() as place:
                record(Path(place))
                with playground("--record", place, "--template", f"{place}/history.env") as watching:
                    for how in watched:
                        picture(browser, watching, *how)
        browser.close()


def picture(
    browser: Browser,
    home: str,
    name: str,
    address: str,
    scheme: str,
    width: int,
    max_height: int,
    act: Callable[[Page], None],
) -> None:
    """Open the page in a tab of its own and take its picture."""
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(f"{home.rstrip('/')}/{address}")
    take(page, name, max_height, act)
    page.close()


if __name__ == "__main__":
    main()
