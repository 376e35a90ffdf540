"""`pydantic_ai`: a hook for Pydantic AI (from version 2) that trims every request.

Source: the `wrap_model_request` hook. A history processor and the `before_model_request` hook replace the history with
what they return, so that a later request could no longer be planned from the whole conversation.
"""

from collections.abc import Iterator, Sequence

from historylab.exporters.base import Difference, first_without
from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`Agent(…, capabilities=[hooks])`; it needs `pip install pydantic-ai` and `pip install .` in a clone of HistoryLab"
)
PROMPT = "`instructions` of an agent are sent with every request; give a `system_prompt` instead."
STANDARD = ("from copy import copy", "from dataclasses import replace")
IMPORTS = """\
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import (
    FilePart,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
"""
CODE = '''
hooks = Hooks()


@hooks.on.model_request
async def trim_history(ctx, *, request_context, handler):
    """Only what is sent is trimmed, the run keeps everything. `instructions` and tools count as overhead."""
    request, given = copy(request_context), as_records(request_context.messages)
    request.messages = as_messages(await trimmer.atrim(given), given, request.messages[-1])
    return await handler(request)


def to_send(messages):
    """The messages of the next request: your own parts, and new ones for what is summarised, shortened or rewritten."""
    given = as_records(messages)
    return as_messages(trimmer.trim(given), given, messages[-1])


def as_records(messages):
    """Chat messages. Each of yours is converted once, as that takes longer than trimming."""
    return [record for message in messages for record in remembered(message)]


# The newest messages' parts and records, by the ids of the messages, which these hold. After changing a part in place
# clear it, too.
known = {}


def remembered(message):
    parts, records = known.get(id(message), (None, None))
    if parts is not message.parts:
        if len(known) >= 50_000:
            known.clear()
        records = converted(message)
        known[id(message)] = message.parts, records
    return records


def as_messages(records, given, newest):
    own, sent = set(map(id, given)), []
    for record in records:
        message, parts = record["given"] if id(record) in own else made(record, newest)
        if sent and (sent[-1][0] is message or message.parts and sent[-1][0] == message):
            sent[-1][1].extend(parts)
        else:
            sent.append((message, list(parts)))
    return [as_message(message, parts) for message, parts in sent]


def as_message(message, parts):
    same = len(parts) == len(message.parts) and all(map(lambda a, b: a is b, parts, message.parts))
    return message if same else replace(message, parts=parts)


def converted(message):
    """Chat messages: one for a response, one for each part of a request; notes without text go with a neighbour."""
    if message.kind == "response":
        calls = [as_call(part) for part in message.parts if part.part_kind == "tool-call"]
        said = [piece for piece in map(as_answer, message.parts) if piece]
        content = said if any("piece" in piece for piece in said) else "\\n".join(piece["text"] for piece in said)
        record = {"role": "assistant", "content": content, "tool_calls": calls, "timestamp": message.timestamp}
        return [{**record, "given": (message, message.parts)}]
    records, notes = [], []
    for part in message.parts:
        if said := as_record(part):
            time = getattr(part, "timestamp", message.timestamp)
            records.append({**said, "timestamp": time, "given": (message, [*notes, part])})
            notes = []
        elif records:
            records[-1]["given"][1].append(part)
        else:
            notes.append(part)
    return records or [{"role": "user", "content": "", "given": (message, notes)}]


def as_record(part):
    """Role and content of a request's part; None for the framework's notes."""
    if part.part_kind == "system-prompt":
        return {"role": "system", "content": part.content}
    if part.part_kind == "user-prompt":
        return {"role": "user", "content": as_content(part.content)}
    if part.part_kind == "speech":
        return {"role": part.speaker, "content": part.transcript or ""}
    if part.part_kind == "tool-return":
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if not hasattr(part, "model_response"):
        return None
    if getattr(part, "tool_name", None):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response()}
    return {"role": "user", "content": part.model_response()}


def as_answer(part):
    if part.part_kind == "file":
        return as_piece(part.content)
    text = {"text": "content", "speech": "transcript"}.get(part.part_kind)
    return {"type": "text", "text": getattr(part, text) or ""} if text else None


def as_call(part):
    arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return {"id": part.tool_call_id, "function": {"name": part.tool_name, "arguments": arguments}}


def as_content(content):
    if isinstance(content, str):
        return content
    return [as_piece(piece) for piece in content if getattr(piece, "kind", "") != "cache-point"]


def as_piece(piece):
    text = piece if isinstance(piece, str) else getattr(piece, "content", None)
    if isinstance(text, str):
        return {"type": "text", "text": text}
    name = piece.media_type if piece.kind == "binary" else piece.kind
    return {"type": next((kind for kind in ("image", "audio") if name.startswith(kind)), "file"), "piece": piece}


def made(record, newest):
    """The new parts of a record in its role, and their message: yours, if the role is the same."""
    role, content = record["role"], record.get("content") or ""
    if not isinstance(content, str):
        content = [part.get("piece") or part.get("text", "") for part in content]
    message, parts = record.get("given") or (None, [])
    if role == "assistant":
        said = [content] if isinstance(content, str) else content
        new = [TextPart(piece) if isinstance(piece, str) else FilePart(piece) for piece in said if piece]
        for call in record.get("tool_calls") or []:
            new.append(ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"]))
        return message if isinstance(message, ModelResponse) else ModelResponse([]), new
    if role == "tool":
        tool = next((part.tool_name for part in parts if hasattr(part, "tool_name")), "")
        new = ToolReturnPart(tool, content, record["tool_call_id"])
    else:
        new = UserPromptPart(content) if role == "user" else SystemPromptPart(content)
    if not isinstance(message, ModelRequest):
        return ModelRequest([], instructions=getattr(newest, "instructions", None)), [new]
    return message, [new if as_record(part) else part for part in parts]
'''


def differs(settings: Settings) -> Iterator[Difference]:
    if not settings.preserve_system_messages:
        yield Difference(("preserve_system_messages",), PROMPT)
    yield from first_without(settings, "What `instructions` say")


@register(
    "exporter",
    title="Pydantic AI",
    use=USE,
    file_name="historylab_pydantic_ai.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"time"}),
    differs=differs,
)
def pydantic_ai(settings: Settings, names: Sequence[str]) -> str:
    """A hook for Pydantic AI, which trims every request with these settings."""
    return python_module(
        settings, names, "pydantic_ai", CODE, imports=IMPORTS, standard=STANDARD, api="chat_completions"
    )
