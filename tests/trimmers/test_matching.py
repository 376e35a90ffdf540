"""What a trimmer returned, matched to what it was given."""

from __future__ import annotations

import pytest

from historylab.conversation.message import Message
from historylab.trimmers.forms.chat_completions import ChatItems
from historylab.trimmers.matching import NEW, ListedItem, MessagePiece, match

SAID = "The order ORD-17 was sent on Monday and is at the depot of Bergen since Tuesday night."


@pytest.mark.parametrize(("summarizes", "owner"), [(False, 0), (True, NEW)])
def test_a_text_that_holds_a_message_is_that_message_unless_a_summarizer_wrote_it(summarizes, owner):
    form, message = ChatItems(), Message("assistant", SAID)
    [(item, _)] = form.write([message], ["m0"])
    given = [ListedItem(item, (MessagePiece(message, 0),))]
    returned = [{"role": "assistant", "content": f"So far: {SAID} The customer was told so."}]
    [found] = match(returned, given, form.read, {}, summarizes=summarizes)
    assert found.pieces[0].owner == owner
