"""Seals: what a model signs and clients have to bring back unchanged: thinking, encrypted reasoning, thoughts."""

from __future__ import annotations

import base64
import binascii
import hashlib

KEY = b"scripted upstream"  # the same in every process: a conversation may go on after a restart
SIZE = 16
URL_SAFE = str.maketrans("-_", "+/")
"""Google's clients write bytes in the other alphabet than they got them in."""


def seal(text: str) -> str:
    """The text with its signature, in letters that say neither."""
    content = text.encode(errors="replace")
    return base64.b64encode(_digest(content) + content).decode()


def unseal(sealed: object) -> str | None:
    """The text in a seal; None for one that isn't ours, or was changed."""
    try:
        whole = base64.b64decode(str(sealed).translate(URL_SAFE), validate=True)
    except (binascii.Error, ValueError):
        return None
    content = whole[SIZE:]
    return content.decode(errors="replace") if whole[:SIZE] == _digest(content) else None


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, key=KEY, digest_size=SIZE).digest()
