"""Chat Completions refuses: no messages, unknown roles, calls and results that don't match up.

Source: its error messages, and https://github.com/microsoft/promptflow/pull/3130.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from historylab.proxy.scripted_upstream.api import RefusedByApi

ROLES = ("system", "assistant", "user", "function", "tool", "developer")


def check_chat(body: Mapping[str, Any]) -> None:
    """Raise RefusedByApi for what Chat Completions refuses."""
    if not isinstance(body.get("model"), str):
        raise RefusedByApi("you must provide a model parameter")
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise RefusedByApi("Missing required parameter: 'messages'.", "messages", "missing_required_parameter")
    if not messages:
        raise RefusedByApi(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            "messages",
            "empty_array",
        )
    waiting: list[str] = []
    for k, message in enumerate(messages):
        _check_message(k, message)
        if message["role"] == "tool":
            _take_result(k, message, waiting)
            continue
        _check_answered(k, waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
    _check_answered(len(messages), waiting)


def _check_message(k: int, message: Any) -> None:
    role = message.get("role") if isinstance(message, Mapping) else None
    if role not in ROLES:
        known = ", ".join(repr(name) for name in ROLES[:-1])
        said = f"Invalid value: {role!r}. Supported values are: {known}, and {ROLES[-1]!r}."
        raise RefusedByApi(said, f"messages[{k}].role", "invalid_value")
    if message.get("tool_calls") == []:
        raise RefusedByApi(
            f"Invalid 'messages[{k}].tool_calls': empty array. Expected an array with minimum length 1, "
            "but got an empty array instead.",
            f"messages[{k}].tool_calls",
            "empty_array",
        )
    speaks = message.get("tool_calls") or message.get("function_call") or message.get("refusal") or message.get("audio")
    if message.get("content") is None and not (role == "assistant" and speaks):
        said = "Invalid value for 'content': expected a string, got null."
        raise RefusedByApi(said, f"messages.[{k}].content")
    if not isinstance(message.get("content") or "", str | list):
        raise RefusedByApi("Invalid type for 'content': expected a string or parts.", f"messages.[{k}].content")


def _take_result(k: int, message: Mapping[str, Any], waiting: list[str]) -> None:
    if message.get("tool_call_id") not in waiting:
        raise RefusedByApi(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            f"messages.[{k}].role",
        )
    waiting.remove(message["tool_call_id"])


def _check_answered(k: int, waiting: Sequence[str]) -> None:
    if waiting:
        raise RefusedByApi(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
            f"messages.[{k}].role",
        )
