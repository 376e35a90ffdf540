"""Conversations whose messages say how many tokens they take: `counted("u200 a100 u300")`, and how to replay them."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.counters.base import PerMessage
from historylab.planning.replay import Timeline, replay
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings
from historylab.summarizers.extractive import ExtractiveSummarizer

ROLES = {"s": "system", "u": "user", "a": "assistant", "c": "assistant", "t": "tool"}
UNCUT = Settings(policy="all", pruner="off", budget=1_000_000)


def size_of(message: Message) -> int:
    """The number in its id; of a message made later (a summary, a cleared result), its words."""
    return (
        int(message.id.split("-")[1])
        if message.id and "cleared" not in message.content
        else len(message.content.split())
    )


COUNTER = PerMessage(size_of, shape=lambda message: message, key="counted")


def counted(sketch: str, times: list[str | None] | None = None) -> Conversation:
    """`u200`: a user message of 200 tokens; `c50 t70`: an assistant message with one call, and its result."""
    messages = []
    for k, token in enumerate(sketch.split()):
        calls = (ToolCall(f"call{k}", "look"),) if token[0] == "c" else ()
        answers = f"call{k - 1}" if token[0] == "t" else None
        time = times[k] if times else None
        messages.append(
            Message(
                ROLES[token[0]], f"m{k}", f"{k}-{token[1:]}", tool_calls=calls, tool_call_id=answers, timestamp=time
            )
        )
    return Conversation(messages)


def replayed(conversation: Conversation, settings: Settings = UNCUT, **changes) -> Timeline:
    instruments = Instruments(counter=COUNTER, summarizer=ExtractiveSummarizer())
    return replay(conversation, settings.replace(**changes) if changes else settings, instruments=instruments)
