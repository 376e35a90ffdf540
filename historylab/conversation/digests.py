"""Digests of what messages say, by which a store finds what it keeps of them: the same in every process."""

from __future__ import annotations

import hashlib
import json

from historylab.conversation.message import Message


def said_in(message: Message) -> list[object]:
    """What a message says, without ids, times and metadata."""
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return [message.role, message.name, message.content, calls, message.media]


def digest_of(*parts: object) -> str:
    """A digest of JSON values."""
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=20).hexdigest()


def link_of(before: str, message: Message) -> str:
    """A digest of a message and all before it, whose digest is `before`; "" for none."""
    return digest_of("time", before, said_in(message))
