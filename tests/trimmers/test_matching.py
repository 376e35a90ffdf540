"""What a trimmer returned, matched to what it was given."""

from __future__ import annotations

import pytest
from hypothesis import given as drawn
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import Conversation, Message, ToolCall, replay
from historylab.trimmers import matching
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


# -- rewritten copies, of which it is known what they were

SUBJECTS = ("order", "invoice", "parcel", "refund", "ticket", "account")
LETTERS = st.lists(st.sampled_from("KTD"), min_size=2, max_size=40)


def conversation_of(number):
    """Messages that begin and end alike, by a person and an assistant in turn."""
    said = [f"Please look at {SUBJECTS[i % 6]} number {i * 37 + 100} and tell me about it soon." for i in range(number)]
    return Conversation(Message("assistant" if i % 2 else "user", text) for i, text in enumerate(said))


def cut(text):
    return text[:40]


def stamp(text):
    return f"[12:00] {text}"


def redact(text):
    return f"<{text.replace('look', '****')}>"


@examples(max_examples=40, deadline=None)
@drawn(LETTERS, st.sampled_from([cut, stamp, redact]))
def test_rewritten_copies_are_known_between_what_is_dropped(letters, rewrite):
    conversation = conversation_of(len(letters) + 1)

    def trim(messages):
        fates = zip([*letters, "K"], messages, strict=False)
        return [
            {**m, "content": rewrite(m["content"]) if fate == "T" else m["content"]} for fate, m in fates if fate != "D"
        ]

    size = replay(conversation, trimmer=trim).plans[-1].size
    assert replay(conversation, trimmer=trim).plans[-1].sketch() == "".join([*letters, "K"][:size])


@pytest.mark.parametrize("form", ["chat_completions", "langchain"])
def test_a_message_rewritten_and_sent_beside_itself_is_in_the_request_twice(form):
    def twice(messages):
        return [*messages, *([shorten(messages[0])] * 2)]

    sent = replay(conversation_of(3), trimmer=twice, form=form).plans[-1].render()
    assert [message.content for message in sent][3:] == ["Please look at"] * 2


def shorten(message):
    update = {"content": "Please look at"}
    return {**message, **update} if isinstance(message, dict) else message.model_copy(update=update)


def test_short_texts_are_known_by_what_stands_around_them():
    conversation = Conversation([Message("user", "go"), Message("assistant", "yes"), Message("user", "end")])
    plans = replay(conversation, trimmer=lambda ms: [ms[0], *({**m, "content": "x"} for m in ms[1:2]), *ms[2:]]).plans
    assert plans[-1].sketch() == "KTK"


def test_a_result_is_that_of_its_own_call_where_ids_come_again():
    steps = [
        message
        for text in ("one", "two", "three")
        for message in (
            Message("assistant", text, tool_calls=(ToolCall("c", "look", f'"{text}"'),)),
            Message("tool", f"the result of {text}", tool_call_id="c"),
        )
    ]

    def trim(messages):
        cleared = [{**m, "content": "-"} if "of one" in m["content"] else m for m in messages]
        return [m for i, m in enumerate(cleared) if i not in (3, 4)]

    chat = Conversation([Message("user", "go"), *steps, Message("user", "ok")])
    assert replay(chat, trimmer=trim).plans[-1].sketch() == "KKTDDKKK"


def test_ids_of_the_apps_own_are_no_marks():
    ids = [f"m{i}" for i in range(1, 6)]
    roles = ["user", "assistant", "user", "assistant", "user"]
    chat = Conversation(Message(role, f"said {own}", own) for role, own in zip(roles, ids, strict=True))
    assert replay(chat, trimmer=lambda ms: [dict(m) for m in ms[-2:]]).plans[-1].sketch() == "DDDKK"
    assert replay(chat, trimmer=lambda ms: [{**m, "id": "m1"} for m in ms]).plans[-1].sketch() == "KKKKK"


def test_an_image_that_is_taken_out_is_not_sent():
    chat = Conversation([Message("user", "Look at this.", media=("image",))])

    def without(items):
        return [{**item, "content": [b for b in item["content"] if b["type"] != "image"]} for item in items]

    [sent] = replay(chat, trimmer=without, form="anthropic").plans[-1].render()
    assert (sent.content, sent.media) == ("Look at this.", ())


def test_items_of_one_message_that_are_moved_apart_are_sent_apart():
    calls = (ToolCall("a", "f", "{}"), ToolCall("b", "f", "{}"))
    results = [Message("tool", f"of {name}", tool_call_id=name) for name in "ab"]
    chat = Conversation(
        [Message("user", "go"), Message("assistant", tool_calls=calls), *results, Message("user", "ok")]
    )

    def move(items):
        return [items[i] for i in (0, 1, 4, 2, 3, 5)] if len(items) > 5 else items

    timeline = replay(chat, trimmer=move, form="responses")
    assert [len(message.tool_calls) for message in timeline.plans[-1].render()] == [0, 1, 0, 1, 0, 0]
    assert timeline.refused[-1]


def test_many_rewritten_messages_take_few_comparisons(monkeypatch):
    looked = []
    monkeypatch.setattr(matching, "_may_be", lambda now, before: looked.append(1) or now.role == before.role)
    chat, form = [*conversation_of(200)], ChatItems()
    items = [item for item, _ in form.write(chat, [])]
    given = [ListedItem(items[i], (MessagePiece(message, i),)) for i, message in enumerate(chat)]
    returned = [{**each.item, "content": stamp(each.item["content"])} for each in given[20:]]
    assert [each.pieces[0].owner for each in match(returned, given, form.read, {})] == [*range(20, 200)]
    assert len(looked) < 20 * len(returned)
