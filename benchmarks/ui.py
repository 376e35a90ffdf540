"""How long the playground takes in a real browser, as ratios to an empty Streamlit page on the same machine.

    pip install -e ".[test]" && python benchmarks/ui.py [--turns 100 1000] [--times 7]

A headless Chromium opens an empty page with one button and, alternating with it so that a slowdown of the machine
affects both, the playground on conversations of a coding agent (about ten messages per turn). Each is timed inside
the page, from the event (a click, the release of the scrubber, Enter in a setting) to the first frame that shows the
result: for the scrubber the new list, for a setting the new verdict and everything below it, with nothing left to
run. Reports medians; read the ratios.
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
SETTLED = "document.querySelector('[data-test-script-state=notRunning]')"

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


def in_turns(times: int, *measures: Callable[[int], float]) -> list[float]:
    """The median of each, measured alternately so that a slowdown affects all; the first round is not counted."""
    found = [[measure(n) for measure in measures] for n in range(times + 1)][1:]
    return [statistics.median(column) for column in zip(*found, strict=True)]


def loading(context, address: str, tab=None) -> Callable[[int], float]:
    """Milliseconds from requesting a page, in a new or an open tab, to its first headline; browser cache warm."""

    def measure(_: int) -> float:
        page = tab or context.new_page()
        page.goto("about:blank")
        start = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.locator("h1").first.wait_for(timeout=SECONDS * 1000)
        took = (time.perf_counter() - start) * 1000
        if tab is None:
            page.close()
        return took

    return measure


def rerunning(page) -> Callable[[int], float]:
    """Milliseconds from a click on the empty page's button to its new number."""

    def measure(_: int) -> float:
        number = int(page.locator("#n").inner_text()) + 1
        done = f"document.querySelector('#n')?.textContent === '{number}'"
        return timed(page, "click", done, page.get_by_role("button", name="Again").click)

    return measure


def playground(context, address: str):
    """The playground at that address, once everything on it is drawn."""
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.set_default_timeout(SECONDS * 1000)
    page.goto(address)
    slider = page.get_by_role("slider", name="Request looked at")
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    page.wait_for_function(f"map => map.hasAttribute('aria-valuemax') && {SETTLED}", arg=slider.element_handle())
    return page


def scrubbing(page) -> Callable[[int], float]:
    """Milliseconds from releasing the scrubber to the list of its request."""
    slider = page.get_by_role("slider", name="Request looked at")
    requests, box = int(slider.get_attribute("aria-valuemax")), slider.bounding_box()

    def measure(n: int) -> float:
        request = requests * (n % 5 + 2) // 9
        x = box["x"] + LEFT + (request + 0.5) * (box["width"] - LEFT - RIGHT) / requests
        page.mouse.move(x - 60, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(x, box["y"] + 60, steps=6)
        listed = f"document.querySelector('[data-request=\"{request + 1}\"]')"
        return timed(page, "pointerup", listed, page.mouse.up)

    return measure


def setting(page, least: int, done: str) -> Callable[[int], float]:
    """Milliseconds from Enter in the budget to the new verdict, and to `done`."""
    budget = page.get_by_role("spinbutton", name="Budget", exact=True)

    def measure(n: int) -> float:
        value = least + 500 * n
        budget.fill(str(value))
        verdict = f"document.querySelector('.hl-cost')?.textContent.includes('{value:,} tokens')"
        took = timed(page, "keydown", f"{verdict} && {done}", lambda: budget.press("Enter"))
        page.wait_for_function(f"() => {SETTLED}")
        return took

    return measure


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
        context = browser.new_context()
        same = browser.new_page()  # in a window of its own: nothing covers it, so nothing slows it down
        for where, tab in (("a new tab", None), ("the same tab", same)):
            bare, shown = in_turns(given.times, loading(context, empty, tab), loading(context, home, tab))
            print(f"first text in {where}: empty page {bare:,.0f} ms, playground {shown:,.0f} ms ({shown / bare:.2f}x)")
        same.goto(empty)
        rerun = rerunning(same)
        for turns in given.turns:
            page = playground(context, f"{home}/?conversation=coding_agent:turns={turns},seed=1&historyPolicy=all")
            for what, measure in {
                "scrub, to the new list": scrubbing(page),
                "settings, to the new verdict": setting(page, 6000, "true"),
                "settings, to the last of it": setting(page, 20_000, SETTLED),
            }.items():
                bare, took = in_turns(given.times, rerun, measure)
                print(
                    f"{turns:,} turns, {what}: {took:,.0f} ms, empty rerun {bare:,.0f} ms ({took / bare:.2f}x)",
                    flush=True,
                )
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
