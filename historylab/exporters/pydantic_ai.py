"""`pydantic_ai`: a hook for Pydantic AI (from version 2) that sends exactly what the playground shows.

Source: the `before_model_request` hook. A history processor would replace the history with what it returns, so that
a later request could no longer be planned from the whole conversation.
"""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`pip install historylab pydantic-ai`, then Agent(…, capabilities=[hooks])"
IMPORTS = """\
from dataclasses import replace

from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelRequest, SystemPromptPart
"""
CODE = '''
hooks = Hooks()


@hooks.on.before_model_request
async def trim_history(ctx, request_context):
    """Only what is sent is trimmed, the run keeps everything. `instructions` and tools count as overhead."""
    return replace(request_context, messages=to_send(request_context.messages))


def to_send(messages):
    """The messages of the next request: your own parts, and new ones for a summary or a result that was shortened."""
    given = [record for message in messages for record in as_records(message)]
    own = {id(record) for record in given}
    sent = []
    for record in trim(given, settings):
        message, parts = record.get("given") or (None, [SystemPromptPart(record["content"])])
        if message is not None and id(record) not in own:
            parts = [replace(parts[0], content=record["content"])]
        if sent and message is not None and sent[-1][0] is message:
            sent[-1][1].extend(parts)
        else:
            sent.append((message, list(parts)))
    return [as_message(message, parts) for message, parts in sent]


def as_message(message, parts):
    if message is None:
        return ModelRequest(parts=parts)
    same = len(parts) == len(message.parts) and all(map(lambda a, b: a is b, parts, message.parts))
    return message if same else replace(message, parts=parts)


def as_records(message):
    """Chat messages: one for a response, one for each part of a request."""
    if message.kind == "response":
        text = "\\n".join(part.content for part in message.parts if part.part_kind == "text")
        calls = [as_call(part) for part in message.parts if part.part_kind == "tool-call"]
        yield {"role": "assistant", "content": text, "tool_calls": calls, "given": (message, message.parts)}
        return
    for part in message.parts:
        record = {"role": "system", "content": getattr(part, "content", ""), "given": (message, [part])}
        if part.part_kind == "user-prompt":
            record |= {"role": "user", "content": as_content(part.content)}
        elif getattr(part, "tool_name", None):
            said = part.model_response_str() if part.part_kind == "tool-return" else part.model_response()
            record |= {"role": "tool", "tool_call_id": part.tool_call_id, "content": said}
        elif hasattr(part, "model_response"):
            record |= {"role": "user", "content": part.model_response()}
        elif not isinstance(record["content"], str):
            record["content"] = ""
        yield record


def as_call(part):
    arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return {"id": part.tool_call_id, "function": {"name": part.tool_name, "arguments": arguments}}


def as_content(content):
    if isinstance(content, str):
        return content
    return [piece if isinstance(piece, str) else {"type": "file"} for piece in content]
'''


@register(
    "exporter", title="Pydantic AI", file_name="historylab_pydantic_ai.py", mime="text/x-python", language="python"
)
def pydantic_ai(settings: Settings, names: Sequence[str]) -> str:
    """A hook for Pydantic AI: every request sends what the playground shows."""
    return python_module(settings, names, USE, CODE, IMPORTS)
