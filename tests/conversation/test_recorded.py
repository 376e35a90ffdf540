"""What a transcript says of how it was recorded."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.recordings.as_sent import has_cuts

SEARCH = {"type": "function", "function": {"name": "search", "description": "Search the catalogue", "parameters": {}}}


def test_the_model_is_the_one_that_most_answers_name():
    said = [Message("assistant", "a", metadata={"model": name}) for name in ("gpt-4o", "gpt-5.5", "gpt-5.5")]
    recorded = Conversation([Message("user", "q"), *said], metadata={"model": "of the file"}).recorded
    assert (recorded.model, recorded.models) == ("gpt-5.5", ("of the file", "gpt-4o", "gpt-5.5"))


def test_without_answers_that_name_one_the_file_names_the_model():
    assert Conversation([Message("user", "q")], metadata={"model": "gpt-4o"}).recorded.model == "gpt-4o"


def test_tools_are_counted_as_many_and_in_tokens():
    tools = Conversation([Message("user", "q")], metadata={"tools": [SEARCH, SEARCH, "no tool"]}).recorded.tools
    assert tools.count == 2
    assert tools.tokens == 2 * Conversation([], metadata={"tools": [SEARCH]}).recorded.tools.tokens > 20


def test_usage_has_one_entry_per_answer():
    answers = [Message("assistant", "a", metadata={"usage": {"input": 7, "output": 2}}), Message("assistant", "b")]
    assert Conversation([Message("user", "q"), *answers]).recorded.usage == (Usage(7, 2), None)


def test_the_system_prompt_is_what_leads_the_conversation():
    roles = [("system", "Be brief."), ("system", "Be kind."), ("user", "q"), ("system", "later")]
    assert Conversation(Message(*each) for each in roles).recorded.system_prompt == "Be brief.\nBe kind."


def test_what_is_of_another_kind_counts_as_not_said():
    odd = {"model": ["gpt-4o"], "provider": 7, "tools": "search", "parameters": [1]}
    recorded = Conversation([Message("assistant", "a", metadata={"model": "<synthetic>"})], metadata=odd).recorded
    assert not recorded
    assert (recorded.model, recorded.provider, recorded.tools.count, recorded.parameters) == (None, None, 0, {})


def recording(*decided: tuple[str, dict]) -> Conversation:
    said = []
    for number, (runs, more) in enumerate(decided):
        about = {"decisions": runs, "sent_mode": "trim", "usage": Usage(input=100 + number), **more}
        said += [Message("user", "q"), Message("assistant", "a", metadata=about)]
    return Conversation(said)


def test_in_a_recording_a_summary_that_newly_stands_for_messages_is_a_compaction():
    sizes = {"sent_tokens": 40, "whole_tokens": 90}
    cuts = recording(("K1", {}), ("S2K1", sizes), ("S2K3", {}), ("S4K3", {})).recorded.compactions
    assert [(cut.request, cut.dropped, cut.by) for cut in cuts] == [
        (1, (0, 1), "HistoryLab"),
        (3, (2, 3), "HistoryLab"),
    ]
    assert (cuts[0].tokens_before, cuts[0].tokens_after, cuts[0].told_after, cuts[0].inferred) == (100, 101, 40, False)


def test_a_request_that_was_only_watched_or_went_through_whole_was_not_cut():
    watched = recording(("K1", {}), ("S2K1", {"sent_mode": "audit"}), ("D4K1", {"untrimmed": "too slow"}))
    assert (watched.recorded.compactions, has_cuts(watched)) == ((), False)
    assert has_cuts(recording(("K1", {}), ("D2K1", {})))


def test_a_request_that_went_through_whole_makes_no_summary_new():
    cuts = recording(("K1", {}), ("S2K1", {}), ("S2K3", {"untrimmed": "too slow"}), ("S2K5", {})).recorded.compactions
    assert [cut.request for cut in cuts] == [1]


def called(**metadata) -> Conversation:
    return Conversation([Message("user", "q"), Message("assistant", "a")], metadata=metadata)


def test_a_conversation_is_named_by_what_names_it_alone():
    assert called(session="s", agent="a").recorded.id == "a"
    assert called(session="s", agent="a", conversation_id="c").recorded.id == "c"
    assert called(session=7).recorded.id is None


def test_a_sub_agent_and_its_caller_name_each_other_and_the_message():
    assert called(called_by=["s", 3]).recorded.parent == ("s", 3)
    assert called(sub_agents=[["a", 1], ["b", 1]]).recorded.children == (("a", 1), ("b", 1))


def test_a_call_by_no_message_counts_as_not_said():
    for odd in (["s"], ["s", -1], ["s", True], ["", 1], [1, 1], "s1", None, {"s": 1}):
        assert called(called_by=odd, sub_agents=[odd]).recorded.parent is None
        assert called(called_by=odd, sub_agents=[odd]).recorded.children == ()
    assert called(sub_agents=[["a", 2]]).recorded.children == ()
