"""The cuts of a Cursor chat: summaries that a bubble carries, and the first bubble that is sent on beside each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message, prompt_length
from historylab.conversation.sent import RecordedCut, as_summary, sent_metadata
from historylab.formats.messages.fields import list_in, object_in, text_in, unpack_json
from historylab.formats.messages.paths import Located
from historylab.formats.messages.sent_view import SentView, record_places

SUMMARY = "conversationSummary"
KEPT, GONE = "clientShouldStartSendingFromInclusiveBubbleId", "truncationLastBubbleIdInclusive"
BUBBLE = "bubble"
"""The field of a record's part with the bubble that it is of."""


def cuts_of_composer(
    messages: Sequence[Message], records: Sequence[Located], told: Sequence[Located]
) -> dict[str, Any]:
    """The metadata of what was sent of the messages of these records, as summaries tell it, each at its bubble."""
    view, places = SentView(), _places_of_bubbles(messages, records)
    for bubble, summary in told:
        at, text = places.get(bubble), text_in(summary, "summary")
        kept, gone = (places.get(text_in(summary, field) or "") for field in (KEPT, GONE))
        start = kept.start if kept else gone.stop if gone else None
        if at and text and start is not None:
            order = [*range(prompt_length(messages)), as_summary(Message("user", text)), *range(start, at.stop)]
            view.put(at.stop, order, RecordedCut(by="Cursor"))
    return sent_metadata(view.histories) if view.histories else {}


def composer_summaries(data: Mapping[str, Any], bubbles: Sequence[Located]) -> Iterator[Located]:
    """The summaries of a composer, each with the id of the bubble at which it was made."""
    found = {}
    for where, bubble in bubbles:
        if isinstance(bubble, dict) and isinstance(made := unpack_json(bubble.get(SUMMARY)), dict):
            found[text_in(bubble, "bubbleId") or where.rpartition(":")[2]] = made
    latest = object_in(data, "latestConversationSummary")
    if isinstance(newest := latest.get("summary"), dict) and newest not in found.values():
        found.setdefault(text_in(latest, "lastBubbleId") or "", newest)
    yield from found.items()


def _places_of_bubbles(messages: Sequence[Message], records: Sequence[Located]) -> dict[str, range]:
    places, found = record_places(messages), dict[str, range]()
    for _, record in records:
        for part in list_in(record, "parts"):
            if held := places.get(str(record.get("id"))):
                found[str(part.get(BUBBLE))] = held
    return found
