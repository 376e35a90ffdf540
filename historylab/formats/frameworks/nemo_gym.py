"""Rollouts of NeMo Gym: the request that an environment began with, and all that followed, as Responses items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.apis.responses import API
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.registry import register

PARAMS, ANSWER = "responses_create_params", "response"


def is_rollout(value: Any) -> bool:
    """Tell whether it has the parameters of a request, and what came of it."""
    return isinstance(value, dict) and isinstance(value.get(PARAMS), dict) and ANSWER in value


@register(
    "format",
    title="NeMo Gym rollouts",
    recognise=value_recogniser(is_rollout),
    marks=PARAMS,
    source="NVIDIA-NeMo/Gym, nemo_gym/base_resources_server.py (2026)",
    checked="NVIDIA-NeMo/Gym, environments/*/data/example_rollouts.jsonl",
)
def nemo_gym(content: Content, report: Report) -> Iterator[Conversation]:
    """Rollouts of NeMo Gym, each a conversation: what was asked, and every item up to the last answer."""
    for where, value in located_items(content.values):
        if not is_rollout({ANSWER: None, **value} if isinstance(value, dict) else value):
            report.skip("no rollout", where)
            continue
        beside = {name: held for name, held in value.items() if name not in (PARAMS, ANSWER)}
        asked = {name: held for name, held in value[PARAMS].items() if held is not None}
        yield from API.conversations([(where, {"rollout": beside, **asked, ANSWER: value.get(ANSWER)})], report)
