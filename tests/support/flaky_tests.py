"""A plugin: a browser test that fails runs once more, and the summary names it and its first failure.

One slow moment of a real browser then holds nothing back, and none stays unseen. Any other test has one try.
"""

from __future__ import annotations

import pytest

LONGEST = 300  # characters of a message


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every browser test its second try."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each test that ran again, with the message of its first failure."""
    again = terminalreporter.getreports("rerun")
    if not again:
        return
    failed = {report.nodeid for report in terminalreporter.getreports("failed")}
    terminalreporter.section("flaky: failed once and ran again")
    for report in sorted(again, key=lambda report: report.nodeid):  # several processes report in any order
        outcome = "failed again" if report.nodeid in failed else "passed then"
        crash = getattr(report.longrepr, "reprcrash", None)
        message = " ".join((crash.message if crash else report.longreprtext).split())
        terminalreporter.line(f"FLAKY {report.nodeid} ({outcome}): {message[:LONGEST]}")
