"""The token chart without a script: bars of the tokens each request sends, as SVG in the page's light or dark theme.

Colours come from the page as `--kind-…`, `--ink`, `--faint`, `--alarm`; it holds no text of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from historylab.figures.axis import drawn_requests, reach_of, turn_ticks
from historylab.planning.context_fill import context_budget, context_by_kind
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.wording.as_sent import limit_word
from historylab.wording.findings import token_finding
from historylab.wording.palette import ALARM, KINDS, LOOKS
from historylab.wording.untrusted import escape

WIDTH, HEIGHT = 960, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 8, 18, 26
LETTER, GAP = 6.4, 8  # of a label: pixels of a letter, nearly, and between two


def token_svg(timeline: Timeline, number: int) -> str:
    """The chart with request `number` (from 0) marked. Its finding is the alternative text."""
    drawing = _Drawing(timeline)
    parts = [*drawing.scale(), *drawing.bars(), *drawing.signs(), *drawing.lines(), *drawing.turns()]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(token_finding(timeline))}">'
        f"{''.join(parts)}{drawing.mark(number)}</svg>"
    )


def kinds_drawn(timeline: Timeline) -> list[str]:
    """The kinds with more tokens than a request's framing, from the bottom up."""
    return [kind for kind in KINDS if context_by_kind(timeline)[kind].max() > timeline.counter.per_request]


def turn_axis(timeline: Timeline, y: float) -> Iterator[str]:
    """The turns below a chart whose floor is at `y`: a tick for each that has room for its number."""
    step, free = (WIDTH - LEFT - RIGHT) / len(timeline.plans), 0.0
    for position, name in zip(*turn_ticks(timeline), strict=True):
        x = round(LEFT + (position - 0.5) * step, 2)
        first = position == 1
        wide = LETTER * len(name)
        begins = x if first else x - wide / 2
        if begins < free:
            continue
        free, anchor = begins + wide + GAP, "start" if first else "middle"
        yield f'<line class="tick" x1="{x}" x2="{x}" y1="{y}" y2="{y + 4}"/>'
        yield f'<text x="{x}" y="{y + 18}" text-anchor="{anchor}">{name}</text>'


class _Drawing:
    """The scales of one chart, and its parts as SVG."""

    def __init__(self, timeline: Timeline):
        self.timeline = timeline
        self.shown = drawn_requests(timeline.contexts)
        self.budget, self.limit = context_budget(timeline, 0), limit_word(timeline)
        self.top = 1.08 * reach_of(timeline, self.budget)
        self.step = (WIDTH - LEFT - RIGHT) / len(timeline.plans)

    def x(self, request: float) -> float:
        return round(LEFT + request * self.step, 2)

    def y(self, tokens: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(tokens, self.top) / self.top, 2)

    def scale(self) -> Iterator[str]:
        for tokens in _round_numbers(self.top):
            y = self.y(tokens)
            yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
            yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{tokens:,}</text>'

    def bars(self) -> Iterator[str]:
        """One path per kind; a bin is drawn as its largest request, as wide as the bin."""
        floor = np.zeros(len(self.shown))
        edges = np.append(self.shown, len(self.timeline.plans)) if len(self.shown) > 1 else np.array([0, 1])
        gap = 0.12 * self.step if self.step > 6 else 0
        for kind in kinds_drawn(self.timeline):
            top = floor + context_by_kind(self.timeline)[kind][self.shown]
            boxes = (
                f"M{self.x(a) + gap / 2:.2f} {self.y(low)}V{self.y(high)}H{self.x(b) - gap / 2:.2f}V{self.y(low)}Z"
                for a, b, low, high in zip(edges[:-1], edges[1:], floor, top, strict=True)
                if high > low
            )
            yield f'<path fill="var(--kind-{kind})" d="{"".join(boxes)}"/>'
            floor = top

    def lines(self) -> Iterator[str]:
        points = " ".join(
            f"{self.x(r + 0.5)},{self.y(self.timeline.untrimmed_contexts[r])}" for r in self.shown.tolist()
        )
        yield f'<polyline class="untrimmed" points="{points}"/>'
        if self.budget > self.top:
            yield f'<text x="{LEFT + 4}" y="{TOP - 6}">{self.limit} {self.budget:,} ↑</text>'
            return
        y = self.y(self.budget)
        yield f'<line class="budget" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text class="ink" x="{LEFT + 4}" y="{y - 5}">{self.limit} {self.budget:,}</text>'

    def signs(self) -> Iterator[str]:
        """Σ above a request that made a new summary, ! above one that is over the budget."""
        for step in self.timeline.steps:
            plan = step.plan
            if plan.summary and (not step.before or step.before.summary != plan.summary):
                yield self._sign(step.number, LOOKS[Action.SUMMARIZED].glyph, "summary")
            if plan.over_budget:
                yield self._sign(step.number, ALARM.glyph, "alarm")

    def _sign(self, request: int, glyph: str, kind: str) -> str:
        y = max(TOP, self.y(self.timeline.contexts[request]) - 4)
        return f'<text class="{kind}" x="{self.x(request + 0.5)}" y="{y}" text-anchor="middle">{glyph}</text>'

    def turns(self) -> Iterator[str]:
        return turn_axis(self.timeline, HEIGHT - BOTTOM)

    def mark(self, request: int) -> str:
        x, y = self.x(request + 0.5), self.y(self.timeline.contexts[request])
        return (
            f'<line class="mark" x1="{x}" x2="{x}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
            f'<circle class="mark" cx="{x}" cy="{y}" r="5"/>'
        )


def _round_numbers(top: float) -> list[int]:
    """0 and up to five round numbers below the top."""
    exact = top / 4
    size = 10 ** int(np.floor(np.log10(exact)))
    step = max(1, int(next(size * n for n in (1, 2, 2.5, 5, 10) if size * n >= exact)))
    return list(range(0, int(top) + 1, step))
