"""A real Chromium on a real server. Without a browser these tests are skipped, but never on CI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playground import playground

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

    def watch(self, page, home: str) -> None:
        page.on("request", lambda request: self._request(request.url, urlsplit(home).netloc))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self._console(said.type, said.text))

    def _request(self, url: str, home: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != home:
            self.external.append(url)

    def _console(self, kind: str, text: str) -> None:
        # On a page below the root Streamlit asks for its health there first and takes the 404 as an answer.
        if kind == "error" and "404" not in text:
            self.errors.append(text)


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
def profile(browser) -> Iterator:
    """One browser profile for all tests: Streamlit's scripts are fetched and compiled once, as for a person."""
    context = browser.new_context(accept_downloads=True, viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(profile, home, seen) -> Iterator:
    """A new tab without cookies whose requests and complaints go to `seen`. Not opened yet."""
    profile.clear_cookies()
    page = profile.new_page()
    page.set_default_timeout(20_000)
    seen.watch(page, home)
    yield page
    page.close()
