"""How long the playground takes in a real browser, as ratios to an empty Streamlit page in the same run.

    pip install -e ".[test]" && python benchmarks/ui.py [--turns 100 1000] [--times 7]

A headless Chromium opens an empty page with one button and, alternating with it so that a slowdown of the machine
affects both, the playground on conversations of a coding agent (about ten messages per turn). Each is timed inside
the page, from the event (a click, the release of the scrubber, Enter in a setting) to the first frame that shows the
result: for the scrubber the list of that request, for a setting the new verdict, and the last thing that anything on
the page draws. Beside the wall stands the time that server and browser computed (on Linux). Reports medians; read the
ratios. At last ten tabs of the longest conversations change a setting at once, round by round: when the last of them is
drawn, and what a change leaves in the server's memory. Exits with 1 if anything is above its limit.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable

from limits import Watch
from servers import SECONDS, computed, empty_page, free_port, resident, server, spent

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
LEFT, RIGHT = 48, 12  # pixels beside the map's cells
SETTLED = "document.querySelector('[data-test-script-state=notRunning]')"
LARGE = 1000  # turns from which a conversation is a large one
LIMITS = {  # measure → the largest ratio to the empty page, or of bytes the most thousands
    "first text in a new tab": 2.0,
    "scrub, to the list": 1.5,
    "setting, to the last thing drawn": 3.5,
    "setting, to the last thing drawn, large": 4.0,
    "upload, to its verdict and map": 8.0,
    "kB per change": 60.0,
    "seconds until the last tab is drawn": 4.0,
    "MB a tab and change": 3.0,
}
TABS, WARM_UP, ROUNDS = 10, 2, 5

# Milliseconds from the last event of a kind until a condition holds in the page, its components included. With `last`
# also until none of the components has drawn anything for a while; that while isn't counted.
WATCH = """([type, done, last]) => new Promise((resolve) => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const find = (selector) => [document, ...roots].some((root) => root.querySelector(selector));
  const check = new Function("find", "return " + done);
  addEventListener(type, () => {
    const start = performance.now();
    let drawn = 0;
    const watcher = new MutationObserver(() => { drawn = performance.now() - start; });
    const everything = { attributes: true, childList: true, subtree: true };
    if (last) for (const root of roots) watcher.observe(root, everything);
    let held = 0;
    const look = () => {
      const now = performance.now() - start;
      if (!held && check(find)) held = now;
      if (!held || (last && now - Math.max(held, drawn) < 250)) return requestAnimationFrame(look);
      watcher.disconnect();
      resolve(Math.max(held, last ? drawn : 0));
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
})"""


# -- timing


class Clock:
    """Runs measures alternately and reports them, each beside the same on an empty page."""

    def __init__(self, servers: set[int], times: int):
        self.servers, self.times, self.watch = servers, times, Watch()

    def report(self, title: str, limit: str, empty: Callable[[int], float], ours: Callable[[int], float]) -> None:
        """Print the medians of both, wall and computing; the first round is not counted."""
        rounds = [[self._once(measure, n) for measure in (empty, ours)] for n in range(self.times + 1)][1:]
        bare, took = (
            [statistics.median(column) for column in zip(*side, strict=True)] for side in zip(*rounds, strict=True)
        )
        ratio, most = took[0] / bare[0], LIMITS.get(limit)
        cpu = f"server {took[1]:,.0f} ms ({bare[1]:,.0f}), browser {took[2]:,.0f} ms ({bare[2]:,.0f})"
        print(f"{title}: {took[0]:,.0f} ms, empty page {bare[0]:,.0f} ms: {ratio:.2f}x")
        print(f"    computing, in brackets for the empty page: {cpu}", flush=True)
        if most is not None:
            self.watch.judge(f"{title} (beside an empty page)", ratio, most)

    def report_amount(self, title: str, amount: float, limit: str) -> None:
        """Print what is no ratio, in the unit that its limit begins with."""
        self.watch.judge(f"{title}, {limit.partition(' ')[0]}", amount, LIMITS[limit])

    def _once(self, measure: Callable[[int], float], n: int) -> tuple[float, float, float]:
        before = computed(self.servers)
        took = measure(n)
        after = computed(self.servers)
        return took, spent(before, after, "server"), spent(before, after, "browser")


def timed(page, event: str, done: str, act: Callable[[], object], *, last: bool = False) -> float:
    """Milliseconds from an event to the frame in which `done` holds, or the last that is drawn; `act` causes it."""
    page.evaluate(f"void (window.waited = ({WATCH})({json.dumps([event, done, last])}))")
    act()
    return page.evaluate("window.waited")


def loading(context, address: str, tab=None) -> Callable[[int], float]:
    """Milliseconds from requesting a page, in a new or an open tab, to its first headline; browser cache warm."""
    opened = []

    def measure(_: int) -> float:
        while opened:
            opened.pop().close()
        page = tab or context.new_page()
        page.goto("about:blank")
        start = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.locator("h1").first.wait_for(timeout=SECONDS * 1000)
        took = (time.perf_counter() - start) * 1000
        if tab is None:
            opened.append(page)  # closed later: what its process computed counts as long as it is there
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
    page.set_viewport_size({"width": 1440, "height": 1400})
    page.set_default_timeout(SECONDS * 1000)
    page.goto(address)
    slider = page.get_by_role("slider", name="Selected request")
    page.locator("[data-request]").first.wait_for()
    page.wait_for_function(f"map => map.hasAttribute('aria-valuemax') && {SETTLED}", arg=slider.element_handle())
    return page


def scrubbing(page) -> Callable[[int], float]:
    """Milliseconds from releasing the scrubber to the list of its request."""
    slider = page.get_by_role("slider", name="Selected request")
    requests, box = int(slider.get_attribute("aria-valuemax")), slider.bounding_box()

    def measure(n: int) -> float:
        request = requests * (n % 5 + 2) // 9
        x = box["x"] + LEFT + (request + 0.5) * (box["width"] - LEFT - RIGHT) / requests
        page.mouse.move(x - 60, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(x, box["y"] + 60, steps=6)
        now = slider.get_attribute("aria-valuenow")  # a pixel may hold several requests
        return timed(page, "pointerup", f"find('[data-request=\"{now}\"]')", page.mouse.up)

    return measure


def setting(page, least: int, *, last: bool) -> Callable[[int], float]:
    """Milliseconds from Enter in the budget to the new verdict, or to the last thing drawn."""
    budget = page.get_by_role("textbox", name="Budget", exact=True)

    def measure(n: int) -> float:
        value = least + 500 * n
        budget.fill(str(value))
        verdict = _verdict(value)
        done = f"{verdict} && {SETTLED}" if last else verdict
        took = timed(page, "keydown", done, lambda: budget.press("Enter"), last=last)
        page.wait_for_function(f"() => {SETTLED}")
        return took

    return measure


def bytes_per_change(page, times: int) -> float:
    """Thousands of bytes that the server sends for a change of a setting."""
    network, found = page.context.new_cdp_session(page), []
    network.send("Network.enable")
    network.on("Network.webSocketFrameReceived", lambda told: found.append(_size(told["response"])))
    change = setting(page, 30_000, last=True)
    for n in range(times):
        change(n)
    network.detach()
    return sum(found) / times / 1000


def _size(frame: dict) -> int:
    return len(base64.b64decode(frame["payloadData"]) if frame["opcode"] == 2 else frame["payloadData"].encode())


def uploading(page, turns: int, *, last: bool) -> Callable[[int], float]:
    """Milliseconds from giving the Open drawer a file to its verdict and map, or to the last thing drawn of it."""
    from historylab import generate
    from historylab.formats.convert import write

    def measure(n: int) -> float:
        said = generate("coding_agent", turns=turns, seed=n + 2)
        page.wait_for_function(f"() => {SETTLED}")
        page.locator(".st-key-open-drawer button:visible").first.click()
        field = page.locator(".st-key-upload input[type=file]")
        data = write(said, "chat_completions").text.encode()
        done = f"document.querySelector('.hl-count')?.textContent.includes(' {len(said):,} messages')"
        done += (
            f" && {SETTLED}" if last else f" && find('[role=slider][aria-valuemax=\"{len(said.columns.requests)}\"]')"
        )
        give = {"name": f"{n}-{last}.json", "mimeType": "application/json", "buffer": data}
        return timed(page, "change", done, lambda: field.set_input_files(give), last=last)

    return measure


def changing_in_tabs(context, home: str, own: int, turns: int) -> tuple[float, float]:
    """Seconds until the last of several tabs has drawn its change, and the megabytes that each leaves in the server."""
    told = f"turns={turns},seed={{}}&historyPolicy=all"
    pages = [playground(context, f"{home}/?conversation=coding_agent:{told.format(seed + 1)}") for seed in range(TABS)]
    took = []
    for n in range(WARM_UP + ROUNDS):
        if n == WARM_UP:
            before = resident(own)
        budgets = [page.get_by_role("textbox", name="Budget", exact=True) for page in pages]
        for budget in budgets:
            budget.fill(str(20_000 + 500 * n))
        start = time.perf_counter()
        for budget in budgets:
            budget.press("Enter", no_wait_after=True)
        for page in pages:
            page.wait_for_function(f"() => {_verdict(20_000 + 500 * n)} && {SETTLED}")
        took.append(time.perf_counter() - start)
    return statistics.median(took[WARM_UP:]), (resident(own) - before) / (TABS * ROUNDS)


def _verdict(budget: int) -> str:
    return f"document.querySelector('.hl-seen > [title*=\"{budget:,}\"]')"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--times", type=int, default=7)
    given = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    from playwright.sync_api import sync_playwright

    port = free_port()
    ours = server("historylab", "--headless", "--port", str(port), port=port)
    with sync_playwright() as playwright, empty_page() as (empty, bare), ours as (home, own):
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context, clock = browser.new_context(), Clock({bare, own}, given.times)
        same = browser.new_page()  # in a window of its own: nothing covers it, so nothing slows it down
        for title, tab in (("first text in a new tab", None), ("first text in the same tab", same)):
            clock.report(title, title, loading(context, empty, tab), loading(context, home, tab))
        same.goto(empty)
        rerun = rerunning(same)
        for turns in given.turns:
            page = playground(context, f"{home}/?conversation=coding_agent:turns={turns},seed=1&historyPolicy=all")
            size = re.search("of ([0-9,]+)", page.locator(".hl-count").inner_text())
            at, large = f"{size.group(1) if size else turns} messages, ", ", large" if turns >= LARGE else ""
            clock.report(f"{at}scrub, to the list", "scrub, to the list", rerun, scrubbing(page))
            clock.report(f"{at}setting, to the new verdict", "", rerun, setting(page, 6000, last=False))
            last = "setting, to the last thing drawn"
            clock.report(at + last, last + large, rerun, setting(page, 20_000, last=True))
            clock.report_amount(f"{at}sent per change", bytes_per_change(page, given.times), "kB per change")
            page.close()
        page = playground(context, home)
        for what, last in (("upload, to its verdict and map", False), ("upload, to the last thing drawn", True)):
            clock.report(
                f"{max(given.turns):,} turns, {what}", what, rerun, uploading(page, max(given.turns), last=last)
            )
        page.close()
        seconds, left = changing_in_tabs(context, home, own, max(given.turns))
        clock.report_amount(f"{TABS} tabs, a setting in each", seconds, "seconds until the last tab is drawn")
        clock.report_amount(f"{TABS} tabs, left in memory", left, "MB a tab and change")
        browser.close()
    sys.exit(clock.watch.exceeded)


if __name__ == "__main__":
    main()
