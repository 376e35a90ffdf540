"""The bar of a request's context by kind of tokens: of the window or the budget, as HTML. Its name says every number.

The scale is the same for every request of a timeline, so that a script can move the bar from request to request: the
width of `[data-kind]` is its tokens ÷ `data-scale`, `free` is what is left of `data-limit`.
"""

from __future__ import annotations

from collections.abc import Iterator

from historylab.planning.context_fill import ContextLimit, context_by_kind, context_fill, context_limit
from historylab.planning.replay import Timeline
from historylab.wording.context import kind_in_words
from historylab.wording.palette import KINDS, Look
from historylab.wording.untrusted import escape

UNSEEN = Look("", "", "", "")


def context_bar(timeline: Timeline, number: int, key: str) -> str:
    """The bar of request `number` (from 0); `key` is what the browser calls the timeline."""
    limit, filled = context_limit(timeline), context_fill(timeline, number)
    shown = {kind: tokens for kind, tokens in filled.items() if _ever(timeline, kind)}
    parts = "".join(_segment(kind, tokens, limit) for kind, tokens in shown.items())
    told = escape(", ".join(f"{_word(timeline, kind)} {tokens:,}" for kind, tokens in shown.items() if tokens))
    named = f'role="img" aria-label="Tokens by kind: {told}" title="{told}"'
    return (
        f'<div class="hl-context" data-kinds="{key}" data-scale="{limit.scale}" data-limit="{limit.tokens}">'
        f'<div class="hl-context-bar" {named}>{parts}{_marks(limit)}</div></div>'
    )


def _ever(timeline: Timeline, kind: str) -> bool:
    """Whether any request has tokens of that kind."""
    if kind == "free":
        return True
    if kind == "reserve":
        return bool(timeline.settings.reserve)
    if kind == "overhead":
        return bool(context_by_kind(timeline)[kind].any())
    return bool(timeline.tokens_by_kind[kind].any())


def _word(timeline: Timeline, kind: str) -> str:
    return kind_in_words(timeline, kind) if kind in KINDS else kind


def _segment(kind: str, tokens: int, limit: ContextLimit) -> str:
    share = 100 * max(0, tokens) / limit.scale
    glyph = KINDS.get(kind, UNSEEN).glyph
    return f'<i class="hl-kind-{kind}" data-kind="{kind}" style="width:{share:.3f}%">{glyph}</i>'


def _marks(limit: ContextLimit) -> str:
    return "".join(
        f'<span class="hl-context-mark hl-at-{name}" style="left:{100 * tokens / limit.scale:.3f}%"></span>'
        for name, tokens in _limits(limit)
    )


def _limits(limit: ContextLimit) -> Iterator[tuple[str, int]]:
    """The limits inside the bar."""
    if limit.threshold is not None:
        yield "threshold", limit.threshold
    if limit.budget is not None:
        yield "budget", limit.budget
    if limit.tokens < limit.scale:
        yield "limit", limit.tokens
