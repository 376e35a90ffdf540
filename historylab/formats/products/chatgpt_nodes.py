"""The messages that nodes of a ChatGPT export hold, read along one path of its tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import with_record
from historylab.formats.messages.walker import OTHER, table_of, text_at, walk_parts
from historylab.formats.shapes.threads import join_thoughts

THOUGHTS, RECAP = "thoughts", "reasoning_recap"
CONTEXTS = {
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context", "repo_summary", "structured_context"),
}
"""Type of a content with instructions beside the conversation → its fields."""

DISPLAY = "tether_browsing_display"
TEXTS = {
    **CONTEXTS,
    **dict.fromkeys(("code", "execution_output", "tether_browsing_code"), ("text",)),
    **dict.fromkeys(("tether_quote", "sonic_webpage"), ("title", "url", "text")),
    "system_error": ("name", "text"),
    DISPLAY: ("result", "summary"),
    "citable_code_output": ("output_str",),
}
"""Type of a content without parts → the fields with its text; of a display the first that says anything."""

OTHER_TEXTS = ("text", "result", "content")
"""Fields that the text of a content of any other type stands in, the first that says anything."""

MEDIA = ("image", "audio", "real_time_user_audio_video", "video_container", "file")
PARTS = table_of({OTHER: {"text": "text"}, **{f"{name}_asset_pointer": {"media": "content_type"} for name in MEDIA}})
MOST_RESULTS = 100  # nodes that one call's result may be spread over
LABELS = {"content_type", "parts", "language", "response_format_name", "source_analysis_msg_id", "domain"}
LABELS |= {"assets", "tether_id", "repository"}


@dataclass(slots=True, eq=False)
class Node:
    """A node: its id, its location, its message (None in a mere root), and the node it follows."""

    key: str
    where: str
    message: dict[str, Any] | None
    parent: Node | None = field(default=None, repr=False)
    role: str = field(init=False)  # empty if its author has none
    content: dict[str, Any] = field(init=False)
    kind: str = field(init=False)  # the type of its content
    about: dict[str, Any] = field(init=False)
    time: Any = field(init=False)
    recipient: str = field(init=False)  # the tool that it calls; empty for a message to everybody
    hidden: bool = field(init=False)  # from the screen

    def __post_init__(self) -> None:
        message = self.message or {}
        self.role = text_in(object_in(message, "author"), "role") or ""
        self.content, self.about = object_in(message, "content"), object_in(message, "metadata")
        self.kind = text_in({"content_type": "text", **self.content}, "content_type") or ""
        self.time = message.get("create_time")
        recipient = text_in(message, "recipient") if self.role == "assistant" else None
        self.recipient = recipient if recipient and recipient != "all" else ""
        self.hidden = bool(self.about.get("is_visually_hidden_from_conversation")) or message.get("weight") == 0

    @property
    def call(self) -> Node | None:
        """The call that it answers as a tool's node; other results of the same call may stand between."""
        on: Node | None = self
        for _ in range(MOST_RESULTS):
            if on is None or on.role != "tool":
                break
            on = on.parent
        return on if on is not None and on is not self and on.recipient else None


def read_node(node: Node, report: Report) -> list[Message]:
    """The message that a node is; none if nothing in it is one. Thoughts are a message of nothing else."""
    if node.message is None:
        return []
    problem, before = _problem(node), report.warned
    text, media = ("", ()) if problem else _content(node, report)
    if not problem and not (text or media or node.recipient or node.call):
        problem = "an empty node"
    if problem:
        report.skip(problem, node.where)
        return []
    report.records += 1
    remarked = report.warned > before
    if node.kind == THOUGHTS:
        return [Message("assistant", id=node.key, metadata={"thinking": text})]
    return with_record([_message(node, text, media, report)], [node.message], remarked)


def join_messages(before: Message, message: Message) -> Message | None:
    """The message of thoughts and the answer they led to, or of two results of one call."""
    if whole := join_thoughts(before, message):
        whole = replace(whole, metadata={**message.metadata, **whole.metadata})
    elif before.role == message.role == "tool" and before.tool_call_id == message.tool_call_id:
        text = join_texts((before.content, message.content))
        whole = replace(before, content=text, media=(*before.media, *message.media))
    return whole and replace(whole, source=[*(before.source or ()), *(message.source or ())] or None)


def _problem(node: Node) -> str:
    if not node.role:
        return "no role"
    if node.kind == RECAP:
        return "a line on how long the model thought"
    if node.hidden and not (node.recipient or node.call or node.kind in CONTEXTS or _instructions(node)):
        return "a hidden node"
    return ""


def _message(node: Node, text: str, media: tuple[str, ...], report: Report) -> Message:
    time, role, call = iso_time(node.time), node.role, node.call
    if node.time is not None and time is None:
        report.warn("a timestamp that is no time", node.where)
    if node.kind in CONTEXTS or (_instructions(node) and role in ("system", "user")):
        return Message("system", text, node.key, timestamp=time, metadata={"custom_instructions": True})
    model = text_in(node.about, "model_slug") if role == "assistant" else None
    told = {"model": model, "is_error": node.kind == "system_error" or None, "hidden": node.hidden or None}
    metadata: dict[str, Any] = {name: held for name, held in told.items() if held is not None}
    if role == "tool" and call is None:
        report.warn("a tool's message that answers no call, read as the user's", node.where)
        metadata, role = {**metadata, "role": "tool", "injected": True}, "user"
    if role not in ROLE_CODES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", node.where)
    calls, words = ((ToolCall(node.key, node.recipient, text),), "") if node.recipient else ((), text)
    name = text_in(object_in(node.message or {}, "author"), "name") if call is None else None
    called = call.key if call else None
    return Message(role, words, node.key, name or None, calls, called, media, time, metadata=metadata)


def _content(node: Node, report: Report) -> tuple[str, tuple[str, ...]]:
    """Text and media names of a node's content."""
    content, said, fields = node.content, AnswerParts(), TEXTS.get(node.kind, ())
    if node.kind == THOUGHTS:
        items = [item for item in list_in(content, "thoughts") if isinstance(item, dict)]
        texts = [text for item in items for text in _texts(item, ("summary", "content"))]
    elif fields or not isinstance(content.get("parts"), list):
        texts = _texts(content, fields or OTHER_TEXTS)
        if not (fields or texts) and content.keys() - {"content_type"}:
            report.warn(f"a content of type {node.kind[:40]!r} not read", node.where)
        else:
            report.leave(content, LABELS | {*(fields or OTHER_TEXTS)}, node.where)
        texts = texts if fields and node.kind != DISPLAY else texts[:1]
    else:
        walk_parts(content["parts"], "content_type", PARTS, said, node.where, report)
        report.leave(content, LABELS, node.where)
        texts, said.media = said.texts, said.media + _attachments(node)
    return join_texts(texts) or _instructions(node), tuple(said.media)


def _attachments(node: Node) -> list[str]:
    """A name for every file that was attached; images among them are parts of the content."""
    files = [item for item in list_in(node.about, "attachments") if isinstance(item, dict)]
    return ["file" for item in files if not text_at(item, ("mimeType", "mime_type")).startswith("image/")]


def _instructions(node: Node) -> str:
    """Custom instructions, as older exports have them beside an empty system message."""
    held = object_in(node.about, "user_context_message_data")
    return join_texts(_texts(held, ("about_user_message", "about_model_message")))


def _texts(held: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    return [value for name in names if isinstance(value := held.get(name), str) and value.strip()]
