"""The retention map's bytes: a part that follows from the conversation, one that follows from the settings too.

The browser keeps both by their keys, so that neither is sent again with every move: where the user looks is told apart
from them (`view`). Message text is one line of plain text, shown as text only. `packing` documents the layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from historylab.figures.fate_changes import fate_changes
from historylab.figures.packing import Sentences, pack
from historylab.figures.prefix_strip import prefix_strip
from historylab.figures.retention_grid import BEST_FIRST
from historylab.planning.reasons import REPLACED, SHOWN, Action, fill_sentence, reason_of
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.wording.message_text import speaker
from historylab.wording.palette import LOOKS, Look
from historylab.wording.untrusted import one_line

SNIPPET = 90  # characters of a message in its tooltip
TEXTURES = {Action.SUMMARIZED: "hatched", Action.TRUNCATED: "ruled", Action.DROPPED: "struck"}
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


def pack_conversation(timeline: Timeline, key: str) -> bytes:
    """What is the same under all settings that plan the same messages: requests, turns, speakers, first words."""
    steps, messages = timeline.steps, timeline.conversation
    starts = [step for step in steps if step.request_in_turn == 1]
    words = {
        "name": _UNSAFE.sub("-", timeline.original.title)[:40].strip("-").lower() or "conversation",
        "labels": [step.label for step in steps],
        "who": [speaker(m, 40) for m in messages],
        "texts": [one_line(m.content or " ".join(call.name for call in m.tool_calls), SNIPPET) for m in messages],
    }
    arrays = {
        "said": timeline.conversation.columns.requests,
        "starts": np.array([step.number for step in starts], np.int64),
        "start_turn": np.array([step.turn + 1 for step in starts], np.int64),  # 0 before the first
    }
    return pack({"key": key}, words, arrays)


def pack_timeline(timeline: Timeline, key: str, conversation: str) -> bytes:
    """What every request does with every message, and why; `conversation` is the key of the other part."""
    changes = fate_changes(timeline)
    reasons = [int(fate) & 0xFF for fate in changes.fates]
    strip = prefix_strip(timeline)
    sentences = _sentences(timeline, set(reasons))
    words = {
        "looks": [browser_look(LOOKS[action], TEXTURES.get(action, "")) for action in Action],
        "codes": [int(BEST_FIRST[int(fate) >> 8]) for fate in changes.fates],
        "rules": reasons,
        "replaced": [k + 1 for k, reason in enumerate(reasons) if reason in (REPLACED.code, SHOWN.code)],
        "sentences": sentences.words(),
        "binned": "at worst ",
    }
    arrays = {
        "runs": changes.per_request,
        "first": changes.first,
        "length": changes.length,
        "code": changes.code,
        **sentences.arrays(),
        "share": np.floor(strip.share * 100).astype(np.int64),
        "moved": np.flatnonzero(strip.moved),
        "over": np.flatnonzero(timeline.over_budget),
        "tokens": timeline.contexts,
    }
    return pack({"key": key, "conversation": conversation}, words, arrays)


def view(
    key: str,
    request: int,
    message: int | None,
    starred: Iterable[MustRemember] = (),
    watched: Iterable[int] = (),
) -> dict[str, Any]:
    """Where one looks at the timeline of that key: request and message (from 0), and the must-remember messages.

    Of those, per message the runs of requests that lack it. `watched` are requests that would be sent so, but were not.
    """
    marked = {star.message: [list(gap) for gap in star.gaps] for star in starred if star.message is not None}
    looked = {"key": key, "request": request, "message": message, "starred": sorted(marked.items())}
    return {**looked, "would": would} if (would := list(watched)) else looked


def browser_look(look: Look, texture: str) -> dict[str, str]:
    """A look for the browser; the texture ("hatched", "ruled", "struck" or "") tells it apart without colour."""
    colours = {"light": look.light, "dark": look.dark, "onLight": look.ink(False), "onDark": look.ink(True)}
    return {"word": look.word, "glyph": look.glyph, "texture": texture, "meaning": look.meaning, **colours}


def _sentences(timeline: Timeline, reasons: Iterable[int]) -> Sentences:
    """Per request and reason its sentence with that request's numbers; what no message has may be missing."""
    found, numbered = Sentences(), []
    for reason in sorted(reasons):
        worded = partial(fill_sentence, reason_of(reason))
        if "{" in reason_of(reason).sentence:
            numbered.append((reason, worded))
        else:
            found.tell(0, reason, {}, worded)
    for request, plan in enumerate(timeline.plans):
        for reason, worded in numbered:
            numbers = plan.numbers.get(reason)
            if numbers:
                found.tell(request, reason, numbers, worded)
    return found
