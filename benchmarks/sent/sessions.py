"""Sessions that an agent compacted itself: the sizes at each cut and the cost, beside what the file's own lines say.

The lines are read here once more, by nothing of the package: markers and usage in the order of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from historylab import Conversation, as_sent, bill, load, replay, settings_for
from historylab.conversation.usage import usage_by_request
from historylab.costs.reported import against_reported
from historylab.errors import HistoryLabError

FEWEST = 5  # requests with usage; fewer say little about a cost


@dataclass(frozen=True)
class ToldCut:
    """A marker in a file: the tokens it tells of, and the contexts reported last before it and first after it."""

    before: int | None
    last: int | None
    first: int | None


def told_cuts(path: Path) -> list[ToldCut]:
    """The markers of Claude Code's and Codex's files, by their lines."""
    events = [event for line in _lines(path) if (event := _event(line))]
    found = []
    for k, (kind, tokens) in enumerate(events):
        if kind == "cut":
            last = next((n for what, n in reversed(events[:k]) if what == "request"), None)
            first = next((n for what, n in events[k:] if what == "request"), None)
            found.append(ToldCut(tokens, last, first))
    return found


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _event(line: Mapping[str, Any]) -> tuple[str, int | None] | None:
    """A request with its reported context, or a cut with what it tells; None for any other line."""
    payload = line["payload"] if isinstance(line.get("payload"), dict) else {}
    if line.get("subtype") == "compact_boundary":
        return "cut", (line.get("compactMetadata") or {}).get("preTokens")
    if line.get("type") == "compacted":
        return "cut", None
    if payload.get("type") == "token_count":
        usage = ((payload.get("info") or {}).get("last_token_usage")) or {}
        return ("request", usage["input_tokens"]) if usage.get("input_tokens") else None
    message = line.get("message")
    usage = message.get("usage") if isinstance(message, dict) and not line.get("isSidechain") else None
    if line.get("type") != "assistant" or not isinstance(usage, dict):
        return None
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    context = sum(usage.get(name) or 0 for name in names)
    return ("request", context) if context else None


@dataclass(frozen=True)
class CutRead:
    """A cut as the package reads it, beside what the file says; `None` where one of them says nothing.

    `before_off`, `after_off`: of the tokens told before it, and of the size of the first request after it, as shares.
    `shown_before`: the request before it as shown, with its answer and what was said since.
    """

    request: int
    trigger: str
    told_before: int | None
    shown_before: int | None
    reported_after: int | None
    shown_after: int
    dropped: int
    has_summary: bool

    @property
    def before_off(self) -> float | None:
        return self.shown_before / self.told_before - 1 if self.told_before and self.shown_before else None

    @property
    def after_off(self) -> float | None:
        return self.shown_after / self.reported_after - 1 if self.reported_after else None


def cuts_read(path: Path, conversation: Conversation) -> Iterator[CutRead]:
    """Every cut of a conversation with a marker; the file's are taken in order."""
    timeline, usages = as_sent(conversation), usage_by_request(conversation)
    sizes = conversation.columns.requests.tolist()
    marked = [cut for cut in conversation.recorded.compactions if not cut.inferred]
    for told, cut in zip(told_cuts(path), marked, strict=False):
        at = cut.request
        shown, usage = None, usages[at - 1] if at else None
        if at and usage:
            counter = timeline.instruments.counter
            since = conversation[sizes[at - 1] : sizes[at]]
            later = [m for m in since if m.role != "assistant" and not m.metadata.get("compact_summary")]
            shown = int(timeline.contexts[at - 1]) + usage.output + int(counter.count(later).sum())
        yield CutRead(
            at, cut.trigger or "", told.before, shown, told.first, int(timeline.contexts[at]), len(cut.dropped),
            cut.summary is not None,
        )  # fmt: skip


@dataclass(frozen=True)
class CostRead:
    """Dollars of the requests with usage: reported, and as opened; and of all requests as if nothing had been cut."""

    requests: int
    with_usage: int
    reported: float
    opened: float
    uncut: float

    def off(self, dollars: float) -> float:
        """How far that is from what was reported, as a share of it."""
        return dollars / self.reported - 1


def cost_read(conversation: Conversation) -> CostRead | None:
    """The cost of a session that reports its usage; None where that or the prices are missing, or it is short."""
    try:
        found = against_reported(as_sent(conversation))
        uncut = bill(replay(conversation, settings_for(conversation)))
    except HistoryLabError:
        return None
    if found is None or found.requests < FEWEST:
        return None
    return CostRead(found.of, found.requests, float(found.reported), float(found.computed), float(uncut.total))


def compacted(paths: list[Path]) -> Iterator[tuple[Path, Conversation]]:
    """The conversations of files that have cuts."""
    for path in paths:
        try:
            yield from ((path, one) for one in load(path) if one.recorded.compactions)
        except HistoryLabError:
            continue
