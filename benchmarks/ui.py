"""How long the playground takes in a real browser, as ratios to an empty Streamlit page on the same machine.

    pip install -e ".[test]" && python benchmarks/ui.py [--turns 100 1000] [--times 7]

A headless Chromium opens an empty page with one button, and the playground on conversations of a coding agent (about
ten messages a turn). Each is timed in the page itself: from the event (a click, the release of the scrubber, Enter in a
setting) to the first frame that shows the result (for the scrubber the new list, for a setting the new verdict with
nothing left to run). Medians; read the ratios, machines differ.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

EMPTY = """import streamlit as st
st.session_state.n = st.session_state.get("n", 0) + 1
st.button("Again")
st.html(f'<h1 id="n">{st.session_state.n}</h1>')
"""
SECONDS = 120
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
LEFT, RIGHT = 48, 12  # pixels beside the map's cells

# Waits in the page for a condition, from the last event of a kind; milliseconds.
WATCH = """([type, done]) => new Promise((resolve) => {
  const check = new Function("return " + done);
  addEventListener(type, () => {
    const start = performance.now();
    const look = () => (check() ? resolve(performance.now() - start) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  }, { capture: true, once: true });
})"""


@contextmanager
def server(*command: str, port: int) -> Iterator[str]:
    """The address of a server process, once it answers."""
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(SECONDS * 4):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.25)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def empty_page() -> Iterator[str]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        options = {"server.port": port, "server.headless": "true", "browser.gatherUsageStats": "false"}
        said = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        with server("streamlit", "run", str(script), *said, port=port) as address:
            yield address


def timed(page, event: str, done: str, act: Callable[[], object]) -> float:
    """Milliseconds from an event to the frame in which `done` holds; `act` causes the event."""
    page.evaluate(f"void (window.waited = ({WATCH})({json.dumps([event, done])}))")
    act()
    return page.evaluate("window.waited")


def loading(browser, address: str, times: int) -> float:
    """Milliseconds from asking for a page to its first headline, with the browser's cache warm."""
    context, found = browser.new_context(), []
    for _ in range(times + 1):
        page = context.new_page()
        start = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.locator("h1").first.wait_for(timeout=SECONDS * 1000)
        found.append((time.perf_counter() - start) * 1000)
        page.close()
    context.close()
    return statistics.median(found[1:])


def rerunning(browser, address: str, times: int) -> float:
    """A click on the empty page's button to its new number."""
    page = browser.new_page()
    page.goto(address)
    page.locator("h1").first.wait_for()
    found = []
    for n in range(times + 2):
        done = f"document.querySelector('#n')?.textContent === '{n + 2}'"
        found.append(timed(page, "click", done, page.get_by_role("button", name="Again").click))
    page.close()
    return statistics.median(found[2:])


def playground(browser, address: str, times: int) -> dict[str, float]:
    """Scrubs and settings changes on one conversation."""
    page = browser.new_page(viewport={"width": 1280, "height": 1400})
    page.set_default_timeout(SECONDS * 1000)
    page.goto(address)
    slider = page.get_by_role("slider", name="Request looked at")
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    page.wait_for_function(
        "map => map.hasAttribute('aria-valuemax') && document.querySelector('[data-test-script-state=notRunning]')",
        arg=slider.element_handle(),
    )
    return {"scrub": scrubbing(page, slider, times), "settings": setting(page, times)}


def scrubbing(page, slider, times: int) -> float:
    """Release of the scrubber to the list of the request it is on."""
    requests, box = int(slider.get_attribute("aria-valuemax")), slider.bounding_box()
    found = []
    for n in range(times + 1):
        request = requests * (n % 5 + 2) // 9
        x = box["x"] + LEFT + (request + 0.5) * (box["width"] - LEFT - RIGHT) / requests
        page.mouse.move(x - 60, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(x, box["y"] + 60, steps=6)
        listed = f"document.querySelector('[data-request=\"{request + 1}\"]')"
        found.append(timed(page, "pointerup", listed, page.mouse.up))
    return statistics.median(found[1:])


def setting(page, times: int) -> float:
    """Enter in the budget to the verdict under it, with nothing left to run."""
    budget, found = page.get_by_role("spinbutton", name="Budget", exact=True), []
    for n in range(times + 1):
        value = 6000 + 500 * n
        budget.fill(str(value))
        verdict = f"document.querySelector('.hl-cost')?.textContent.includes('{value:,} tokens')"
        settled = "document.querySelector('[data-test-script-state=notRunning]')"
        found.append(timed(page, "keydown", f"{verdict} && {settled}", lambda: budget.press("Enter")))
    return statistics.median(found[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--times", type=int, default=7)
    given = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    from playwright.sync_api import sync_playwright

    port = free_port()
    ours = server("historylab", "--headless", "--port", str(port), port=port)
    with sync_playwright() as playwright, empty_page() as empty, ours as home:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        first, rerun = loading(browser, empty, given.times), rerunning(browser, empty, given.times)
        print(f"empty page: first text {first:,.0f} ms, rerun {rerun:,.0f} ms", flush=True)
        shown = loading(browser, home, given.times)
        print(f"playground: first text {shown:,.0f} ms ({shown / first:.2f}x)", flush=True)
        for turns in given.turns:
            link = f"{home}/?conversation=coding_agent:turns={turns},seed=1&historyPolicy=all"
            for what, took in playground(browser, link, given.times).items():
                print(f"{turns:,} turns, {what}: {took:,.0f} ms ({took / rerun:.2f}x an empty rerun)", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
