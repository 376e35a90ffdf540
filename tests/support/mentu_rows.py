"""Rows as Mentu stores them, and a store that holds them."""

from __future__ import annotations


def rows(sketch: str) -> list[dict]:
    """ "u c r a": one row a letter; c is a call of `Read`, r its result."""
    roles = {"u": "user", "a": "assistant", "c": "tool_use", "r": "tool_result", "s": "system", "x": "narrator"}
    return [
        {"id": f"{letter}{number}", "role": roles[letter], "content": "" if letter == "c" else f"{letter} {number}"}
        | ({"tool_name": "Read", "tool_input": {"secret": "path"}} if letter == "c" else {})
        for number, letter in enumerate(sketch.split())
    ]


def stored(given: list[dict]):
    """A `fetch_rows` over a list: the newest `limit` rows, the oldest of them first."""

    def fetch_rows(conversation_id, limit):
        assert conversation_id == "c1"
        return given if limit is None else given[-limit:]

    return fetch_rows
