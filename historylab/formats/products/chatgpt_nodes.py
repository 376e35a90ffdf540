"""The messages that nodes of a ChatGPT export hold, read along one path of its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.branching import join_texts, moment
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import with_record

THOUGHTS, RECAP = "thoughts", "reasoning_recap"
CONTEXTS = {
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context", "repo_summary", "structured_context"),
}
"""Type of a content with instructions beside the conversation → its fields."""

TEXTS = {
    "code": ("text",),
    "execution_output": ("text",),
    "system_error": ("name", "text"),
    "tether_quote": ("title", "url", "text"),
    "tether_browsing_display": ("result", "summary"),
    "tether_browsing_code": ("text",),
    "citable_code_output": ("output_str",),
    "sonic_webpage": ("title", "url", "text"),
}
"""Type of a content without parts → the fields with its text; of a display the first that says anything."""

PARTS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
    "video_container_asset_pointer": "file",
    "file_asset_pointer": "file",
}
MOST_RESULTS = 100  # nodes that one call's result may be spread over
LABELS = {"content_type", "parts", "language", "response_format_name", "source_analysis_msg_id", "domain"}
LABELS |= {"assets", "tether_id", "repository", "user_profile", "user_instructions"}


@dataclass(slots=True, eq=False)
class Node:
    """A node: its id, its location, its message (None in a mere root), and the node it follows."""

    key: str
    where: str
    message: dict[str, Any] | None
    parent: Node | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        """The type of its content."""
        content = self.object_at("content")
        found = content.get("content_type", "text")
        return found if isinstance(found, str) else ""

    @property
    def role(self) -> str:
        """The role of its author; empty if it names none."""
        return text_in(self.object_at("author"), "role") or ""

    @property
    def created(self) -> float:
        """When, in seconds; 0 if it doesn't say."""
        return moment((self.message or {}).get("create_time"))

    @property
    def recipient(self) -> str:
        """The tool that it calls; empty for a message to everybody."""
        found = (self.message or {}).get("recipient")
        return found if self.role == "assistant" and isinstance(found, str) and found != "all" else ""

    @property
    def hidden(self) -> bool:
        """Whether the screen doesn't show it."""
        message = self.message or {}
        return (
            bool(self.object_at("metadata").get("is_visually_hidden_from_conversation")) or message.get("weight") == 0
        )

    @property
    def call(self) -> Node | None:
        """The call that a tool's node answers; other results of the same call may stand between."""
        on = self.parent
        for _ in range(MOST_RESULTS):
            if on is None or on.role != "tool":
                break
            on = on.parent
        return on if on is not None and on.recipient else None

    @property
    def thinks(self) -> bool:
        """Whether it is the model's thinking, or the line on how long that took."""
        return self.kind in (THOUGHTS, RECAP)

    def object_at(self, name: str) -> dict[str, Any]:
        """The object in that field of its message; empty if there is none."""
        return object_in(self.message or {}, name)


def node_reader(report: Report) -> Callable[[list[Node]], list[Message]]:
    """Reads the messages on a path. What paths share is read, counted and reported once, as the same messages."""
    known: dict[tuple[str, ...], list[Message]] = {}
    counted: set[str] = set()

    def read(path: list[Node]) -> list[Message]:
        messages: list[Message] = []
        for nodes in _units(path):
            key = tuple(node.key for node in nodes)
            if key not in known:
                known[key] = _read([(node, Report() if node.key in counted else report) for node in nodes])
                counted.update(key)
            messages += known[key]
        return messages

    return read


def _units(path: list[Node]) -> Iterator[list[Node]]:
    """Nodes that become one message together: thoughts and the answer they led to, results of one call."""
    unit: list[Node] = []
    for node in path:
        if node.message is None:
            continue
        thought = unit and unit[-1].thinks and node.role == "assistant"
        result = unit and unit[-1].role == node.role == "tool" and unit[-1].call is node.call is not None
        if unit and not (thought or result):
            yield unit
            unit = []
        unit.append(node)
    if unit:
        yield unit


def _read(nodes: list[tuple[Node, Report]]) -> list[Message]:
    """The message of such nodes, each with where to report on it; none if nothing in them is one."""
    thoughts: list[str] = []
    read: list[tuple[Node, str, tuple[str, ...]]] = []
    more: list[Any] = []
    for node, report in nodes:
        problem, before = _problem(node), report.warned
        text, media = ("", ()) if problem else _content(node, report)
        if not problem and not (text or media or node.recipient or (node.role == "tool" and node.call)):
            problem = "an empty node"
        if media or report.warned > before:
            more.append(node.message)
        if problem:
            report.skip(problem, node.where)
        elif node.kind == THOUGHTS:
            report.records += 1
            thoughts.append(text)
        else:
            report.records += 1
            read.append((node, text, media))
    if not read:
        if thoughts:
            report.warn("thinking without an answer", nodes[0][0].where)
        return []
    text, media = join_texts(text for _, text, _ in read), tuple(name for _, _, media in read for name in media)
    return with_record([_message(read[0][0], text, media, thoughts, report)], more, bool(more))


