"""The cost of a session with what it called beside, printed and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from historylab.cli.base import print_line

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.formats.load import Conversations


def print_session_cost(conversation: Conversation, loaded: Conversations) -> None:
    """A line, if it has sub-agents or compactions by calls of their own."""
    from historylab.costs.session_cost import session_cost
    from historylab.wording.costs import session_cost_sentence

    if said := session_cost_sentence(session_cost(conversation, loaded)):
        print_line(said)


def session_cost_as_json(conversation: Conversation, loaded: Conversations) -> dict[str, Any]:
    """The same under "session"; empty where it has neither."""
    from historylab.costs.session_cost import session_cost

    found = session_cost(conversation, loaded)
    if found is None:
        return {}
    counts = {"sub_agents": found.sub_agents, "compaction_calls": found.summary_calls, "unknown": found.unknown}
    return {"session": {"dollars": float(found.total), "own_dollars": float(found.own), **counts}}
