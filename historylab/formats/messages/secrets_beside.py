"""Keys that a log has beside its messages, in headers, parameters, metadata and records, are no part of what is read.

The words of messages, their media, calls and thinking are what was said, and stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import is_
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, revise
from historylab.conversation.sent import SENT_HISTORIES
from historylab.conversation.usage import MODEL
from historylab.formats.base import Report
from historylab.secrets.redaction import Redaction, without_keys

LEFT_OUT = "keys or other secrets beside the messages left out, [redacted] in their place"
SAID = frozenset({"thinking", "usage", "tokens", MODEL, SENT_HISTORIES})
"""Metadata that is said, named or counted."""

SAID_IN = {"role", "content", "contents", "parts", "text", "thinking", "reasoning", "reasoning_content"}
SAID_IN |= {"reasoning_details", "summary", "refusal", "images", "audio", "annotations", "logprobs"}
SAID_IN |= {"tool_calls", "toolCalls", "function_call"}
SAID_IN |= {"arguments", "args", "input", "action", "actions", "operation", "code", "queries"}
SAID_IN |= {"output", "outputs", "result", "results"}
"""Fields of a message's record with what was said, and by whom: words, media and calls as the provider had them."""

OF_ALL, OF_RECORDS = Redaction(), Redaction(spared=SAID_IN)


def without_secrets(found: Iterable[Conversation], report: Report) -> Iterator[Conversation]:
    """The conversations of a log with "[redacted]" in place of every key beside what is said in them."""
    for one in found:
        clean = _clean(one)
        if clean is not one:
            report.warn(LEFT_OUT, without_keys(str(one.title or clean.metadata.get("conversation_id") or "")))
        yield clean


def _clean(one: Conversation) -> Conversation:
    """The conversation itself, where no key is in it."""
    metadata, keys = _clean_metadata(one.metadata)
    messages = [_clean_message(each) if each.metadata or each.source is not None else each for each in one]
    branches = tuple(map(_clean, one.branches))
    same = all(map(is_, (*messages, *branches), (*one, *one.branches)))
    return one if same and not keys else Conversation(messages, one.title, metadata, branches)


def _clean_message(message: Message) -> Message:
    source = message.source
    if message.metadata.keys() <= SAID and (source is None or (type(source) is dict and source.keys() <= SAID_IN)):
        return message  # as are most
    metadata, keys = _clean_metadata(message.metadata) if message.metadata else (message.metadata, 0)
    source, more = OF_RECORDS.redact(source)
    return revise(message, metadata=metadata, source=source) if keys or more else message


def _clean_metadata(metadata: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    clean, keys = OF_ALL.redact({name: value for name, value in metadata.items() if name not in SAID})
    return ({**metadata, **clean} if keys else metadata), keys
