"""Why a request had something or not: as the plans say, whoever decided them."""

from __future__ import annotations

from dataclasses import replace

from conversation_strategies import conversations, settings
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab import RequestDecisions, Settings, Timeline, as_sent, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.planning.pipeline import open_instruments, plan_up_to
from historylab.recall.why import Why, explain_words

PIN = "KX-4417-Q"
SAID = [
    Message("user", f"The code is {PIN}."),
    Message("assistant", "Noted."),
    Message("user", "Is there lunch?"),
    Message("assistant", "Soup."),
    Message("user", "And dinner?"),
    Message("assistant", "Rice."),
    Message("user", "What was the code?"),
]


def sent_as(*histories: SentHistory, said: list[Message] = SAID) -> Timeline:
    return as_sent(Conversation(said, metadata=sent_metadata(histories)))


def facts(why: Why) -> tuple[object, ...]:
    return why.sent, why.gone_since, why.removed_by, why.held_by, why.compaction


def with_summary(text: str) -> list[Message]:
    """The same with a summary of the first four in the conversation, as Claude Code has them."""
    return [*SAID[:4], Message("user", text, metadata={"compact_summary": True}), *SAID[4:]]


COMPACTED = SentHistory(6, ((4, 6),), summarized=((0, 4),), summary=4, cut=RecordedCut("auto", by="An agent"))


# -- whose decisions


def test_what_settings_drop_they_removed_and_what_would_have_kept_it_does():
    timeline = replay(Conversation(SAID), Settings(length=2))
    why = explain_words(timeline, PIN)
    assert facts(why) == (False, 2, "setting", None, None)
    assert (why.changes, why.removal) == ({"length": 4}, timeline.plans[2].reason(0).sentence)
    assert replay(timeline.original, Settings(**why.would_keep)).plans[3].sketch()[0] == "K"


def test_a_window_that_an_app_moves_is_a_cut():
    timeline = sent_as(SentHistory(5, ((2, 5),)), SentHistory(7, ((4, 7),)))
    assert facts(explain_words(timeline, PIN)) == (False, 2, "cut", None, None)
    assert facts(explain_words(timeline, PIN, 1)) == (True, None, None, "message", None)


def test_a_compaction_removes_what_its_summary_does_not_say():
    timeline = sent_as(COMPACTED, said=with_summary("They spoke of lunch."))
    assert facts(explain_words(timeline, PIN)) == (False, 2, "compaction", None, 0)


def test_what_only_a_summary_says_was_not_sent_and_is_held_by_it():
    timeline = sent_as(COMPACTED, said=with_summary(f"They said {PIN}."))
    why = explain_words(timeline, PIN)
    assert facts(why) == (False, 2, "compaction", "summary", 0)
    assert why.holder == 4
    assert [(each.message, each.by) for each in why.said] == [(0, "person"), (4, "assistant")]


def test_an_apps_own_summary_in_place_of_messages_is_a_compaction():
    told = Message("system", f"So far: {PIN}.", metadata={"compact_summary": True})
    silent = replace(told, content="So far: a code.")
    for summary, holds in ((told, "summary"), (silent, None)):
        timeline = sent_as(SentHistory(5, (summary, (2, 5)), summarized=((0, 2),)))
        assert facts(explain_words(timeline, PIN)) == (False, 2, "compaction", holds, 0)


def test_what_an_app_writes_into_its_system_prompt_is_a_summary():
    said = [Message("system", "Be brief."), *SAID]
    told = SentHistory(8, ((0, 1), (5, 8)), {0: f"Be brief. So far: {PIN}."})
    why = explain_words(sent_as(told, said=said), PIN)
    assert (why.sent, why.gone_since, why.removed_by, why.held_by) == (False, 3, "compaction", "summary")


def test_where_the_next_summary_forgets_it_that_one_removed_it():
    told = Message("system", f"So far: {PIN}.", metadata={"compact_summary": True})
    first = SentHistory(3, (told, (2, 3)), summarized=((0, 2),))
    then = SentHistory(7, (replace(told, content="Lunch."), (4, 7)), summarized=((0, 4),))
    assert facts(explain_words(sent_as(first, then), PIN)) == (False, 3, "compaction", None, 1)


def test_a_cleared_result_is_no_longer_there():
    call = Message("assistant", "", tool_calls=(ToolCall("1", "look", "{}"),))
    said = [SAID[0], call, Message("tool", "Room 12b-XQ", tool_call_id="1"), *SAID[3:]]
    cleared = SentHistory(7, ((0, 7),), {2: "[cleared]"}, cut=RecordedCut(by="An agent"))
    assert facts(explain_words(sent_as(cleared, said=said), "12b-XQ")) == (False, 3, "compaction", None, 0)


