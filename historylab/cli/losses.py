"""What `show` says of losses: what is kept by kind, how bad the losses are, and what fetching them again would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from historylab.cli.base import print_line, print_table
from historylab.errors import SettingsError

if TYPE_CHECKING:
    from historylab.costs.bill import Bill
    from historylab.planning.replay import Timeline
    from historylab.recall.retention import Loss, Retention

LOSSES = 10  # rows shown
FIELDS = ("kind", "message", "value", "needed_by", "used_as", "requests", "severity", "fetch_tokens")


def print_losses(kept: Retention) -> None:
    """The losses, the worst first, after what is kept by kind of value."""
    from historylab.wording.costs import fetching_sentence
    from historylab.wording.losses import RECALL_UNKNOWN, severity_line, severity_words, value_kinds_line, worst_first
    from historylab.wording.phrases import capitalize_first

    if kept.timeline.original.recorded.textless:
        print_line(RECALL_UNKNOWN)
    for line in filter(None, (value_kinds_line(kept), severity_line(kept))):
        print_line(f"{line}.")
    if said := fetching_sentence(kept, _bill(kept.timeline)):
        print_line(said)
    if not kept.losses:
        return
    rows = [
        (
            loss.step + 1,
            _forgotten(loss),
            f"{capitalize_first(severity_words(loss))}. {kept.explain(loss).undo_sentence}",
        )
        for loss in worst_first(kept.losses)[:LOSSES]
    ]
    title = f"Forgotten: {len(kept.losses):,}" + (f", the worst {LOSSES}" if len(kept.losses) > LOSSES else "")
    print_table(title, ("request", "what it no longer had", "how bad, and what would have kept it"), rows)


def _forgotten(loss: Loss) -> str:
    """ "“ORD-0917” (message 3), needed by a call (book.number)" """
    from historylab.wording.losses import lost_value, used_as

    needed = "must remember" if loss.kind == "star" else f"needed by {used_as(loss)}"
    return f"“{lost_value(loss)}” (message {loss.message + 1:,}), {needed}"


def losses_as_json(kept: Retention) -> dict[str, Any]:
    """Every loss, what is kept by kind of value, and what fetching again would take: an estimate, in no other sum."""
    priced, fetches = _bill(kept.timeline), kept.fetches
    tokens = sum(fetch.tokens for fetch in fetches.values())
    dollars = None if priced is None else float(priced.cost_of_fetching(kept.fetched_tokens()))
    return {
        "losses": [_loss_as_json(loss) for loss in kept.losses],
        "kept_by_value": {kind: {"total": k.total, "kept": k.kept} for kind, k in kept.by_value.items()},
        "fetch_again": {"calls": sum(f.count for f in fetches.values()), "tokens": tokens, "dollars": dollars},
    }


def _loss_as_json(loss: Loss) -> dict[str, Any]:
    fields = {name: getattr(loss, name) for name in FIELDS}
    return {"request": loss.step + 1, "estimate": loss.estimate, **fields}


def _bill(timeline: Timeline) -> Bill | None:
    from historylab.costs.bill import bill

    try:
        return bill(timeline)
    except SettingsError:  # the prices are unknown
        return None
