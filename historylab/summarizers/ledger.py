"""`ledger`: instead of prose, the ids, numbers, paths and addresses of what was dropped; offline and very short."""

from __future__ import annotations

from historylab.registry import register
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.filling import append_ledger, read_ledger
from historylab.summarizers.lines import message_literals


@register("summarizer", "ledger", title="Ids and numbers only")
class LedgerSummarizer:
    """Offline: only ids, numbers, paths and addresses; the newest are kept first."""

    name = "ledger"
    offline = True

    def summarize(self, task: SummaryTask) -> str:
        literals = [x for m in task.messages for x in message_literals(m, task.known)]
        newest_first = list(dict.fromkeys([*reversed(literals), *read_ledger(task.previous)]))
        return append_ledger("", newest_first, task)