def _problem(node: Node) -> str:
    if not node.role:
        return "no role"
    if node.kind == RECAP:
        return "a line on how long the model thought"
    paired = node.recipient or (node.role == "tool" and node.call)
    if node.hidden and not (paired or node.kind in CONTEXTS or _instructions(node)):
        return "a hidden node"
    return ""


def _message(node: Node, text: str, media: tuple[str, ...], thoughts: list[str], report: Report) -> Message:
    given = (node.message or {}).get("create_time")
    time = iso_time(given) if given is not None else None
    if given is not None and time is None:
        report.warn("a timestamp that is no time", node.where)
    metadata = _metadata(node, thoughts)
    role, call = node.role, node.call if node.role == "tool" else None
    if node.kind in CONTEXTS or (_instructions(node) and role in ("system", "user")):
        return Message("system", text, node.key, timestamp=time, metadata={"custom_instructions": True})
    if role == "tool" and call is None:
        report.warn("a tool's message that answers no call, read as the user's", node.where)
        metadata, role = {**metadata, "role": "tool", "injected": True}, "user"
    if role not in ROLE_CODES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", node.where)
    calls, words = ((ToolCall(node.key, node.recipient, text),), "") if node.recipient else ((), text)
    name = text_in(node.object_at("author"), "name") if call is None else None
    called = call.key if call else None
    return Message(role, words, node.key, name or None, calls, called, media, time, metadata=metadata)


def _metadata(node: Node, thoughts: list[str]) -> dict[str, Any]:
    held = node.object_at("metadata")
    metadata: dict[str, Any] = {}
    if node.role == "assistant" and isinstance(held.get("model_slug"), str):
        metadata["model"] = held["model_slug"]
    if thinking := join_texts(thoughts):
        metadata["thinking"] = thinking
    if node.kind == "system_error":
        metadata["is_error"] = True
    if node.hidden:
        metadata["hidden"] = True
    return metadata


def _content(node: Node, report: Report) -> tuple[str, tuple[str, ...]]:
    """Text and media names of a node's content."""
    content = node.object_at("content")
    if node.kind == THOUGHTS:
        items = [item for item in list_in(content, "thoughts") if isinstance(item, dict)]
        return join_texts(join_texts(_texts(item, ("summary", "content"))) for item in items), ()
    if node.kind in CONTEXTS:
        return join_texts(_texts(content, CONTEXTS[node.kind])) or _instructions(node), ()
    if node.kind in TEXTS:
        report.leave(content, LABELS | set(TEXTS[node.kind]), node.where)
        texts = list(_texts(content, TEXTS[node.kind]))
        return (texts or [""])[0] if node.kind == "tether_browsing_display" else join_texts(texts), ()
    parts = content.get("parts")
    if not isinstance(parts, list):
        return _read_other(node, content, report), ()
    texts, media = [], []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif part is not None:
            text, name = _part(part, node, report)
            texts.append(text)
            media += [name] if name else []
    report.leave(content, LABELS, node.where)
    return join_texts(texts) or _instructions(node), (*media, *_attachments(node))


def _part(part: Any, node: Node, report: Report) -> tuple[str, str]:
    """Text, or the name of the medium, of a part that is no text."""
    kind = part.get("content_type") if isinstance(part, dict) else None
    if isinstance(kind, str) and kind in PARTS:
        return "", PARTS[kind]
    if isinstance(part, dict) and isinstance(part.get("text"), str):  # a transcription, say
        return part["text"], ""
    what = f"of type {kind[:40]!r}" if isinstance(kind, str) else f"that is {kind_of(part)}"
    report.warn(f"a part {what} not read", node.where)
    return "", ""


def _read_other(node: Node, content: dict[str, Any], report: Report) -> str:
    """The text of a content of a type that isn't known."""
    found = list(_texts(content, ("text", "result", "content")))
    if not found and content.keys() - {"content_type"}:
        report.warn(f"a content of type {node.kind[:40]!r} not read", node.where)
    elif found:
        report.leave(content, LABELS | {"text", "result", "content"}, node.where)
    return found[0] if found else _instructions(node)


def _attachments(node: Node) -> list[str]:
    """A name for every file that was attached; images among them are parts of the content."""
    files = [item for item in list_in(node.object_at("metadata"), "attachments") if isinstance(item, dict)]
    return ["file" for item in files if not str(item.get("mimeType") or item.get("mime_type")).startswith("image/")]


def _instructions(node: Node) -> str:
    """Custom instructions, as older exports have them beside an empty system message."""
    held = object_in(node.object_at("metadata"), "user_context_message_data")
    return join_texts(_texts(held, ("about_user_message", "about_model_message")))


def _texts(held: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    yield from (value for name in names if isinstance(value := held.get(name), str) and value.strip())
