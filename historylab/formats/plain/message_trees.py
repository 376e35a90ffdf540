"""Trees of messages in which each holds those that answer it: OASST's, as rows too, and LibreChat's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import list_in, object_in
from historylab.formats.messages.paths import Located, holds
from historylab.formats.messages.record_groups import value_recogniser
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

Values: TypeAlias = Mapping[str, tuple[Any, ...]]
OASST = Shape.of(
    {
        "role": "role",
        "roles": {"prompter": "user"},
        "text": "text",
        "id": "message_id",
        "parent": "parent_id",
        "time": "created_date",
        "conversation": "message_tree_id",
        "model": "model_name",
    }
)
LIBRECHAT = Shape.of(
    {
        "items": "messages",
        "role": "isCreatedByUser",
        "roles": {"true": "user", "false": "assistant"},
        "text": "text",
        "parts": "content",
        "kinds": {
            "text": {"text": ["text.value", "text"]},
            "think": {"thinking": ["think.value", "think"]},
            "tool_call": {
                "call": {"id": "tool_call.id", "name": "tool_call.name", "arguments": "tool_call.args"},
                "result": {"id": "tool_call.id", "text": "tool_call.output"},
            },
            "image_url": {"media": "image_url.url"},
            "error": {"label": "error"},
        },
        "id": "messageId",
        "parent": "parentMessageId",
        "time": "createdAt",
        "model": ["model", "options.model"],
        "title": "title",
    }
)
LISTS = ("messages", "messagesTree")
"""Names of the list of messages in an export of LibreChat: the second until 2024."""
OF_TREE: Values = {"message_tree_id": ()}
NODE: Values = {"message_id": (), "replies.parent_id": ()}
"""A message without its tree, with those that answer it."""
PROMPTER: Values = {"role": ("prompter",), "prompt.role": ("prompter",)}
BY_USER: Values = {f"{name}.isCreatedByUser": (True, False) for name in LISTS}
DEEPEST = 500  # levels of a tree that are read


@register(
    "format",
    title="OASST trees",
    recognise=value_recogniser(lambda value: holds(value, PROMPTER) and (holds(value, OF_TREE) or holds(value, NODE))),
    marks="message_tree_id parent_id",
    source="LAION-AI/Open-Assistant, oasst-data/oasst_data/schemas.py, v0.0.1",
    checked="LAION-AI/Open-Assistant, model/model_eval/manual/data (two trees each of en_100_tree, en_100_message)",
)
def oasst(content: Content, report: Report) -> Iterator[Conversation]:
    """Trees of OpenAssistant, each a conversation: the best ranked answers first, others as branches."""
    rows: list[Located] = []
    for where, value in content.values:
        held = value if isinstance(value, dict) else {}
        prompt = object_in(held, "prompt") or (held if list_in(held, "replies") else {})
        tree = {"message_tree_id": held.get("message_tree_id", prompt.get("message_id"))} if prompt else {}
        rows += _unfold(prompt, "replies", tree, "message_id", "parent_id", where) if prompt else [(where, value)]
    yield from read_shaped(OASST, _by_rank(rows), report)


def _by_rank(rows: list[Located]) -> list[Located]:
    """The rows, of those that answer the same one the best ranked last: the end of the last path is the newest."""
    named = [row for _, row in rows if isinstance(row, dict) and isinstance(row.get("message_id"), str)]
    ranks = {row["message_id"]: _rank(row) for row in named}
    parents = {row["message_id"]: row.get("parent_id") for row in named}

    def way(located: Located) -> list[float]:
        found: list[float] = []
        on = located[1].get("message_id") if isinstance(located[1], dict) else None
        while isinstance(on, str) and on in ranks and len(found) < DEEPEST:
            found.append(-ranks[on])
            on = parents.get(on)
        return found[::-1]

    return sorted(rows, key=way)


def _rank(row: dict[str, Any]) -> float:
    rank = row.get("rank")
    return rank if isinstance(rank, int | float) else 0 if row.get("parent_id") is None else 1e6


@register(
    "format",
    title="LibreChat export",
    recognise=value_recogniser(lambda value: holds(value, BY_USER)),
    marks="conversationId isCreatedByUser",
    source="danny-avila/LibreChat, client/src/hooks/Conversations/useExportConversation.ts, v0.8",
    checked="danny-avila/LibreChat, api/server/utils/import/__data__: librechat-tree.json, librechat-export.json,"
    " librechat-opts-nonr-branches.json",
)
def librechat(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations that LibreChat exports, as a tree or one after another, with their branches."""
    for where, value in content.values:
        if not isinstance(value, dict):
            report.skip("no conversation", where)
            continue
        messages: list[Any] = []
        for message in (each for name in LISTS for each in list_in(value, name)):
            messages += [row for _, row in _unfold(message, "children", {}, "messageId", "parentMessageId", where)]
        about = {"system_prompt": object_in(value, "options").get("promptPrefix"), "messages": messages}
        yield from read_shaped(LIBRECHAT, [(where, {**value, **about})], report)


def _unfold(node: Any, below: str, given: dict[str, Any], id: str, parent: str, where: str) -> list[Located]:
    """A message and all below it, each before what answers it."""
    found: list[Located] = []
    waiting: list[tuple[Any, dict[str, Any]]] = [(node, given)]
    while waiting:
        on, more = waiting.pop()
        if not isinstance(on, dict):
            found.append((where, on))
            continue
        found.append((where, {**{key: value for key, value in on.items() if key != below}, **more}))
        waiting += [(each, {**given, parent: on.get(id)}) for each in reversed(list_in(on, below))]
    return found
