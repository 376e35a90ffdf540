"""The retention map without a script: what every request did with every message, as SVG.

A path per action joins the runs of equal cells of each row; textures tell actions apart without colour. Colours come
from the page as `--kept`, `--on-kept`, `--ink`, `--faint`, `--alarm`; it holds no text of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from historylab.figures.retention_grid import NOT_SAID, RetentionGrid, retention_grid
from historylab.figures.token_svg import LEFT, RIGHT, WIDTH, turn_axis
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.wording.findings import map_finding
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape

TOP, BOTTOM = 24, 26
TALLEST, SHORTEST, ROW = 340, 110, 16
MOST_CELLS = 320  # a side
MOST_BYTES = 280_000  # of the cells: where their runs are many, they are drawn coarser
GAPS_FROM, GLYPHS_FROM, THIN = 5, 14, 2
TEXTURES = {
    Action.SUMMARIZED: '<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6" stroke-width="1.5"/>',
    Action.TRUNCATED: '<path d="M0 1H8M0 5H8" stroke-width="1"/>',
    Action.DROPPED: '<path d="M-2 6L2 10M0 0L8 8M6 -2L10 2" stroke-width="1.5"/>',
}


def map_svg(timeline: Timeline, number: int, name: str = "map") -> str:
    """The map with request `number` (from 0) marked. `name` begins its ids, so that several can stand on one page."""
    drawing, cells = _fine_enough(timeline, name)
    parts = [
        *drawing.thin_lines(),
        *drawing.messages(),
        *turn_axis(timeline, TOP + drawing.height + 1),
        *drawing.over(),
        drawing.mark(number),
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {drawing.height + TOP + BOTTOM}" role="img" '
        f'aria-label="{escape(map_finding(timeline, number))}">{_patterns(name)}{cells}{"".join(parts)}</svg>'
    )


def _fine_enough(timeline: Timeline, name: str) -> tuple[_Drawing, str]:
    """The finest drawing whose cells stay below MOST_BYTES."""
    most = MOST_CELLS
    while True:
        drawing = _Drawing(timeline, most, name)
        cells = "".join((*drawing.cells(), *drawing.glyphs()))
        if len(cells) <= MOST_BYTES:
            return drawing, cells
        most = most * 2 // 3


def _patterns(name: str) -> str:
    patterns = "".join(
        f'<pattern id="{name}-{action.name.lower()}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect width="8" height="8" fill="var(--{action.name.lower()})"/>'
        f'<g stroke="var(--on-{action.name.lower()})" opacity=".45">{texture}</g></pattern>'
        for action, texture in TEXTURES.items()
    )
    return f"<defs>{patterns}</defs>"


class _Drawing:
    """The scales of one map, and its parts as SVG."""

    def __init__(self, timeline: Timeline, most: int, name: str):
        self.timeline, self.name = timeline, name
        self.grid: RetentionGrid = retention_grid(timeline, most)
        rows, columns = self.grid.cells.shape
        self.height = max(SHORTEST, min(TALLEST, rows * ROW))
        self.wide, self.tall = (WIDTH - LEFT - RIGHT) / columns, self.height / rows
        self.step = (WIDTH - LEFT - RIGHT) / len(timeline.plans)
        self.actions = np.array([-1, *(int(action) for action, _ in self.grid.codes)], np.int16)

    def cells(self) -> Iterator[str]:
        """One path per action; where cells are large enough, with gaps between them and glyphs on them."""
        large = min(self.wide, self.tall) >= GAPS_FROM
        glyphs = min(self.wide, self.tall) >= GLYPHS_FROM
        boxes: dict[Action, list[str]] = {}
        for row, line in enumerate(self.grid.cells):
            for start, length, code in _equal_runs(self.actions[line]):
                if code == self.actions[NOT_SAID]:
                    continue
                spans = ((k, 1) for k in range(start, start + length)) if large else ((start, length),)
                boxes.setdefault(Action(code), []).extend(self._box(row, *span, gap=large) for span in spans)
        for action, drawn in sorted(boxes.items()):
            plain = glyphs or action not in TEXTURES
            fill = f"var(--{action.name.lower()})" if plain else f"url(#{self.name}-{action.name.lower()})"
            yield f'<path fill="{fill}" shape-rendering="crispEdges" d="{"".join(drawn)}"/>'

    def _box(self, row: int, start: int, length: int, *, gap: bool) -> str:
        left, right = (LEFT + at * self.wide for at in (start, start + length))
        top, bottom = (TOP + at * self.tall for at in (row, row + 1))
        x, y, end, low = round(left, 1), round(top, 1), round(right, 1) - gap, round(bottom, 1) - gap
        return f"M{x:g} {y:g}H{end:g}V{low:g}H{x:g}z"

    def glyphs(self) -> Iterator[str]:
        """The glyph of every run's first cell, where there is room for it."""
        if min(self.wide, self.tall) < GLYPHS_FROM:
            return
        for row, line in enumerate(self.grid.cells):
            y = round(TOP + (row + 0.5) * self.tall + 3.5, 1)
            for start, _, code in _equal_runs(self.actions[line]):
                if code != self.actions[NOT_SAID]:
                    x, look = round(LEFT + (start + 0.5) * self.wide, 1), LOOKS[Action(code)]
                    ink = f"fill:var(--on-{Action(code).name.lower()})"
                    quiet = "" if code in TEXTURES else ' opacity=".45"'  # what is sent in full
                    said = f'style="{ink}" x="{x}" y="{y}" text-anchor="middle"{quiet}'
                    yield f'<text class="glyph" {said}>{look.glyph}</text>'

    def thin_lines(self) -> Iterator[str]:
        """Pins and the newest message of every request as lines, where a row is too thin to show them."""
        if self.tall >= THIN:
            return
        newest: dict[Action, list[str]] = {}
        for column, after in enumerate(self.grid.columns[1:].tolist()):
            row = np.searchsorted(self.grid.rows, self.timeline.plans[after - 1].size - 1, "right") - 1
            action = Action(self.actions[self.grid.newest[column]])
            newest.setdefault(action, []).append(self._line(row + 1, column, column + 1, up=True))
        for action, lines in newest.items():
            yield f'<path fill="var(--{action.name.lower()})" d="{"".join(lines)}"/>'
        if pins := "".join(self._line(row, column, len(self.grid.newest)) for row, column in self.grid.pins):
            yield f'<path fill="var(--pinned)" d="{pins}"/>'

    def _line(self, row: int, first: int, after: int, *, up: bool = False) -> str:
        x, end = (round(LEFT + column * self.wide, 1) for column in (first, after))
        y = round(TOP + row * self.tall - THIN * up, 1)
        return f"M{x:g} {y:g}H{end:g}v{THIN}H{x:g}z"

    def messages(self) -> Iterator[str]:
        """The messages' numbers, down the left side."""
        count = len(self.timeline.conversation)
        tall = self.height / count
        every = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if n * tall >= 34), 10_000)
        yield '<text x="0" y="13">message</text>'
        for message in (1, *range(every, count + 1, every)) if every > 1 else range(1, count + 1):
            if message == 1 or (message - 1) * tall >= 14:
                y = round(TOP + (message - 0.5) * tall + 4, 1)
                yield f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{message:,}</text>'

    def over(self) -> Iterator[str]:
        """A mark above every request that is over the budget."""
        wide = f"{max(0.5, self.step - (self.step > 4)):.1f}"
        boxes = (
            f"M{round(LEFT + request * self.step, 1):g} {TOP - 6}h{wide}v3h-{wide}z"
            for request in np.flatnonzero(self.timeline.over_budget).tolist()
        )
        if drawn := "".join(boxes):
            yield f'<path class="over-mark" d="{drawn}"/>'

    def mark(self, request: int) -> str:
        x = self._x(request)
        return f'<line class="mark" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{TOP + self.height + 6}"/>'

    def _x(self, request: int) -> float:
        return round(LEFT + (request + 0.5) * self.step, 1)


def _equal_runs(codes: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(start, length, code) of every run of equal codes; a first run of -1 is left out."""
    starts = np.flatnonzero(np.diff(codes.astype(np.int16), prepend=-1))
    lengths = np.diff(np.append(starts, len(codes)))
    yield from zip(starts.tolist(), lengths.tolist(), codes[starts].tolist(), strict=True)
