"""AutoGen's contexts: at every request what the library gives when it is called by hand."""

from __future__ import annotations

import pytest
from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

pytest.importorskip("autogen_core")

from autogen_core.models import AssistantMessage, UserMessage

from historylab import HistoryLabError, replay
from historylab.conversation.message import Message
from historylab.registry import member
from historylab.trimmers.forms.autogen import AutogenMessages
from tests.trimmers.by_hand.autogen import Client, buffered, head_and_tail, token_limited

BUFFERED = "autogen.BufferedChatCompletionContext"
HEAD_AND_TAIL = "autogen.HeadAndTailChatCompletionContext"
TOKEN_LIMITED = "autogen.TokenLimitedChatCompletionContext"
chats = pytest.mark.parametrize("chat", [support_chat(), tool_loop()], ids=["support", "tools"])


@chats
@pytest.mark.parametrize("size", [3, 5, 8])
def test_the_newest_messages_are_those_of_the_library(chat, size):
    by_hand = list(buffered(chat, buffer_size=size))
    assert share_acted_on(by_hand, chat) > 0.5
    assert sent_by(BUFFERED, chat, buffer_size=size) == by_hand


@chats
@pytest.mark.parametrize(("head", "tail"), [(1, 2), (2, 5), (4, 4)])
def test_head_and_tail_are_those_of_the_library(chat, head, tail):
    by_hand = list(head_and_tail(chat, head_size=head, tail_size=tail))
    assert share_acted_on(by_hand, chat) > 0.5
    assert sent_by(HEAD_AND_TAIL, chat, head_size=head, tail_size=tail) == by_hand


@chats
@pytest.mark.parametrize("limit", [150, 300, 500])
def test_what_fits_a_limit_is_that_of_the_library(chat, limit):
    by_hand = list(token_limited(chat, token_limit=limit))
    assert share_acted_on(by_hand, chat) > 0.5
    assert sent_by(TOKEN_LIMITED, chat, token_limit=limit) == by_hand


def test_an_apps_own_client_counts():
    chat = support_chat()
    sent = sent_by(TOKEN_LIMITED, chat, token_limit=300, model_client=Client())
    assert sent == list(token_limited(chat, token_limit=300))


def test_without_a_limit_the_clients_window_is_one():
    class Windowed(Client):
        def remaining_tokens(self, messages, *, tools=()):
            return 300 - self.count_tokens(messages)

    chat = support_chat()
    sent = sent_by(TOKEN_LIMITED, chat, model_client=Windowed())
    assert sent == list(token_limited(chat, token_limit=300))


def test_neither_a_limit_nor_a_client_is_a_mistake():
    with pytest.raises(HistoryLabError, match="token_limit"):
        replay(support_chat(), trimmer=TOKEN_LIMITED)


def test_messages_out_of_the_middle_leave_results_without_their_call():
    """The library's own fault, shown as it is."""
    assert any(replay(tool_loop(), trimmer=TOKEN_LIMITED, token_limit=600).refused)


def test_a_message_says_who_it_is_from():
    form = AutogenMessages()
    said = [Message("user", "Hello.", name="Ann"), Message("user", "Hello."), Message("assistant", "Good morning.")]
    items = [written.item for written in form.write(said, ["m0", "m1", "m2"])]
    assert [item.source for item in items] == ["Ann", "user", "assistant"]
    assert [type(item) for item in items] == [UserMessage, UserMessage, AssistantMessage]


def test_the_agents_system_messages_are_outside():
    assert not member("trimmer", BUFFERED).target.system_inside
    assert all(sent[0][0] == "system" for sent in sent_by(BUFFERED, tool_loop(), buffer_size=3))
