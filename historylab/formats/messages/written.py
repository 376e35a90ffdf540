"""A conversation as an API would take it, to be written in that API's shape; what it has no place for is counted.

Results stand directly after their calls, each call once under an id of its own; what an API would refuse (a result
without its call, a call without its result, an unknown role) is written as text, or left out, and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, prompt_length
from historylab.conversation.recorded import PARAMETERS, PROVIDER, TOOLS
from historylab.conversation.usage import MODEL
from historylab.formats.base import Losses
from historylab.formats.messages.fields import unpack_json

NOTES = {"thinking": "thinking", "usage": "usage", MODEL: "models of answers", "is_error": "marks of failed calls"}
PASSED_OVER = ("role", "function_call", "refusal")  # of a message's metadata: said by its role, its calls, its text
NAME = re.compile(r"[^\s<|\\/>]{1,64}")
"""Names of speakers that OpenAI takes."""
BOUNDARIES = "where one message ends and the next of its role begins"
WRAPPED = "arguments"
"""The only name in an object that holds arguments which are none."""
OPENING = "(The assistant begins.)"
"""The first words of a user, for an API that wants some where none spoke first."""


@dataclass(frozen=True)
class ApiFeatures:
    """The things an API takes: names of speakers, marks of failed calls, thinking.

    `call_ids`: a pattern of what the id of a call may not hold. `parts`: a message's text and media as its API takes
    them, if that is how it was read; else None.
    """

    names: bool = False
    errors: bool = False
    thinking: bool = False
    call_ids: str = ""
    parts: Callable[[Message], object] = lambda message: None


def messages_to_write(conversation: Conversation, losses: Losses, rules: ApiFeatures) -> list[Message]:
    """The messages in an order an API takes, without media that it can't be given; what is lost is counted."""
    for message in conversation:
        _lose(message, losses, rules)
    losses.lose("branches", len(conversation.branches))
    sent: list[Message] = []
    taken: set[str] = set()
    blocks = conversation.blocks
    for block in blocks:
        gap = next(
            (k for k, (i, j) in enumerate(zip(block.indices, block.indices[1:], strict=False), 1) if j > i + 1), 0
        )
        losses.lose("places of results that came late", len(block.indices) - gap if gap else 0)
        messages = [_in_words(conversation[i], rules) for i in block.indices]
        sent += _block(messages, block is blocks[-1], taken, losses, rules)
    return sent


def body(
    conversation: Conversation, losses: Losses, fits: Callable[[str], bool], tool: Callable[[str, str, Any], Any]
) -> tuple[dict[str, Any], list[Any]]:
    """The fields of a request besides the messages: its model, where it `fits` the API, and the tools."""
    recorded, said = conversation.recorded, conversation.metadata
    fields: dict[str, Any] = {}
    if recorded.model and fits(recorded.model):
        fields[MODEL] = recorded.model
    else:
        losses.lose("the model", recorded.model is not None)
    definitions = [_definition(each) for each in recorded.tools.definitions]
    losses.lose("definitions of the provider's own tools", definitions.count(None))
    parameters = said.get(PARAMETERS)
    losses.lose("request parameters", len(parameters) if isinstance(parameters, Mapping) else 0)
    losses.lose("fields beside the messages", len(said.keys() - {MODEL, TOOLS, PARAMETERS, PROVIDER}))
    return fields, [tool(*each) for each in definitions if each]


def merge_turns(turns: Iterable[tuple[str, list[Any]]], losses: Losses, opening: Any) -> list[tuple[str, list[Any]]]:
    """Turns of (role, parts) for an API that takes no empty ones, none of one role in a row, and the user's first.

    `opening`: the part of a turn that is added for the user, where the assistant begins.
    """
    found: list[tuple[str, list[Any]]] = []
    for role, parts in turns:
        if not parts:
            losses.lose("empty messages")
        elif found and found[-1][0] == role:
            before = found[-1][1]
            losses.lose(BOUNDARIES, not (_is_result(parts[0]) or _is_result(before[-1])))
            before.extend(parts)
        else:
            found.append((role, list(parts)))
    if found and found[0][0] != "user":
        losses.lose("a start by the assistant, after a message added for the user")
        return [("user", [opening]), *found]
    return found


def split_systems(messages: Sequence[Message], losses: Losses) -> tuple[list[str], list[Message]]:
    """The texts of system messages, which stand apart, and the other messages."""
    late = sum(message.role == "system" for message in messages[prompt_length(messages) :])
    losses.lose("places of system messages, moved to the start", late)
    prompts = [message.content for message in messages if message.role == "system" and message.content]
    return prompts, [message for message in messages if message.role != "system"]


