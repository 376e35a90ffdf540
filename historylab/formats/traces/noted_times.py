"""The times that a Trimmer noted of messages without any: by them it decided, where settings look at times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from historylab.conversation.digests import link_of
from historylab.conversation.message import Message, prompt_length


def with_noted_times(messages: Sequence[Message], state: Mapping[str, str]) -> list[Message]:
    """The messages, each with the time that the state has of it, if any."""
    timed, link = list(messages), ""
    leading = prompt_length(messages)
    for i, message in enumerate(messages[leading:], leading):
        link = link_of(link, message)
        if link in state:
            timed[i] = replace(message, timestamp=state[link])
    return timed
