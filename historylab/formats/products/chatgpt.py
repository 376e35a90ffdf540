"""ChatGPT's data export, `conversations.json`: a list of conversations, or one, each a tree of nodes in `mapping`.

The path from `current_node` to the root is the conversation; edits and regenerated answers are branches. A message to
another recipient than `all` is a call, the tool nodes below it are its result. Custom instructions are a system
message; nodes that are hidden, or of weight 0, are skipped unless they are calls or results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import paths, with_branches
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.products.chatgpt_nodes import Node, node_reader
from historylab.registry import register

ABOUT = {"title", "mapping", "current_node", "create_time", "update_time", "conversation_id", "id"}
ABOUT |= {"default_model_slug"}


def _is_export(value: Any) -> bool:
    mapping = value.get("mapping") if isinstance(value, dict) else None
    nodes = list(mapping.values())[:20] if isinstance(mapping, dict) else []
    return any(isinstance(node, dict) and ("parent" in node or "children" in node) for node in nodes)


@register("format", title="ChatGPT export", recognise=value_recogniser(_is_export, 0.95), marks="mapping current_node")
def chatgpt(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations of ChatGPT's data export, with edits and regenerated answers as branches."""
    for where, value in located_items(content.values):
        if isinstance(value, dict) and isinstance(value.get("mapping"), dict):
            yield _conversation(value, where, report)
        else:
            report.skip(f"{kind_of(value)} without a mapping of nodes", where)


def _conversation(value: dict[str, Any], where: str, report: Report) -> Conversation:
    nodes = _nodes(value["mapping"], where, report)
    current = value.get("current_node")
    order = {key: (node.created, place) for place, (key, node) in enumerate(nodes.items())}
    parents = {key: node.parent.key if node.parent else None for key, node in nodes.items()}
    found = paths(parents, order.__getitem__, current if isinstance(current, str) else None)
    read = node_reader(report)
    messages = [read([nodes[key] for key in path]) for path in found]
    on_paths = {key for path in found for key in path}
    for key, node in nodes.items():
        if node.message is not None and key not in on_paths:
            report.pass_over("a message on a branch older than those offered", node.where)
    for name, held in value.items():
        if name not in ABOUT and held not in NOTHING:
            report.keep(name, where)
    title = value.get("title")
    return with_branches(messages or [[]], title if isinstance(title, str) else "", _metadata(value), report)


def _nodes(mapping: dict[str, Any], where: str, report: Report) -> dict[str, Node]:
    """The nodes by id, each with its parent, as it names it or as the parent names its children."""
    nodes: dict[str, Node] = {}
    for key, value in mapping.items():
        at = f"{where} mapping[{key[:40]}]".strip()
        message = value.get("message") if isinstance(value, dict) else value
        if isinstance(message, dict | None):
            nodes[key] = Node(key, at, message)
        else:
            report.skip(f"a node whose message is {kind_of(message)}", at)
    for key, node in nodes.items():
        value = mapping[key] or {}
        parent, children = value.get("parent"), value.get("children")
        if isinstance(parent, str) and parent in nodes and parent != key:
            node.parent = nodes[parent]
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str) and child in nodes and child != key and not _names_parent(mapping[child], nodes):
                nodes[child].parent = node
    return nodes


def _names_parent(value: Any, nodes: dict[str, Node]) -> bool:
    parent = value.get("parent") if isinstance(value, dict) else None
    return isinstance(parent, str) and parent in nodes


def _metadata(value: dict[str, Any]) -> dict[str, Any]:
    about = {"model": value.get("default_model_slug"), "session": value.get("conversation_id") or value.get("id")}
    return {"provider": "openai"} | {key: held for key, held in about.items() if isinstance(held, str) and held}
