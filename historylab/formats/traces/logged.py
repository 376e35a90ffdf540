"""Values that a log holds as the input or the output of a model call, in whatever shape the application logged them.

A list of messages is read by the format that recognises it. Around it stand a request's body, a response, or a
framework's own wrapping; a plain text is one message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.message import Message
from historylab.conversation.recorded import PARAMETERS, TOOLS
from historylab.conversation.usage import MODEL
from historylab.formats.apis.exchanges import OF_A_REQUEST
from historylab.formats.base import EMPTY_VALUES, NOTHING, Report, describe, kind_of
from historylab.formats.messages.fields import object_in, unpack_json
from historylab.formats.traces.messages import messages_in
from historylab.formats.traces.records import OF_RESPONSE, as_records, calls_in, speech_in, tools_among, unpack_printed

LISTS = ("messages", "contents", "input_messages", "input", "prompt", "prompts", "inputs", "chat_history", "history")
PROMPTS = ("system", "instructions", "systemInstruction", "system_instruction", "system_prompt")
INSTRUCTIONS = ("gen_ai.system_instructions", "gen_ai.system_instruction")  # attributes of a span
TEXTS = ("input", "question", "query", "prompt", "text", "content", "message", "prompts", "user_input", "contents")
WRAPPINGS = ("kwargs", "args", "input", "inputs", "request", "body", "data", "params", "prompt")
ANSWERS = (
    *("messages", "output_messages", "output", "outputs", "response", "result", "text", "completion", "answer"),
    *("content", "message", "data"),
)
SETTINGS = (
    *("temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "max_output_tokens", "stop", "seed"),
    *("frequency_penalty", "presence_penalty", "reasoning_effort", "reasoning", "thinking", "tool_choice"),
    *("response_format", "generationConfig"),
)
READ_OF_BODY = {*LISTS, *PROMPTS, *TEXTS, *WRAPPINGS, *SETTINGS, *OF_RESPONSE, "role", "tools", "functions"}
READ_OF_BODY |= {"content", "name", "type", "lc", "id", "parts", "tool_calls", "model_name"}
PARAMETER_OBJECTS = OF_A_REQUEST | {"metadata", "audio", "extra_body", "extra_headers", "callbacks", "options"}
PARAMETER_OBJECTS |= {"config", "litellm_params", "invocation_params"}
OF_CONFIG = {*PROMPTS, *SETTINGS, "tools"}
KEYS_ALONE = ({"content": "role"}, {"content": "content"})  # LangSmith's exporter takes a message for a list of them
USAGES = ("usage", "usageMetadata", "usage_metadata", "token_usage", "tokenUsage")
CHOICES = (("choices", "message"), ("candidates", "content"), ("generations", "message"))
MOST_WRAPPED = 6
OTHER_ANSWERS = "an answer beside the first (several were asked for), left out"


@dataclass
class Logged:
    """A value as it was read: its messages, and what it says of the request (`model`, `tools`, `parameters`)."""

    messages: list[Message] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)


def logged_input(value: Any, report: Report, where: str) -> Logged:
    """The input of a model call: messages, a request's body, a framework's wrapping of either, or a text."""
    found = _sent_in(unpack_json(value), report, where)
    if not (found.messages or value in NOTHING or report.skips or report.warnings):
        report.warn(f"an input that could not be read, {describe(unpack_json(value))[:60]}", where)
    return found


def logged_answer(value: Any, report: Report, where: str) -> list[Message]:
    """The output of a model call: a response, a message, several, or a text. Only what answers is given back."""
    before = report.skips
    found = _answer_in(value, report, where)
    if not found and value not in NOTHING and report.skips == before:
        report.warn(f"an output that could not be read, {describe(unpack_json(value))[:60]}", where)
    return found


def _sent_in(value: Any, report: Report, where: str, depth: int = 0) -> Logged:
    if isinstance(value, str):
        value = [value] if value else []
    if isinstance(value, list):
        return Logged(_read_list(value, report, where), {TOOLS: tools} if (tools := tools_among(value)) else {})
    if not isinstance(value, dict) or depth > MOST_WRAPPED:
        return Logged()
    if value in KEYS_ALONE:
        report.warn("an input of which only the name of a field was logged", where)
        return Logged()
    value = {**{k: v for k, v in object_in(value, "config").items() if k in OF_CONFIG}, **value}
    found = Logged(about=about_in(value))
    _name_unread(value, report, where)
    said, read = _body(value, report, where)
    if inner := "" if said else next((name for name in WRAPPINGS if isinstance(value.get(name), dict | list)), ""):
        found = _sent_in(value[inner], report, where, depth + 1)
        found.about, said, read = {**about_in(value), **found.about}, found.messages, [inner]
    elif not said:
        texts = ((name, unpack_json(value.get(name))) for name in TEXTS)
        name, text = next(((name, text) for name, text in texts if isinstance(text, str) and text), ("", ""))
        said, read = _read_list([text], report, where) if text else [], [name]
    found.messages = _prompt(value, report, where) + said
    for name in LISTS:
        if name in value and name not in read and value[name] not in NOTHING:
            report.warn(f"a field {name!r} not read", where)
    return found


def _answer_in(value: Any, report: Report, where: str, depth: int = 0) -> list[Message]:
    value = unpack_printed(value)
    if isinstance(value, str):
        return [Message("assistant", value)] if value else []
    if isinstance(value, list) and value and all(isinstance(item, dict) and "message" in item for item in value):
        value = {"choices": value}
    if isinstance(value, list):
        return _last_answer(_read_list(value, report, where, "assistant"))
    if not isinstance(value, dict) or depth > MOST_WRAPPED:
        return []
    choice, others = _first_choice(value)
    if others:
        report.warn(OTHER_ANSWERS, where)
    if choice is None and (calls := calls_in(value.get("toolCalls"))):  # the AI SDK's
        value = {"role": "assistant", "content": value.get("text"), "tool_calls": calls}
    if choice is None and _is_message(value):
        return _last_answer(messages_in(as_records([value], "assistant"), report, where))
    inner = next((value[name] for name in ANSWERS if value.get(name) not in NOTHING), None)
    return _answer_in(inner if choice is None else choice, report, where, depth + 1)


def usage_given(value: Any) -> Any:
    """The usage object in a response, wherever its API puts it; None if there is none."""
    value = unpack_json(value)
    if not isinstance(value, dict):
        return None
    for holder in (value, unpack_json(value.get("llm_output")), unpack_json(value.get("kwargs"))):
        for name in USAGES if isinstance(holder, dict) else ():
            if name in holder and isinstance(held := unpack_json(holder[name]), dict) and held:
                return held
    choice, _ = _first_choice(value)
    return usage_given(choice) if choice is not None and choice is not value else None


def about_in(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request's body beside its messages, as metadata."""
    about: dict[str, Any] = {}
    if isinstance(model := value.get(MODEL) or value.get("model_name"), str):
        about[MODEL] = model
    tools = unpack_json(value.get("tools") or value.get("functions"))
    if isinstance(tools, list) and tools:
        about[TOOLS] = [unpack_json(tool) for tool in tools]
    parameters = {name: value[name] for name in SETTINGS if name in value and value[name] not in EMPTY_VALUES}
    return about | ({PARAMETERS: parameters} if parameters else {})


