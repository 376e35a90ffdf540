"""Histories as callers really have them, for property tests: unknown roles, no content, tool calls left half done."""

from __future__ import annotations

from hypothesis import strategies as st

PLAIN_ROLES = ["user", "user", "user", "assistant", "assistant", "system", "developer", "System", "narrator"]
CONTENTS = st.none() | st.integers(0, 60).map("x".__mul__)


@st.composite
def histories(draw) -> list[dict]:
    """Up to about 20 messages; some tool results are missing, come late or answer nobody."""
    history: list[dict] = []
    owed: list[dict] = []
    for number in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(["plain", "plain", "plain", "call", "result", "result", "orphan"]))
        if kind == "call":
            calls = [f"call-{number}-{k}" for k in range(draw(st.integers(1, 3)))]
            history.append(_assistant(calls, draw(CONTENTS)))
            owed += [{"role": "tool", "tool_call_id": call, "content": "r" * 30} for call in calls]
        elif kind == "result" and owed:
            history.append(owed.pop(draw(st.integers(0, len(owed) - 1))))
        elif kind == "orphan":
            history.append({"role": "tool", "tool_call_id": f"nobody-{number}", "content": ""})
        else:
            role = draw(st.sampled_from(PLAIN_ROLES))
            history.append({"role": role, "content": draw(CONTENTS), "id": f"m{number}"})
    return history


def unpaired_parts(history: list[dict]) -> set[str]:
    """Ids of calls without a result, and of results without a call before them."""
    called, unpaired = set(), set()
    for message in history:
        called |= {call["id"] for call in message.get("tool_calls") or ()}
        unpaired |= {call["id"] for call in message.get("tool_calls") or ()}
        if message["role"] == "tool":
            found = message["tool_call_id"] in called
            unpaired ^= {message["tool_call_id"]} if found or message["tool_call_id"] not in unpaired else set()
    return unpaired


def _assistant(calls: list[str], content: str | None) -> dict:
    functions = [{"id": call, "type": "function", "function": {"name": "f", "arguments": "{}"}} for call in calls]
    return {"role": "assistant", "content": content, "tool_calls": functions}
