"""Conversations written as sketches: `conv("s u a(t t) a u")`.

s, u, a, t, o: one system, user, assistant, tool or other message. `a(t t)`: an assistant message with two calls and
their results; `a(t _)`: the second is never answered. `!` after a letter pins it. `u:40` makes the text 40 words long,
`a(t:40 t)` the first result.
"""

from __future__ import annotations

import re
from functools import cache

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats import samples

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool", "o": "narrator"}
TOKEN = re.compile(r"([suato])(!?)(?::(\d+))?(?:\(([^)]*)\))?")


load_sample = cache(samples.load_sample)  # once for all tests of a process: they only read it


def every_sample() -> list[tuple[str, Conversation]]:
    """Every conversation of every sample, with the sample's name for a failure to say."""
    return [(name, conversation) for name in samples.samples() for conversation in load_sample(name)]


def conv(sketch: str, words: int = 4) -> Conversation:
    """The conversation a sketch stands for. Its texts are distinct: word i of message k is `w{k}`."""
    messages: list[Message] = []
    for letter, pin, length, inside in TOKEN.findall(sketch):
        k = len(messages)
        text = " ".join([f"w{k}"] * int(length or words))
        results = inside.split()
        calls = tuple(ToolCall(f"call_{k}_{j}", "look_up", f'{{"n": {j}}}') for j in range(len(results)))
        orphan = {"tool_call_id": f"nobody_{k}"} if letter == "t" else {}
        messages.append(Message(ROLES[letter], text, f"m{k}", tool_calls=calls, pinned=bool(pin), **orphan))
        for j, result in enumerate(results):
            if result != "_":
                long = result.partition(":")[2]
                text = " ".join([f"r{k}_{j}"] * int(long)) if long else f"result {k} {j}"
                messages.append(Message("tool", text, tool_call_id=f"call_{k}_{j}"))
    return Conversation(messages, title=sketch)
