"""Take the screenshots of the documentation from the running app.

pip install -e ".[test]" && python docs/pictures.py          # needs Chromium; writes docs/img/*.png
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from server_process import playground  # noqa: E402 (the tests' own server)

IMAGES = ROOT / "docs" / "img"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
TOOLS = "?conv=sample:tide-tables-agent&historyPolicy=all&pruner=summarize&budget=2500"
PICTURES = (  # file, address, colour scheme, width, maximum height
    ("playground-light", "", "light", 1280, 1500),
    ("playground-dark", TOOLS, "dark", 1280, 1500),
    ("playground-narrow", "", "light", 390, 1800),
    ("compare-light", "compare", "light", 1280, 1600),
    ("compare-dark", "compare", "dark", 1280, 1600),
    ("tune-light", "tune", "light", 1280, 1400),
    ("corpus-light", "corpus", "light", 1280, 1400),
    ("settings-light", "settings?historyLength=5&budget=lots", "light", 1280, 1200),
)


def take(page: Page, name: str, max_height: int) -> None:
    """Save one screenshot of the whole page, at most `max_height` pixels high."""
    page.get_by_role("heading", level=1).first.wait_for(timeout=60_000)
    page.wait_for_timeout(6000)  # charts draw after the text
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": min(int(height) + 40, max_height)})
    page.wait_for_timeout(2500)
    page.screenshot(path=IMAGES / f"{name}.png")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    wanted = set(sys.argv[1:])
    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with playground() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        for name, address, scheme, width, max_height in PICTURES:
            if not wanted or name in wanted:
                page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
                page.goto(f"{home.rstrip('/')}/{address}")
                take(page, name, max_height)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
