"""Measuring many conversations one by one, file by file; a click stops it, another goes on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.costs.workload import Load, Workload, measure_loads
from historylab.counters.badge import Counted, badge_of, counting_of
from historylab.errors import LoadError
from historylab.formats.load import Conversations
from historylab.pricing import Prices
from historylab.settings.model import Settings
from historylab.tuning.corpus import Source, read_source
from historylab.tuning.tally import sizes_of
from historylab.ui.session import cached
from historylab.ui.session.background_work import Interruption, Work
from historylab.ui.shared.notice import fold_lines
from historylab.ui.shared.work_progress import Show
from historylab.wording.cuts import capitalize_first
from historylab.wording.loading import MOST_REASONS, REASON
from historylab.wording.untrusted import one_line

SECONDS_BETWEEN_LOOKS = 0.1  # at the bar, which is also where a click is noticed


@dataclass
class Measured:
    """The loads of the conversations so far, in memory that doesn't grow with their texts.

    `source` is the next to be read, of which `within` conversations are measured. `unread` says why a file was left
    out, `remarks` counts what of the others was skipped or read with a warning.
    """

    loads: list[Load] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)
    source: int = 0
    within: int = 0
    unread: dict[str, str] = field(default_factory=dict)
    remarks: int = 0

    def __len__(self) -> int:
        return len(self.loads)


def measure_workload(
    work: Work, sources: Sequence[Source], settings: Settings, prices: Prices | None, show: Show
) -> None:
    """Measure what is left of the sources into `work`, reporting progress to `show`."""
    found: Measured = work.result or Measured()
    work.result, run = found, _Run(found, sources, Interruption(show))
    counter = cached.counter(settings)
    for load in measure_loads(run.conversations(), settings, prices):
        found.loads.append(load)
        found.counted.append(counting_of(counter, run.conversation, settings.overhead))
        found.within += 1
        if run.show_progress():
            break
    work.done = found.source == len(sources)
    run.interruption.pass_on()


class _Run:
    """One run over what is left."""

    def __init__(self, found: Measured, sources: Sequence[Source], interruption: Interruption):
        self._found, self._sources, self.interruption = found, sources, interruption
        sizes = sizes_of(sources)
        self._shares = [size / sum(sizes) for size in sizes]
        self._done = sum(self._shares[: found.source])
        self._looked, self._here = 0.0, 1  # when it was last shown; how many conversations the source at hand has
        self.conversation = Conversation()

    def conversations(self) -> Iterator[Conversation]:
        """Those to be measured, each read when it is asked for."""
        while self._found.source < len(self._sources):
            here = self._read(self._sources[self._found.source])
            self._here = max(1, len(here))
            for conversation in here[self._found.within :]:
                self.conversation = conversation
                yield conversation
                if isinstance(here, Conversations):  # of a file: what it remembers refers back to it
                    conversation.derived.clear()
            self._done += self._shares[self._found.source]
            self._found.source, self._found.within, self._here = self._found.source + 1, 0, 1
            if self.show_progress():
                return

    def _read(self, source: Source) -> Sequence[Conversation]:
        try:
            conversations = read_source(source)
        except LoadError as problem:
            self._found.unread.setdefault(str(getattr(source, "path", "")), str(problem))
            return ()
        if not self._found.within and isinstance(conversations, Conversations):
            self._found.remarks += conversations.report.remarks
        return conversations

    def show_progress(self) -> bool:
        """Show how far it is, and whether a click came meanwhile."""
        if monotonic() - self._looked > SECONDS_BETWEEN_LOOKS:
            found, share, left = self._found, self._done, 0
            if found.source < len(self._sources):
                share += self._shares[found.source] * found.within / self._here
                left = self._here - found.within
            ahead = self._sources[found.source + 1 :]
            certain = all(isinstance(source, Conversation) for source in ahead)
            self.interruption.step(len(found), len(found) + left + len(ahead), share, certain)
            self._looked = monotonic()
        return self.interruption.has_happened()


def current_workload(work: Work, settings: Settings) -> Workload | None:
    """The workload measured so far; None before the first conversation."""
    found: Measured | None = work.result
    if not found:
        return None
    return Workload(tuple(found.loads), badge_of(cached.counter(settings), settings.model, found.counted))


def not_measured(work: Work) -> None:
    """Say what of the files was left out, and unfold why."""
    found: Measured = work.result or Measured()
    told = [f"{count_of(len(found.unread), 'file')} could not be read"] if found.unread else []
    told += [f"{count_of(found.remarks, 'record')} skipped or read with a warning"] if found.remarks else []
    if told:
        why = [one_line(why, REASON) for why in found.unread.values()]
        more = [f"… and {len(why) - MOST_REASONS:,} more"] if len(why) > MOST_REASONS else []
        st.html(fold_lines(f"{capitalize_first('; '.join(told))}.", why[:MOST_REASONS] + more))
