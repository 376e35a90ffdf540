"""Many chats as JSON Lines, packed into more bytes than a reader takes in at once."""

from __future__ import annotations

import gzip
import json
import random

import pyarrow


def zstd(data: bytes) -> bytes:
    return pyarrow.compress(data, "zstd", asbytes=True)


def in_members(data: bytes) -> bytes:
    """As `cat a.gz b.gz` writes it."""
    return gzip.compress(data[: len(data) // 2], 1) + gzip.compress(data[len(data) // 2 :], 1)


PACK = {"gz": in_members, "zst": zstd}
DRAWN = random.Random(1)
CHATS = [
    {"title": f"chat {n}", "messages": [{"role": "user", "content": DRAWN.randbytes(300 + 60 * (n % 90)).hex()}]}
    for n in range(150)
]
LINES = "".join(json.dumps(chat) + "\n" for chat in CHATS).encode()
TITLES = [chat["title"] for chat in CHATS]
PACKED = {ending: pack(LINES) for ending, pack in PACK.items()}
