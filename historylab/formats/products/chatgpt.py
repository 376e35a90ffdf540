"""ChatGPT's data export, `conversations.json`: a list of conversations, or one, each a tree of nodes in `mapping`.

The path from `current_node` to the root is the conversation; edits and regenerated answers are branches. A message to
another recipient than `all` is a call, the tool nodes below it are its result. Custom instructions are a system
message; nodes that are hidden, or of weight 0, are skipped unless they are calls or results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import with_branches
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_others
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.products.chatgpt_nodes import Node, join_messages, read_node
from historylab.formats.shapes.shape import Shape
from historylab.formats.shapes.threads import RecordTree, only_thinks
from historylab.registry import register

TREE = Shape(id="id", parent="parent", time="time")
ABOUT = {"title", "mapping", "current_node", "create_time", "update_time", "conversation_id", "id"}
ABOUT |= {"default_model_slug"}


def _is_export(value: Any) -> bool:
    nodes = list(object_in(value, "mapping").values())[:20] if isinstance(value, dict) else []
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
    tree, nodes = RecordTree(TREE), _nodes(value["mapping"], where, report)
    for key, node in nodes.items():
        followed = node.parent.key if node.parent else None
        tree.add(node.where, {"id": key, "parent": followed, "time": node.time}, read_node(node, report))
    threads = [tree.thread(way, join_messages) for way in tree.ways([value], report, by_time=True)]
    unanswered = dict.fromkeys(m.id or "" for thread in threads for m in thread if only_thinks(m))
    for key in unanswered:
        report.warn("thinking without an answer", nodes[key].where)
    threads = [[m for m in thread if m.id not in unanswered] for thread in threads]
    keep_others(value, ABOUT, where, report)
    about = {"model": value.get("default_model_slug"), "session": value.get("conversation_id") or value.get("id")}
    metadata = {"provider": "openai"} | {key: held for key, held in about.items() if isinstance(held, str) and held}
    return with_branches(threads or [[]], text_in(value, "title") or "", metadata, report)


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
        for child in list_in(mapping[key] or {}, "children"):
            if isinstance(child, str) and child in nodes and child != key:
                nodes[child].parent = node
    for key, node in nodes.items():
        named = text_in(mapping[key] or {}, "parent")
        node.parent = nodes[named] if named in nodes and named != key else node.parent
    return nodes
