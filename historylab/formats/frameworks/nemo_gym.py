"""Rollouts of NeMo Gym: the request that an environment began with, and all that followed, as Responses items."""

from __future__ import annotations

from collections.abc import Iterator

from historylab.conversation.conversation import Conversation
from historylab.formats.apis.responses import API
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.registry import register

PARAMS, ANSWER = "responses_create_params", "response"


def is_rollout(content: Content) -> float:
    """1 for objects with the parameters of a request, and what came of it."""
    values = [value for _, value in content.values]
    return 1 if any(isinstance(v, dict) and isinstance(v.get(PARAMS), dict) and ANSWER in v for v in values) else 0


@register(
    "format",
    title="NeMo Gym rollouts",
    recognise=is_rollout,
    marks=PARAMS,
    source="NVIDIA-NeMo/Gym, nemo_gym/base_resources_server.py (2026)",
    checked="NVIDIA-NeMo/Gym, environments/*/data/example_rollouts.jsonl",
)
def nemo_gym(content: Content, report: Report) -> Iterator[Conversation]:
    """Rollouts of NeMo Gym, each a conversation: what was asked, and every item up to the last answer."""
    for where, value in content.values:
        params = value.get(PARAMS) if isinstance(value, dict) else None
        if not isinstance(params, dict):
            report.skip("no rollout", where)
            continue
        beside = {name: held for name, held in value.items() if name not in (PARAMS, ANSWER)}
        asked = {name: held for name, held in params.items() if held is not None}
        yield from API.conversations([(where, {"rollout": beside, **asked, ANSWER: value.get(ANSWER)})], report)
