"""Cuts that a provider itself made in the requests of a conversation: compactions, and edits that it tells of.

A compaction stands in an answer, and in what is sent from there on; what is before it the model doesn't read. The
request that it answers was read whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.recorded import PARAMETERS, PROVIDER
from historylab.conversation.sent import RecordedCut, SentHistory, ranges_of, sent_histories, sent_metadata
from historylab.formats.messages.applied_edits import APPLIED_EDITS, clearing_rule, with_applied_edits
from historylab.formats.messages.fields import object_in
from historylab.formats.messages.sent_view import NOT_READABLE, Sent, SentView, history_at, in_ranges

COMPACTION = "compaction"
"""Key of the metadata of a message with a provider's compaction: True, or ENCRYPTED if no one else can read it."""
ENCRYPTED = "encrypted"
COMPACTED = "compacted"
"""Key of an answer's metadata: True where a log says that the history of its request was compacted, and no more."""
APIS = {"anthropic": "Anthropic’s API", "openai": "OpenAI’s API"}


def with_provider_cuts(conversation: Conversation) -> Conversation:
    """The conversation, and each of its branches, with what its provider left out of requests."""
    messages, branches = conversation.messages, [with_provider_cuts(each) for each in conversation.branches]
    known, said = sent_histories(conversation) or (), conversation.metadata
    found = list(known)
    if any(message.metadata.get(COMPACTION) for message in messages):
        found = _with_compactions(found, messages, APIS.get(str(said.get(PROVIDER)), "the API"))
    if any(APPLIED_EDITS in message.metadata for message in messages):
        rule = clearing_rule(object_in(said, PARAMETERS).get("context_management"))
        found = with_applied_edits(found, messages, rule)
    found = [_with_mark(each, messages) for each in found]
    if tuple(found) == tuple(known) and all(a is b for a, b in zip(branches, conversation.branches, strict=True)):
        return conversation
    return Conversation(messages, conversation.title, {**said, **(sent_metadata(found) if found else {})}, branches)


def _with_mark(one: SentHistory, messages: Sequence[Message]) -> SentHistory:
    """The entry as that of a compaction, if the answer to its request says that the history was compacted for it."""
    marked = one.size < len(messages) and messages[one.size].metadata.get(COMPACTED) is True
    return replace(one, cut=RecordedCut()) if marked and one.cut is None else one


def _with_compactions(histories: Sequence[SentHistory], messages: Sequence[Message], by: str) -> list[SentHistory]:
    """The entries without what stands before the newest compaction that each holds."""
    marks = [i for i, message in enumerate(messages) if message.metadata.get(COMPACTION)]
    prompt = len([*takewhile(lambda i: i not in marks, range(prompt_length(messages)))])
    found = {each.size: each for each in histories}
    for size in sorted({*found, *(mark + 1 for mark in marks)}):
        now = found.get(size) or history_at(histories, size)
        order = SentView([now]).at(size)
        mark = next((i for i in reversed(marks) if i in order), None)
        if mark is None:
            continue
        at = order.index(mark)
        kept: list[Sent] = [*(i for i in order[:at] if not isinstance(i, Message) and i < prompt), *order[at:]]
        gone = sorted({i for i in order if not isinstance(i, Message)} - set(kept))
        if not gone:
            continue
        cut = now.cut or (RecordedCut(by=by) if mark + 1 == size else None)
        now = replace(now, sent=in_ranges(kept), summarized=ranges_of(gone), summary=mark, cut=cut)
        hidden = messages[mark].metadata[COMPACTION] == ENCRYPTED
        found[size] = replace(now, known=False, why=NOT_READABLE) if hidden else now
    return [found[size] for size in sorted(found)]
