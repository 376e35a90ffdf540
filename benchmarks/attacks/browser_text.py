"""Hostile text in every page, drawer and state of the playground, in a real browser: is any of it more than text?

    pip install -e ".[test]" && python benchmarks/attacks/browser_text.py

A file whose title, names, roles, texts, calls and ids are hostile is uploaded, and links are followed whose every
parameter is; Live watches a recording of an app, a model and texts that are, and Chat has answers that are. In each
state the page is searched for scripts that ran, requests to elsewhere, links and pictures made of the text, formulas,
and characters that reorder what is on screen. Prints the number of states and of findings.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode, urlsplit

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import hostile  # noqa: E402
from browser_pages import select_row, settled, upload  # noqa: E402
from chat_server import ChatServer, says  # noqa: E402
from live_recording import recording  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from server_process import playground  # noqa: E402

ANSWERS = (
    hostile.TEXT,
    hostile.LONG,
    f"# {hostile.TEXT}\n\n```html\n{hostile.TAG}\n```\n| {hostile.TEXT} | b |\n|-|-|",
)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
FOUND = """() => {
  const found = [];
  if (window.harmed !== undefined) found.push("a script ran");
  const links = [...document.links].filter((link) => link.host !== location.host);
  const loads = (image) => !/^(data|blob):/.test(image.src) && new URL(image.src, location).host !== location.host;
  const pictures = [...document.images].filter(loads);
  for (const made of [...links, ...pictures, ...document.querySelectorAll("img[src=x], [onerror], [onclick]")])
    found.push("an element: " + made.outerHTML.slice(0, 80));
  if (document.querySelector(".katex")) found.push("a formula");
  const shown = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (shown.nextNode()) {
    const text = shown.currentNode;
    if (/[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(text.data) && !text.parentElement.closest("textarea"))
      found.push("hidden characters in: " + text.data.slice(0, 60));
  }
  return [...new Set(found)];
}"""


class Attack:
    """One tab, what its states were searched for, and what was found."""

    def __init__(self, page: Page, home: str):
        self.page, self.home, self.states = page, home, Counter[str]()
        self.findings: list[str] = []
        page.on("request", lambda request: self._request(request.url))
        page.on("dialog", lambda dialog: (self.findings.append(f"a dialog: {dialog.message}"), dialog.dismiss()))

    def _request(self, url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != urlsplit(self.home).netloc:
            self.findings.append(f"a request: {url}")

    def state(self, kind: str) -> None:
        """Search the page as it is now."""
        settled(self.page)
        self.states[kind] += 1
        self.findings += [f"{kind}: {found}" for found in self.page.evaluate(FOUND)]

    def links(self) -> None:
        """Every page by a link of hostile parameters: all of them at once, and each alone."""
        for path in ("", "compare", "tune", "corpus", "settings"):
            for parameters in (hostile.PARAMETERS, *({name: text} for name, text in hostile.PARAMETERS.items())):
                self.page.goto(f"{self.home}/{path}?{urlencode(parameters)}")
                self.page.locator("h1").first.wait_for()
                self.state(f"link to {path or 'playground'}")

    def file(self) -> None:
        """The hostile file on every page, with everything opened that opens."""
        page = self.page
        page.goto(f"{self.home}/?" + urlencode({**hostile.PARAMETERS, "debug": "false", "conv": ""}))
        page.locator("h1").first.wait_for()
        upload(page, f"{hostile.TAG}.json", hostile.conversation())
        page.locator('.hl-conversation[title^="26 messages"]').wait_for()
        page.keyboard.press("Escape")
        for kind in (*self.playground(), *self.drawers()):
            self.state(kind)
        for title in ("Compare", "Improve", "Conversations"):
            page.get_by_role("link", name=title, exact=True).click()
            page.locator("h1").first.wait_for()
            self.state(f"file on {title}")
            for kind in self.hovered():
                self.state(f"{kind} on {title}")

    def live(self, place: Path) -> None:
        """What an app and its model said, on Live as it comes: a request at a time, each message looked at."""
        with recording(place) as proxy:
            proxy.starts()
            app = proxy.app(hostile.SHORT, model=hostile.TEXT)
            for k, text in enumerate((hostile.TEXT, hostile.LONG, hostile.TAG * 99, f"{hostile.TEXT}\n" * 999), 1):
                app.messages.append({"role": "user", "name": hostile.SHORT, "content": text})
                app.request({"role": "assistant", "content": text})
                self.page.goto(f"{self.home}/live")
                self.page.locator(f'[role=slider][aria-valuemax="{k}"]').first.wait_for()
                self.state("Live")
                for _ in self.hovered():
                    self.state("hover on Live")
        self.page.goto(f"{self.home}/conversations")
        self.page.locator("h1").first.wait_for()
        self.state("Conversations")

    def talk(self) -> None:
        """Answers, errors and tools of a model on a server, on Chat."""
        page = self.page
        page.goto(f"{self.home}/talk?historyPolicy=all&pruner=off")
        page.get_by_text("A model on a server").click()
        page.get_by_text("Send this chat to").click()
        settled(page)
        for k in range(len(ANSWERS)):
            field = page.get_by_placeholder("Write to the model")
            field.fill(hostile.TEXT)
            field.press("Enter")
            page.locator("[class*=st-key-saw-] button:visible, .hl-failure, [role=alert]").nth(k).wait_for()
            self.state("Chat")

    def playground(self) -> Iterator[str]:
        page = self.page
        yield "file on the playground"
        for row in range(1, 6):
            select_row(page, row)
            page.get_by_text(f"Message {row}:").wait_for()
            yield "message"
            for name in ("Edit…", "Add…"):
                page.get_by_role("button", name="Edit", exact=True).click()
                page.get_by_role("button", name=name).click()
                page.get_by_role("dialog").wait_for()
                yield "form"
                page.get_by_role("button", name="Cancel").click()
                page.get_by_role("dialog").wait_for(state="hidden")
        yield from self.hovered()
        for name in ("Lost facts", "Cost", "Payload", "Stages", "Sources", "Debug", "Messages"):
            page.get_by_role("tab", name=name).click()
            yield "tab"
        page.get_by_role("radio", name="Chat").click()
        page.locator("[data-view=chat]").wait_for()
        yield "chat"
        for summary in page.get_by_test_id("stExpander").locator("summary").all():
            if summary.is_visible():
                summary.click()
                yield "expander"

    def hovered(self) -> Iterator[str]:
        """Help texts, the map's tooltip and the chart's."""
        page = self.page
        for target in (
            *page.get_by_test_id("stTooltipIcon").all()[:12],
            *page.locator("canvas").all()[:2],
            *page.locator(".js-plotly-plot").all(),
        ):
            if target.is_visible():
                target.hover(force=True)
                yield "hover"

    def drawers(self) -> Iterator[str]:
        page = self.page
        page.get_by_role("button", name="Share", exact=True).click()
        page.get_by_role("dialog").wait_for()
        yield "share"
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
        page.get_by_role("button", name="Export").first.click()
        page.get_by_role("dialog").wait_for()
        for target in page.get_by_role("dialog").get_by_role("radio").all():
            target.click(force=True)
            yield "export"
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")


def main() -> int:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory()))
        server = stack.enter_context(ChatServer(*map(says, ANSWERS)))
        asked = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        home = stack.enter_context(playground("--record", str(place), env=asked))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1500})
        page.set_default_timeout(60_000)
        attack = Attack(page, home)
        attack.file()
        attack.links()
        attack.live(place)
        attack.talk()
        browser.close()
    for kind, count in sorted(attack.states.items()):
        print(f"{count:5,} {kind}")
    print(f"{attack.states.total():5,} states, {len(attack.findings):,} findings")
    for finding in attack.findings:
        print(f"  {finding}")
    return bool(attack.findings)


if __name__ == "__main__":
    sys.exit(main())
