"""The one test of recall: whether a request still holds a value, in a message it sends or in its summary.

A dropped first mention proves nothing: the value may be mentioned again. A value of several lines is held if every
telling line is, in whatever messages: an edit whose old text lacks a line fails, so a part is no success, and each need
stays one trial, as intervals over needs assume.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.sent import summaries_in
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, LOST, SENT
from historylab.planning.texts import Texts
from historylab.recall.references import Said, contains_value, index_mentions, searchable_text


def find_holder(plan: HistoryPlan, value: str, mentions: np.ndarray, lines: Sequence[Said] = ()) -> int:
    """The holder of `value` in a request: BY_MESSAGE, BY_SUMMARY or LOST.

    BY_SUMMARY is also by a message that stands nowhere in the conversation, and by one that its program put in the
    place of others: it was no part of what was said, and would not be there under other settings.
    `mentions` (int64, ascending) are the messages of its history that mention the value. If it has telling `lines`, all
    of them must be held: BY_SUMMARY if the summary alone holds any.
    """
    if lines:
        holder = BY_MESSAGE
        for line, said in lines:
            if (of_line := find_holder(plan, line, said)) == LOST:
                return LOST
            holder = max(holder, of_line)
        return holder
    summaries = summaries_in(plan.history.conversation)
    apart = np.isin(mentions, [*summaries]) if summaries else None
    if is_said(plan, value, mentions if apart is None else mentions[~apart]):
        return BY_MESSAGE
    if apart is not None and is_said(plan, value, mentions[apart]):
        return BY_SUMMARY
    texts = [plan.summary.text] if plan.summary else []
    texts += [other.content for other in plan.others]
    return BY_SUMMARY if value and any(contains_value(text, value) for text in texts) else LOST


def is_said(plan: HistoryPlan, value: str, mentions: np.ndarray) -> bool:
    """Tell whether one of these messages is sent with the value in it."""
    sent = mentions[plan.actions_at(plan.history.columns.block[mentions]) <= SENT]
    return bool(len(sent)) and (not plan.shortened or any(still_says(plan, i, value) for i in sent[::-1].tolist()))


def still_says(plan: HistoryPlan, i: int, value: str) -> bool:
    """Tell whether message `i`, which is sent and contains `value` in full, still does in the form it is sent."""
    for cut in reversed(plan.shortened):  # the last one is what is sent
        place = int(cut.messages.searchsorted(i))
        if place < len(cut.messages) and cut.messages[place] == i:
            return not value or contains_value(sent_text(cut.texts, plan.history.conversation, i), value)
    return True


def sent_text(texts: Texts, conversation: Conversation, i: int) -> str:
    """The text to search of message `i` as it is sent with a shorter one."""
    message, text = conversation[i], texts[i]
    if not message.tool_calls and "\\" not in text:  # nothing in it is escaped
        return text
    return searchable_text(texts.with_text(i, message), text)


def value_to_hold(message: Message) -> str:
    """The value that stands for a message as a whole: its text, or else its calls' values."""
    return message.content.strip() or searchable_text(message).strip("\0")


def mentions_of_message(conversation: Conversation, i: int) -> tuple[str, np.ndarray]:
    """The value that stands for message `i`, and the messages that mention it (int64, ascending), itself included."""
    value = value_to_hold(conversation[i])
    mentions = index_mentions(conversation).of(value) if value else np.empty(0, np.int64)
    return value, mentions if i in mentions else np.array([i], np.int64)
