"""A check as Markdown for a pull request: what a file says stays text, without links, mentions or HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from historylab.tuning.check import Check
from historylab.tuning.findings import BROKEN, HELD, UNSURE
from historylab.wording.check import conversation_place, finding_reason
from historylab.wording.check_summary import (
    against_in_words,
    comparison_in_words,
    differing_most,
    failure_in_words,
    notes,
    verdict_in_words,
    warnings_in_words,
    wish_lines,
)
from historylab.wording.untrusted import code_span

MARKS = {BROKEN: "❌ broken", HELD: "✅ held", UNSURE: "➖ unsure"}
SHOWN = 10
"""Broken conversations that are named per wish."""
LONGEST = 400  # characters of a quotation


def check_markdown(check: Check) -> str:
    """Headline, a table of the wishes, what broke them, the comparison and warnings."""
    return "\n\n".join(_parts(check)) + "\n"


def _parts(check: Check) -> Iterator[str]:
    if failed := failure_in_words(check, _code):
        yield f"### {MARKS[BROKEN][0]} {failed}"
    yield f"### {MARKS[check.of_wishes][0]} {verdict_in_words(check, _code)}"
    if check.before:
        yield f"{against_in_words(check)}: **{comparison_in_words(check.now, check.before)}**."
    lines = wish_lines(check)
    if lines:
        yield _table(("wish", "", "where"), [(line.wish.said, MARKS[line.verdict], line.counts) for line in lines])
    broken = [each for line in lines for each in line.others if each.verdict == BROKEN and each.place]
    if broken:
        rows = [(each.wish.said, _code(conversation_place(each.place)), finding_reason(each, _code)) for each in broken]
        yield _table(("broken wish", "in", "because"), rows[:SHOWN])
        if len(rows) > SHOWN:
            yield f"… and {len(rows) - SHOWN:,} more."
    if differing := differing_most(check):
        yield _table(("where they differ most", ""), [(_code(conversation_place(p)), words) for p, words in differing])
    for warning in warnings_in_words(check, _code):
        yield f"⚠️ {warning}"
    if said := [f"* {note}" for note in notes(check, _code)]:
        yield "\n".join(said)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _code(text: str) -> str:
    """The text as a code span within a table, where a bar would end the cell."""
    return code_span(text, LONGEST).replace("|", "\\|")
