"""Conversations for Octopus in a letter and a number per message."""

from __future__ import annotations

TEN = "x" * 24
"""A message of this text takes 10 tokens: 24 // 4 + 4."""


def chat(roles: str) -> list[dict]:
    """ "s1 u1 c1 t1 a1": messages of 10 tokens each; c calls a tool, t is the result of the call of its number."""
    names = {"s": "system", "u": "user", "a": "assistant", "c": "assistant", "t": "tool"}
    messages = [{"id": name, "role": names[name[0]], "content": TEN} for name in roles.split()]
    for message in messages:
        letter, number = message["id"][0], message["id"][1:]
        if letter == "c":
            message["tool_calls"] = [{"id": f"call{number}", "type": "function", "function": {"name": "look_up"}}]
        if letter == "t":
            message["tool_call_id"] = f"call{number}"
    return messages


def ids(messages) -> str:
    return " ".join(m.get("id") or m["content"] for m in messages)