def object_arguments(call: ToolCall, losses: Losses) -> dict[str, Any]:
    """A call's arguments as an object."""
    given = unpack_json(call.arguments or "{}")
    if isinstance(given, dict):
        return given
    losses.lose("arguments that are no JSON object, written in one")
    return {WRAPPED: call.arguments}


def unwrap_arguments(message: Message) -> Message:
    """A message that was written so and read again, arguments that are no JSON object being the text they were."""
    calls = tuple(replace(call, arguments=_unwrap(call.arguments)) for call in message.tool_calls)
    return message if calls == message.tool_calls else replace(message, tool_calls=calls)


def _unwrap(arguments: str) -> str:
    given = unpack_json(arguments)
    alone = given[WRAPPED] if isinstance(given, dict) and given.keys() == {WRAPPED} else None
    return alone if isinstance(alone, str) else arguments


def _lose(message: Message, losses: Losses, rules: ApiFeatures) -> None:
    losses.lose("images, sound and files", 0 if rules.parts(message) else len(message.media))
    name = message.name if message.role != "tool" else None
    losses.lose("names of speakers", name is not None and not (rules.names and NAME.fullmatch(name)))
    losses.lose("ids of messages", message.id is not None)
    losses.lose("times", message.timestamp is not None)
    losses.lose("pins", message.pinned)
    for key in message.metadata:
        kept = {"is_error": rules.errors, "thinking": rules.thinking}
        if key not in PASSED_OVER and not kept.get(key):
            losses.lose(NOTES.get(key, "other notes on messages"))
    losses.lose("roles that it hasn't, written as user", message.role not in ROLE_CODES)


def _in_words(message: Message, rules: ApiFeatures) -> Message:
    """The message in a role that APIs have, with a word for each of its media that the API isn't given."""
    role = message.role if message.role in ROLE_CODES else "user"
    if rules.parts(message):
        return replace(message, role=role)
    text = "\n".join(filter(None, (message.content, *(f"[{name}]" for name in message.media))))
    return replace(message, role=role, content=text, media=())


def _block(messages: list[Message], last: bool, taken: set[str], losses: Losses, rules: ApiFeatures) -> list[Message]:
    """A message with its results, its calls under ids of their own; calls may wait for results only at the very end."""
    first, *results = messages
    if first.role == "tool":
        losses.lose("results without their call, written as user")
        return [replace(first, role="user", tool_call_id=None, name=None)]
    if not first.tool_calls:
        return [first]
    waiting = Counter(result.tool_call_id for result in results)
    calls: list[ToolCall] = []
    renamed: dict[str | None, list[str]] = {}
    for call in first.tool_calls:
        if not (waiting[call.id] or (last and not results)):
            losses.lose("calls without a result")
            continue
        waiting[call.id] -= 1
        chosen = _own_id(call.id, taken, rules)
        losses.lose("ids of calls", chosen != call.id)
        taken.add(chosen)
        renamed.setdefault(call.id, []).append(chosen)
        calls.append(replace(call, id=chosen))
    said = [replace(first, tool_calls=tuple(calls))] if calls or first.content else []
    answers = [replace(result, tool_call_id=renamed[result.tool_call_id].pop(0)) for result in results]
    return said + answers


def _own_id(given: str, taken: set[str], rules: ApiFeatures) -> str:
    wanted = re.sub(rules.call_ids, "_", given) if rules.call_ids else given
    wanted = wanted or "call"
    if wanted not in taken:
        return wanted
    return next(name for k in range(2, len(taken) + 3) if (name := f"{wanted}_{k}") not in taken)


def _definition(given: Mapping[str, Any]) -> tuple[str, str, Any] | None:
    """Name, description and schema of a function, in any provider's spelling; None for a provider's own tool."""
    held = given.get("function")
    function = held if isinstance(held, Mapping) else given
    name, description = function.get("name"), function.get("description")
    schemas = (function.get(key) for key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema"))
    schema = next((schema for schema in schemas if isinstance(schema, Mapping)), {"type": "object", "properties": {}})
    if not isinstance(name, str) or given.get("type") not in (None, "function", "custom"):
        return None
    return name, description if isinstance(description, str) else "", schema


def _is_result(part: Any) -> bool:
    return isinstance(part, dict) and (part.get("type") == "tool_result" or "functionResponse" in part)


def definition_fields(name: str, description: str, **more: Any) -> dict[str, Any]:
    """A definition's fields, without an empty description."""
    return {"name": name, **({"description": description} if description else {}), **more}


def function_tool(name: str, description: str, schema: Any) -> dict[str, Any]:
    """A definition as Chat Completions has it, and Ollama."""
    return {"type": "function", "function": definition_fields(name, description, parameters=schema)}
