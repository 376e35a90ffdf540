"""LangChain messages: as `messages_to_dict`, `dumpd` or `model_dump` write them, in a list, an object or JSON lines.

Chunks of a streamed answer are one message; a deletion marker and a secret's placeholder are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.frameworks.langchain_messages import is_dumped_message, read_langchain_messages
from historylab.formats.messages.record_groups import Grouping
from historylab.registry import register

GROUPING = Grouping(("messages", "chat_history"), is_dumped_message)
SPOKEN = ("human", "ai", "AIMessageChunk")


def looks_dumped(content: Content) -> float:
    """0.9 for serialised constructors, 0.8 for messages with a kind and data, 0.7 for a kind and content alone."""
    found = [record for record in GROUPING.sample(content.values) if isinstance(record, dict)]
    messages = [record for record in found if is_dumped_message(record)]
    if any("lc" in record for record in messages):
        return 0.9
    if not messages or len(messages) * 2 < len(found):
        return 0
    if any(isinstance(record.get("data"), dict) for record in messages):
        return 0.8
    spoken = [record for record in messages if record.get("type") in SPOKEN and "role" not in record]
    return (0.8 if any("additional_kwargs" in record for record in spoken) else 0.7) if spoken else 0


def most_named_provider(messages: list[Message]) -> str:
    """The provider that most answers name."""
    named = Counter(name for m in messages if isinstance(name := m.metadata.get("provider"), str))
    return named.most_common(1)[0][0] if named else ""


@register("format", title="LangChain messages", recognise=looks_dumped, marks="lc additional_kwargs response_metadata")
def langchain(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages of LangChain, dumped as dicts or serialised."""
    for group in GROUPING.groups(content.values, report):
        messages = read_langchain_messages(group.records, report)
        yield group.conversation(messages, report, provider=most_named_provider(messages))
