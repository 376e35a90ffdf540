"""From a message that called a sub-agent to that one's conversation, and back, among what is open."""

from __future__ import annotations

from historylab.ui.session import opening, viewing


def sub_agents_called_by(message: int) -> list[int]:
    """The places of the sub-agents' conversations that a message of the one on screen called, as far as they are open.

    After an edit it may stand elsewhere than the sub-agents' own metadata says.
    """
    opened = viewing.current_file()
    own = opened.conversation.recorded
    names = [name for name, caller in own.children if caller == message]
    return [
        i
        for i, one in enumerate(opened.conversations if names else ())
        if one.recorded.id in names and one.recorded.parent and one.recorded.parent[0] == own.id
    ]


def caller_in_file() -> tuple[int, int] | None:
    """The place of the conversation that called the one on screen, and the message that did; None if none is open."""
    opened = viewing.current_file()
    own = opened.original.recorded
    if own.parent is None:
        return None
    name, message = own.parent
    among = (i for i, one in enumerate(opened.conversations) if one.recorded.id == name)
    place = next((i for i in among if (own.id, message) in opened.conversations[i].recorded.children), None)
    return None if place is None else (place, message)


def return_to_call(place: int, message: int) -> None:
    """Show the conversation at that place, there at that message."""
    opening.open_which(place)
    viewing.reveal_message(message)
