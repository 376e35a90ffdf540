"""The lines of a text that changed, as HTML: a sign and a colour each, what is the same folded, what is long cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from historylab.agent.text_changes import Line, text_changes
from historylab.costs.amounts import count_of
from historylab.wording.untrusted import escape

AROUND = 2  # lines that are the same and shown beside those that changed
BESIDE = 60  # characters shown of what a line shares with what it replaces
WIDTH = 600  # characters shown of the rest of a line
MOST = 6_000  # characters shown of a text
TAGS = {"same": ("span", "\u00a0"), "removed": ("del", "−"), "added": ("ins", "+")}


def text_diff(before: str, now: str) -> tuple[str, str]:
    """What changed between two texts, in numbers ("−12 +1 lines") and in its lines."""
    lines = list(text_changes(before, now))
    removed, added = (sum(line.kind == kind for line in lines) for kind in ("removed", "added"))
    rows, size, told = list[str](), 0, 0
    for line in _fold(lines):
        row = _row(line) if isinstance(line, Line) else _note(f"… {count_of(line, 'line')} the same …")
        size, told = size + len(row), told + (isinstance(line, Line) and line.kind != "same")
        rows.append(row)
        if size > MOST and (left := removed + added - told):
            rows.append(_note(f"… {count_of(left, 'more changed line')}; the download has all."))
            break
    return f"−{removed:,} +{added:,} lines", f'<pre class="hl-lines">{"".join(rows)}</pre>'


def _fold(lines: Sequence[Line]) -> Iterator[Line | int]:
    """The lines that changed with some around them; for those between, how many there are."""
    stretches = [list(group) for _, group in groupby(lines, lambda line: line.kind == "same")]
    for place, stretch in enumerate(stretches):
        first, last = AROUND * (place > 0), AROUND * (place < len(stretches) - 1)
        folded = len(stretch) - first - last
        if stretch[0].kind != "same" or folded < 2:
            yield from stretch
            continue
        yield from stretch[:first]
        yield folded
        yield from stretch[len(stretch) - last :]


def _row(line: Line) -> str:
    tag, sign = TAGS[line.kind]
    text, stop = line.text, len(line.text) - line.end
    head, middle, tail = text[: line.start], text[line.start : stop], text[stop:]
    shown = _visible(middle[:WIDTH]) + _left_out(len(middle) - WIDTH)
    if head or tail:
        head = _left_out(len(head) - BESIDE) + _visible(head[-BESIDE:])
        tail = _visible(tail[:BESIDE]) + _left_out(len(tail) - BESIDE)
        shown = f"{head}<mark>{shown}</mark>{tail}"
    return f"<{tag}>{sign} {shown}</{tag}>"


def _visible(text: str) -> str:
    return escape(text.replace("\r", "␍"))


def _left_out(characters: int) -> str:
    return f"<i> … {characters:,} characters … </i>" if characters > 0 else ""


def _note(said: str) -> str:
    return f"<i>{said}</i>"