def prompt_text(value: Any) -> str:
    """A prompt's text: a string, or parts with texts."""
    value = unpack_json(value)
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return prompt_text(next((value[name] for name in ("text", "content", "parts") if value.get(name)), None))
    return "\n".join(filter(None, map(prompt_text, value))) if isinstance(value, list) else ""


def _name_unread(value: dict[str, Any], report: Report, where: str) -> None:
    """Name the fields beside the messages: lists and objects might be messages, too; parameters are kept."""
    for name, held in value.items():
        if name in READ_OF_BODY:
            continue
        if isinstance(held, list | dict) and held and name not in PARAMETER_OBJECTS:
            report.warn(f"a field {name[:40]!r} not read", where)
        else:
            report.keep(name, where)
    tools = unpack_json(value.get("tools") or value.get("functions"))
    if tools and not isinstance(tools, list):
        report.warn(f"tools that are {kind_of(tools)}, not read", where)


def _read_list(value: list[Any], report: Report, where: str, role: str = "user") -> list[Message]:
    while len(value) == 1 and isinstance(value[0], list):  # a batch of one
        value = value[0]
    items = [unpack_printed(item) if isinstance(item, str) else item for item in value]
    if len(items) == 1 and isinstance(items[0], str) and (speech := speech_in(items[0])):
        items = speech
    if items and all(isinstance(item, str) for item in items):
        return [Message(role, text) for text in items if text]
    if defined := tools_among(items):
        items = [item for item in items if not (isinstance(item, dict) and item.get("content") in defined)]
    return messages_in(as_records(items, role), report, where)


def _is_message(value: dict[str, Any]) -> bool:
    return isinstance(value.get("role"), str) or "lc" in value or "tool_calls" in value or "parts" in value


def _prompt(value: dict[str, Any], report: Report, where: str) -> list[Message]:
    """The system prompt beside the messages."""
    if value.keys().isdisjoint(PROMPTS):
        return []
    given = next((value[name] for name in PROMPTS if value.get(name) not in NOTHING), None)
    text = prompt_text(given)
    if given and not text:
        report.warn("a system prompt that could not be read", where)
    return [Message("system", text)] if text else []


def _body(value: dict[str, Any], report: Report, where: str) -> tuple[list[Message], list[str]]:
    """The messages of a request's body, and the fields they were read from."""
    if _is_message(value):
        return _read_list([value], report, where), []
    held = ((name, unpack_json(value[name])) for name in LISTS if name in value)
    name, items = next(((name, items) for name, items in held if isinstance(items, list) and items), ("", []))
    if not name:
        return [], []
    said = _read_list(items, report, f"{where} {name}".strip())
    newest = unpack_json(value.get("input")) or value.get("question")
    if "history" in name and isinstance(newest, str):
        return [*said, Message("user", newest)], [name, "input"]
    return said, [name]


def _first_choice(value: dict[str, Any]) -> tuple[Any, int]:
    """The first of the choices in a response, and the number of the others."""
    for name, inside in CHOICES:
        if name not in value:
            continue
        given: Any = unpack_json(value[name])
        while isinstance(given, list) and given and isinstance(given[0], list):
            given = given[0]
        if isinstance(given, list) and given and isinstance(first := given[0], dict):
            return first.get(inside) or first.get("text") or first.get("delta") or "", len(given) - 1
    return None, 0


def _last_answer(messages: Sequence[Message]) -> list[Message]:
    """The messages after the last that is no answer: a framework may give its whole history back.

    A call that stands in a message of its own is one of the message before it: there was one answer.
    """
    after = next((i + 1 for i in range(len(messages) - 1, -1, -1) if messages[i].role != "assistant"), 0)
    found: list[Message] = []
    for message in messages[after:]:
        if found and message.tool_calls and not message.content:
            found[-1] = replace(found[-1], tool_calls=found[-1].tool_calls + message.tool_calls)
        else:
            found.append(message)
    return found