def test_what_another_trimmer_left_out_it_removed():
    sizes = Conversation(SAID).columns.requests.tolist()
    newest = [RequestDecisions(range(max(0, size - 3), size)) for size in sizes]
    why = explain_words(Timeline.from_decisions(Conversation(SAID), newest, by="a trimmer"), PIN)
    assert facts(why) == (False, 2, "trimmer", None, None)
    assert why.removal == "Left out, as a trimmer decided."


# -- copies, and what isn't known


def test_a_later_copy_is_as_good_and_gone_is_the_last_time_it_went():
    said = [*SAID[:3], Message("assistant", f"By the way, {PIN.lower()}."), *SAID[4:]]
    timeline = sent_as(SentHistory(5, ((2, 5),)), SentHistory(7, ((4, 7),)), said=said)
    assert explain_words(timeline, PIN, 2).sent
    assert facts(explain_words(timeline, PIN)) == (False, 3, "cut", None, None)


def test_what_is_said_after_the_request_is_not_gone():
    why = explain_words(sent_as(), "dinner", 0)
    assert facts(why) == (False, None, None, None, None)
    assert why.found
    assert why.would_keep is None


def test_what_was_in_no_request_was_never_sent():
    why = explain_words(sent_as(SentHistory(1), SentHistory(3, ((2, 3),))), PIN)
    assert (why.gone_since, why.was_sent) == (0, False)


def test_what_nobody_said_is_not_found():
    why = explain_words(sent_as(), "KX-4417-R")
    assert (why.found, why.said, why.sent) == (False, (), False)


def test_where_only_the_reported_size_fell_it_is_not_known_but_of_what_came_since():
    reported = (9_000, 10_000, 2_000, 2_100)
    said = [replace(m, metadata={"usage": Usage(reported[i // 2])}) if i % 2 else m for i, m in enumerate(SAID)]
    timeline = as_sent(Conversation([*said, replace(SAID[5], metadata={"usage": Usage(2_100)})]))
    assert facts(explain_words(timeline, PIN)) == (None, None, None, None, None)
    assert explain_words(timeline, PIN).removal.startswith("Not known: the reported size fell here")
    assert explain_words(timeline, "What was the code?").sent
    assert explain_words(timeline, PIN, 1).sent


def test_it_is_needed_by_answers_that_say_it_or_a_value_in_it():
    call = Message("assistant", "", tool_calls=(ToolCall("1", "open_door", f'{{"code": "{PIN}"}}'),))
    said = [*SAID, call, Message("tool", "Open.", tool_call_id="1"), Message("assistant", f"{PIN} it was.")]
    timeline = sent_as(said=said)
    assert explain_words(timeline, PIN).needed_by == (3, 4)
    assert 3 in explain_words(timeline, f"The code is {PIN}").needed_by
    assert explain_words(timeline, "soup").needed_by == ()


# -- any conversation, any settings


def planted(conversation: Conversation, at: int) -> Conversation:
    """The same with a rare word at the end of a message."""
    said = list(conversation)
    said[at] = replace(said[at], content=f"{said[at].content} {PIN}")
    return conversation.edited(said)


@examples(max_examples=60, deadline=None)
@given(conversations(max_size=14), settings(), st.integers(0, 40), st.integers(0, 40))
def test_under_any_settings_it_says_what_the_plan_sends(conversation, chosen, at, request):
    assume(len(conversation.columns.requests))
    chosen = chosen.replace(projection="off", layout="off")
    timeline = replay(planted(conversation, at % len(conversation)), chosen)
    request, at = request % len(timeline.plans), at % len(conversation)
    plan, why = timeline.plans[request], explain_words(timeline, PIN, request)
    assert [each.message for each in why.said] == [at]
    texts = [message.content for message in plan.render() if PIN in message.content]
    assert bool(texts) == (why.held_by is not None)
    assert why.sent == (at < plan.size and plan.sketch()[at] in "KPT" and why.held_by == "message")
    if why.gone_since is not None:
        assert all(timeline.plans[k].sketch()[at] in "SDT" for k in range(why.gone_since, request + 1))
    if why.would_keep:
        ours = Settings(**why.would_keep)
        again = plan_up_to(timeline.original, ours, open_instruments(ours), plan.size)
        assert any(PIN in message.content for message in again.render())
