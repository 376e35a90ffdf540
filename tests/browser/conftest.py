"""A real Chromium on a real server. Without a browser these tests are skipped, but never on CI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from browser_pages import SECONDS
from server_process import playground

FLAGS = (
    "--headless",
    "--no-sandbox",  # as root, in containers and on CI, Chromium has no sandbox
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",  # with the next two: Chromium itself asks nobody anything
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Seen:
    """What a page did that nobody looks at: requests to elsewhere, and what its console complained about."""

    external: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def violations(self) -> list[str]:
        return [text for text in self.errors if "Content Security Policy" in text]

    def watch(self, page, home: str) -> dict[str, Callable]:
        """Returns what listens to which event."""
        listening = {
            "request": lambda request: self._request(request.url, urlsplit(home).netloc),
            "pageerror": lambda error: self.errors.append(str(error)),
            "console": lambda said: self._console(said.type, said.text),
        }
        for event, listener in listening.items():
            page.on(event, listener)
        return listening

    def _request(self, url: str, home: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != home:
            self.external.append(url)

    def _console(self, kind: str, text: str) -> None:
        # On a page below the root Streamlit asks for its health there first and takes the 404 as an answer.
        if kind == "error" and "404" not in text:
            self.errors.append(text)


def pytest_collection_modifyitems(items) -> None:
    """One process does them all, in one browser: two would only wait for each other."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path:
        return path
    reason = "no Chromium: set CHROMIUM, or install Debian's chromium package"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser(chromium_path) -> Iterator:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def home(chromium_path) -> Iterator[str]:
    """The address of a server with no settings in its environment; see `playground()` for one with some."""
    with playground() as url:
        yield url


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture(scope="session")
def tab(browser) -> Iterator:
    """One tab for all tests: Streamlit's scripts are fetched and compiled once, and a new tab costs seconds."""
    context = browser.new_context(accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(tab, home, seen) -> Iterator:
    """The tab as if it were new, whose requests and complaints go to `seen`. Not opened yet."""
    tab.context.clear_cookies()
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.emulate_media(color_scheme="no-override")
    tab.set_default_timeout(SECONDS * 1000)
    listening = seen.watch(tab, home)
    yield tab
    for event, listener in listening.items():
        tab.remove_listener(event, listener)
    tab.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
    tab.goto("about:blank")
