"""Messages and settings as AgentDock has them."""

from __future__ import annotations

POLICY, LENGTH = "NEXT_PUBLIC_DEFAULT_HISTORY_POLICY", "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH"
TEMPLATE = {"chatSettings": {"historyPolicy": "all", "historyLength": 50}}


def chat(roles: str) -> list[dict]:
    """ "s u a u": one message a letter, `id` the letter and a running number per letter."""
    names = {"s": "system", "u": "user", "a": "assistant", "d": "developer"}
    messages = []
    for letter in roles.split():
        number = 1 + sum(m["id"][0] == letter for m in messages)
        messages.append({"id": f"{letter}{number}", "role": names[letter], "content": f"{letter} {number}"})
    return messages


def ids(messages: list[dict]) -> str:
    return " ".join(m["id"] for m in messages)
