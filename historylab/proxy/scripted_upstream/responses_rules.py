"""OpenAI Responses refuses: calls and outputs that don't match up, reasoning without what it led to, and the reverse.

Sources, beside its API reference and error messages: reasoning and the item after it,
https://github.com/continuedev/continue/issues/8933 and .../issues/11994; items that aren't stored,
https://github.com/vercel/ai/issues/7543 and https://github.com/earendil-works/pi/issues/5059 (404).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from historylab.proxy.scripted_upstream.api import RefusedByApi
from historylab.proxy.scripted_upstream.seals import unseal
from historylab.proxy.scripted_upstream.stored_responses import StoredResponses

ROLES = ("assistant", "system", "developer", "user")
CALLS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call")
SEALED = "gAAAA"
"""The beginning of encrypted items."""


def check_responses(body: Mapping[str, Any], stored: StoredResponses) -> None:
    """Raise RefusedByApi for what Responses refuses; `input` is there with all that it refers to."""
    if not isinstance(body.get("model"), str):
        raise RefusedByApi("Missing required parameter: 'model'.", "model", "missing_required_parameter")
    items = body["input"]
    if not items:
        said = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."
        raise RefusedByApi(said, "input", "missing_required_parameter")
    for k, item in enumerate(items):
        _check_item(k, item)
    _check_calls(items)
    _check_reasoning(items, stored)


def _check_item(k: int, item: Any) -> None:
    if not isinstance(item, Mapping):
        raise RefusedByApi(f"Invalid type for 'input[{k}]': expected an object.", f"input[{k}]", "invalid_type")
    if item.get("type", "message") != "message":
        return
    if item.get("role") not in ROLES:
        known = ", ".join(repr(role) for role in ROLES)
        said = f"Invalid value: {item.get('role')!r}. Supported values are: {known}."
        raise RefusedByApi(said, f"input[{k}]", "invalid_value")
    if not isinstance(item.get("content"), str | list):
        raise RefusedByApi(
            f"Missing required parameter: 'input[{k}].content'.", f"input[{k}].content", "missing_required_parameter"
        )
    parts = item["content"] if isinstance(item["content"], list) else []
    kinds = ("output_text", "refusal") if item["role"] == "assistant" else ("input_text", "input_image", "input_file")
    for j, part in enumerate(parts):
        if part.get("type") not in kinds:
            said = f"Invalid value: {part.get('type')!r}. Supported values are: {', '.join(map(repr, kinds))}."
            raise RefusedByApi(said, f"input[{k}].content[{j}]", "invalid_value")


def _check_calls(items: Sequence[Mapping[str, Any]]) -> None:
    """A call is answered by one output of its kind, a custom one by several: it may notify."""
    asked: dict[str, str] = {}
    answered: set[str] = set()
    for item in items:
        kind = str(item.get("type"))
        if kind in CALLS:
            asked[item["call_id"]] = kind
        called = kind.removesuffix("_output").replace("custom_tool", "custom_tool_call").replace("call_call", "call")
        if kind.endswith("_output") and called in CALLS:
            id = item.get("call_id")
            if asked.get(str(id)) != called or (id in answered and called != "custom_tool_call"):
                name = "custom tool call" if called == "custom_tool_call" else called.replace("_", " ")
                raise RefusedByApi(f"No tool call found for {name} output with call_id {id}.", "input")
            answered.add(str(id))
    if missing := [id for id in asked if id not in answered]:
        name = "custom tool call" if asked[missing[0]] == "custom_tool_call" else asked[missing[0]].replace("_", " ")
        raise RefusedByApi(f"No tool output found for {name} {missing[0]}.", "input")


def _check_reasoning(items: Sequence[Mapping[str, Any]], stored: StoredResponses) -> None:
    led: set[Any] = set()
    for k, item in enumerate(items):
        if item.get("type") == "compaction":
            _check_encrypted(item, stored)
        if item.get("type") == "reasoning":
            led.add(item.get("id"))
            _check_encrypted(item, stored)
            following = next((other for other in items[k + 1 :] if other.get("type") != "reasoning"), {})
            if not _follows(item, following):
                said = f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
                raise RefusedByApi(said, "input")
        needed = stored.reasoning_of(item.get("id"))
        if needed and needed not in led:
            raise RefusedByApi(
                f"Item '{item['id']}' of type '{item.get('type', 'message')}' was provided without its required "
                f"'reasoning' item: '{needed}'.",
                "input",
            )


def _check_encrypted(item: Mapping[str, Any], stored: StoredResponses) -> None:
    encrypted = item.get("encrypted_content")
    if encrypted is not None and unseal(str(encrypted).removeprefix(SEALED)) is None:
        raise RefusedByApi(
            f"The encrypted content {str(encrypted)[:8]}... could not be verified. Reason: Encrypted content could not "
            "be decrypted or parsed.",
            code="invalid_encrypted_content",
        )
    if encrypted is None and not stored.is_stored(item.get("id")):
        raise RefusedByApi(
            f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is set to false. Try "
            "again with `store` set to true, or remove this item from your input.",
            "input",
            status=404,
        )


def _follows(reasoning: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Tell whether a model made the item; a call has to be of the same answer, which its id tells."""
    kind = str(item.get("type", "message"))
    if kind == "message":
        return item.get("role") == "assistant"
    unique = unseal(str(reasoning.get("encrypted_content")).removeprefix(SEALED))
    own = unique is None or unique in str(item.get("call_id", unique))
    return kind.endswith("_call") and own
