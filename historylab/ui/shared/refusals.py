"""Notices of values from environment, link or template that were refused, and what is used instead."""

from __future__ import annotations

from historylab.settings.consent import WHY as NEEDS_A_YES
from historylab.settings.resolve import Resolution
from historylab.ui.session import session
from historylab.ui.shared.notice import notice
from historylab.wording.settings import FROM_SOURCE, SOURCE_WORDS, show_value, strict_note, title_of
from historylab.wording.untrusted import one_line

MOST = 5


def refusals(resolution: Resolution) -> None:
    """The latest problem, a strict environment, and a notice for every refused value, the first few of them."""
    if problem := session.tab().problem:
        notice(problem, "error")
    if resolution.strict:
        notice(strict_note(resolution))
    notices = [
        f"{title_of(name)} {one_line(str(c.raw), 40)!r} {FROM_SOURCE[c.source]} was refused: {c.why}. "
        f"Used: {show_value(p.value)} ({SOURCE_WORDS[p.source]})"
        for name, p in resolution.provenance.items()
        for c in p.refused
        if (c.source, c.why) != ("you", NEEDS_A_YES)  # it is asked for where the choice was made
    ]
    notices += [f"{one_line(c.name, 60)} {FROM_SOURCE[c.source]} is ignored: {c.why}" for c in resolution.unknown]
    notices += [
        f"{one_line(r.name, 60)} {one_line(r.raw, 40)!r} in the link was not read: {r.why}"
        for r in session.tab().misread
    ]
    for sentence in notices[:MOST]:
        notice(sentence)
    if len(notices) > MOST:
        notice(f"The tab Sources lists {len(notices) - MOST} more that were refused")
