"""The sizes of many requests as a histogram in HTML: what is sent filled, not trimming as an outline, and the limit."""

from __future__ import annotations

import numpy as np

from historylab.costs.amounts import count_of, short_count
from historylab.tuning.workload import Workload
from historylab.wording.untrusted import escape

BARS = 40
TICKS = 5


def size_histogram(found: Workload, label: str) -> str:
    """The histogram, named by `label`; the page's style draws it."""
    limit, name = found.limit or (0, "")
    end = _end(found, limit)
    edges = np.linspace(0, end, BARS + 1)
    sent, whole = (np.histogram(tokens, edges)[0] for tokens in (found.tokens, found.untrimmed))
    highest = max(1, int(sent.max()), int(whole.max()))
    over = limit or end
    bars = "".join(
        _bar(int(n), int(of), highest, int(low), int(high), over=bool(low >= over))
        for n, of, low, high in zip(sent, whole, edges, edges[1:], strict=False)
    )
    bars += _limit(limit, end, name)
    drawn = f'<div class="hl-bars">{bars}</div><div class="hl-ticks">{_ticks(end)}</div>'
    return f'<div class="hl-sizes" role="img" aria-label="{escape(label)}">{drawn}</div>'


def _end(found: Workload, limit: int) -> int:
    """The tokens at the right edge: the largest request, and the limit where it isn't far beyond."""
    largest = max(10, int(found.tokens.max(initial=0)), int(found.untrimmed.max(initial=0)))
    return max(largest, limit) if limit <= 1.5 * largest else largest


def _bar(sent: int, whole: int, highest: int, low: int, high: int, *, over: bool) -> str:
    said = f"{count_of(sent, 'request')} of {low:,} to {high:,} tokens; not trimming, {whole:,}"
    look = ' class="hl-beyond"' if over else ""
    heights = f"--sent:{sent / highest:.2%};--whole:{whole / highest:.2%}"
    return f'<i{look} style="{heights}" title="{said}"></i>'


def _limit(limit: int, end: int, name: str) -> str:
    if not 0 < limit <= end:
        return ""
    side = " hl-left" if limit > end * 0.8 else ""
    return f'<b class="hl-limit{side}" style="left:{limit / end:.2%}">{name} {short_count(limit)}</b>'


def _ticks(end: int) -> str:
    shown = (int(end * place / (TICKS - 1)) for place in range(TICKS))
    return "".join(f"<span>{short_count(tick)}{'' if tick else ' tokens'}</span>" for tick in shown)
