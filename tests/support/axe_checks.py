"""Checks of a page with axe-core in a browser: the serious and critical violations of its rules, on our own elements.

`axe-playwright-python` brings axe-core with it; its own wrapper is not used, as it can't leave elements out per rule.
"""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from browser_pages import settled

NOT_OURS = {
    # st.code with a height scrolls its <pre>, which takes no focus. What it shows can be downloaded beside it.
    "scrollable-region-focusable": ("[data-testid=stCode] pre",),
}
"""Rule → elements that Streamlit draws, that break it, and that no option or style of ours mends."""

UNROLL = """() => new Promise((done) => { // axe can't measure in a box that is scrolled
    const list = document.querySelector("[data-drawn]")?.shadowRoot.querySelector(".box");
    if (list) list.style.maxHeight = "none";
    const shown = { maxHeight: "none", overflow: "visible" };
    for (const box of document.querySelectorAll(".st-key-answer, .hl-table")) Object.assign(box.style, shown);
    requestAnimationFrame(() => requestAnimationFrame(done));
})"""
RUN = """async ([notOurs, rules]) => {
    const all = { resultTypes: ["violations", "incomplete"], preload: false }; // style sheets needn't be fetched again
    const found = await axe.run(document, rules.length ? { ...all, runOnly: rules } : all);
    const drawn = (node) => document.querySelector(node.target.flat().at(-1));
    const ours = (rule) => (node) => !(notOurs[rule] ?? []).some((those) => drawn(node)?.matches(those));
    const checks = (node) => [...node.any, ...node.all, ...node.none];
    const failures = (node) => checks(node).filter((check) => check.id === "error-occurred");
    const told = (rule, node, why) => `${rule.id}: ${why}: ${node.target.flat().at(-1)}`;
    const grave = found.violations.filter((rule) => ["serious", "critical"].includes(rule.impact));
    return [
        ...grave.flatMap((rule) => rule.nodes.filter(ours(rule.id)).map((node) => told(rule, node, rule.help))),
        ...found.incomplete.flatMap((rule) => rule.nodes.flatMap((node) =>
            failures(node).map((check) => told(rule, node, `axe gave up, ${check.data.message}`)))),
    ];
}"""


def violations(page, *rules: str) -> list[str]:
    """What is serious or critical on the page as it is now, by all rules or by these; also where a rule gave up."""
    page.evaluate(UNROLL)
    page.evaluate(AXE_SCRIPT)
    return page.evaluate(RUN, [NOT_OURS, list(rules)])


STILL = """() => document.getAnimations().every(
  (one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity
)"""
"""Nothing fades: what was drawn anew is faint for a moment after its script has ended."""


def in_light_and_dark(page) -> list[str]:
    """By every rule as the page is, and what colours have to do with once the reader's system has turned dark."""
    settled(page)
    page.wait_for_function(STILL)
    light = violations(page)
    turned(page, "dark")
    settled(page)
    page.wait_for_function(STILL)
    dark = violations(page, "color-contrast")
    turned(page, "light")
    return [*light, *(f"in the dark {told}" for told in dark)]


def turned(page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "scheme => getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme", arg=scheme
    )
