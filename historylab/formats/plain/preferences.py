"""Preference pairs: a prompt, the answer that was chosen and one that was rejected, as reward models are trained on.

An answer is a text, or a list of messages in which the prompt may stand, too; HH-RLHF's texts hold the conversation,
"Human:" and "Assistant:" before each paragraph. Source: TRL's dataset formats, and the published data sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import share_beginnings, with_branches
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.reported import read_messages
from historylab.formats.messages.speakers import role_of
from historylab.registry import register

ANSWERS = ("chosen", "rejected")
PROMPTS = ("prompt", "question", "instruction")
SPEAKER = re.compile(r"(?:^|\n\n)(Human|Assistant):")


def has_pairs(content: Content) -> float:
    """0.85 for a chosen and a rejected answer in most rows, whatever else is in them."""
    rows = [row for _, row in located_items(content.values)]
    return 0.85 if rows and sum(map(_is_pair, rows)) * 2 > len(rows) else 0


@register("format", title="Preference pairs", recognise=has_pairs, marks="chosen rejected")
def preferences(content: Content, report: Report) -> Iterator[Conversation]:
    """Prompts with the answer that was chosen, and the rejected one as a branch."""
    for where, row in located_items(content.values):
        if not _is_pair(row):
            report.skip(f"{kind_of(row)} without a chosen and a rejected answer", where)
            continue
        named = next((name for name in PROMPTS if row.get(name)), "")
        asked = [*_read_side(row.get("system"), "system", f"{where} system", report)]
        asked += _read_side(row.get(named), "user", f"{where} {named}", report)
        answers = [_read_side(row[name], "assistant", f"{where} {name}".strip(), report) for name in ANSWERS]
        whole = [each if each and each[0].role != "assistant" else [*asked, *each] for each in answers]
        beside = {name: value for name, value in row.items() if name not in (*ANSWERS, named, "system")}
        for name in beside:
            report.keep(name, where)
        yield with_branches(share_beginnings([pair_by_order(messages) for messages in whole]), "", beside, report)


def _is_pair(row: Any) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(name), str | list) and row[name] for name in ANSWERS)


def _read_side(given: Any, role: str, where: str, report: Report) -> list[Message]:
    """The messages of a prompt or an answer; a text that names no speakers is one message of that role."""
    if isinstance(given, str):
        before, *turns = SPEAKER.split(given)
        said = [(role, before), *zip(map(role_of, turns[::2]), turns[1::2], strict=True)]
        messages = [Message(by, text.strip()) for by, text in said if text.strip()]
        report.records += len(messages)
        return messages
    return read_messages(located_items([(where, given)]) if isinstance(given, list) else [], report)
