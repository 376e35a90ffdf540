"""AgentDock's development log of the newest request, written on every change under NODE_ENV=development."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.resolve import Resolution
from historylab.systems.agentdock import FIELDS, HistorySettings, log_request
from historylab.ui.server.development_log import is_development
from historylab.ui.session import address, session
from historylab.wording.context import counted_by
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import count_actions, count_sent


def agentdock_settings(resolution: Resolution) -> HistorySettings:
    """Our settings as AgentDock's three, with their sources."""
    values = {name: resolution.settings.value(ours) for name, ours in FIELDS.items()}
    sources = {name: resolution.provenance[ours].source for name, ours in FIELDS.items()}
    return HistorySettings(**values, sources=sources)


def log_history(resolution: Resolution, timeline: Timeline) -> None:
    """Log the newest request as it is planned, under all settings, once per change of conversation or settings."""
    agent = one_line(address.linked_agent(), 60)
    now = f"{timeline.original.digest} {timeline.settings.key} {agent}"
    if not timeline.plans or is_foreign(timeline) or not is_development() or not session.note_logged(now):
        return
    sent, said = count_sent(count_actions(timeline.plans[-1]))
    log_request(
        agentdock_settings(resolution),
        agent,
        messages=(said, sent),
        tokens=(int(timeline.untrimmed[-1]), int(timeline.tokens[-1])),
        counter=counted_by(timeline),
    )
