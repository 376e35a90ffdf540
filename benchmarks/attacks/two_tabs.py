"""Two tabs of a browser on one chat, which say something at once: does each keep its own, on screen and on record?

    pip install -e ".[test]" && python benchmarks/attacks/two_tabs.py [--trials 25]

In each trial both tabs begin the same chat on the page Chat of a server that records, and then send words of their own
at the same moment. Counted are tabs that show the other's words or lack their own, and conversations on record that
hold both, or words of a tab that none holds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from browser_pages import settled  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from server_process import playground  # noqa: E402

from historylab import load  # noqa: E402

SECONDS = 60


def say(page: Page, words: str) -> None:
    page.get_by_placeholder("Write to the model").fill(words)


def answered(page: Page, times: int) -> None:
    page.locator("[class*=st-key-saw-] button:visible").nth(times - 1).wait_for()
    settled(page)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=25)
    trials = parser.parse_args().trials
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    on_screen = 0
    with TemporaryDirectory() as place, playground("--record", place) as home, sync_playwright() as playwright:
        context = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_context()
        tabs = [context.new_page(), context.new_page()]
        for trial in range(trials):
            own = [f"words {trial} of the {side} tab" for side in ("left", "right")]
            for page in tabs:
                page.set_default_timeout(SECONDS * 1000)
                page.goto(f"{home}/talk?historyPolicy=all&pruner=off")
                say(page, f"What is trial {trial}?")
                page.keyboard.press("Enter")
                answered(page, 1)
            for page, words in zip(tabs, own, strict=True):
                say(page, words)
            for page in tabs:
                page.get_by_placeholder("Write to the model").press("Enter", no_wait_after=True)
            for page in tabs:
                answered(page, 2)
            for page, mine, others in zip(tabs, own, reversed(own), strict=True):
                shown = page.locator("body").inner_text()
                on_screen += mine not in shown or others in shown
        deadline = time.monotonic() + SECONDS
        while (found := on_record(place, trials))[1] and time.monotonic() < deadline:
            time.sleep(1)
    mixed, missing = found
    print(f"{trials:,} trials")
    print(f"{on_screen:,} tabs that show other words than their own")
    print(f"{mixed:,} conversations on record with words of both")
    print(f"{missing:,} tabs whose words are in none")
    return bool(on_screen or mixed or missing)


def on_record(place: str, trials: int) -> tuple[int, int]:
    """Conversations that hold the words of both tabs of a trial, and tabs whose words are in none."""
    texts = ["\n".join(m.content for m in conversation if m.role == "user") for conversation in load(place)]
    mixed = missing = 0
    for trial in range(trials):
        left, right = ({t for t in texts if f"words {trial} of the {side} tab" in t} for side in ("left", "right"))
        mixed += len(left & right)
        missing += (not left) + (not right)
    return mixed, missing


if __name__ == "__main__":
    sys.exit(main())
