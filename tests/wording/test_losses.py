"""Lost facts in words: how many of those that answers used, and where the first was said, lost and needed."""

from __future__ import annotations

import pytest
from sketches import load_sample

from historylab import Conversation, Message, Settings, ToolCall, replay
from historylab.costs.amounts import money
from historylab.costs.bill import bill
from historylab.formats.samples import samples
from historylab.planning.reasons import LOST, Action
from historylab.recall.held import find_holder
from historylab.recall.references import find_needs
from historylab.recall.retention import Loss, retention
from historylab.wording.answer import place_among
from historylab.wording.costs import fetching_sentence
from historylab.wording.losses import (
    facts_in_short,
    gone_as,
    gone_at,
    losses_shown,
    lost_facts,
    lost_value,
    named_loss,
    severity_in_words,
    severity_line,
    used_as,
    value_kinds_line,
    worst_first,
)


def test_what_answers_used_is_counted_whether_it_was_there_or_not():
    found = retention(replay(load_sample()[0], Settings()))
    assert facts_in_short(lost_facts(found)) == ("21 of 141", "needed facts missing")
    assert len(losses_shown(found)) == 21
    kept = retention(replay(load_sample("tide-tables-agent")[0], Settings()))
    assert facts_in_short(lost_facts(kept)) == ("All 24", "needed facts there")
    assert losses_shown(kept) == ()
    nothing = retention(replay(Conversation([Message("user", "Hello.")]), Settings()))
    assert facts_in_short(lost_facts(nothing)) == ("0", "facts needed later")


@pytest.mark.parametrize("sample", samples())
def test_every_place_says_the_same_number_of_the_same_losses(sample):
    conversation = load_sample(sample)[0]
    for settings in (Settings(), Settings(policy="all", budget=3000), Settings(length=2)):
        found = retention(replay(conversation, settings), stars=[0], questions=["What was the number?"])
        facts, shown = lost_facts(found), losses_shown(found)
        marked = sum(loss.kind == "star" for loss in shown)
        assert (facts.lost, facts.marked) == (len(shown) - marked, marked)
        assert (f"{facts.lost:,} of" in facts.amount) == bool(facts.lost and facts.total > 1)
        assert ("⚑ lost" in " ".join(facts_in_short(facts))) == bool(marked)
        assert facts.badge == str(facts.lost) + " + 1 ⚑" * marked
        assert place_among(0, 1, facts) == f"Loss 1/{len(shown):,}"
        assert place_among(0, 0, facts).startswith(f"{len(shown)} loss")
        assert facts.losses.startswith(f"{facts.lost} fact" if facts.lost or not marked else "1 ⚑ message")


def test_what_a_reader_makes_sense_of_is_named_before_a_line_of_code():
    def named(*values: str) -> str:
        return named_loss([Loss("reference", i, 0, value) for i, value in enumerate(values)]).value

    assert named("if tide.at < lead:", "src/tidewatch/cli.py", "Noor Haddad") == "src/tidewatch/cli.py"
    assert named("next_high(tides)", "2026-11-22 09:10") == "2026-11-22 09:10"
    assert named("a b c\n  d", "import os", "The gate is B42.") == "The gate is B42."
    assert named("ORD-77", "HW-3917") == "ORD-77"
    assert named("1,240", "Noor Haddad", "ORD-77") == "ORD-77"
    assert named("x = 1", "1,240", "in_progress", "git status", "Noor Haddad") == "Noor Haddad"
    assert named("B42", "ORD-77") == "ORD-77"
    said = [Loss("link", 0, 0, "1,240", severity="person"), Loss("link", 1, 0, "ORD-77", severity="assistant")]
    assert named_loss(said).value == "1,240"
    assert [named_loss([Loss("reference", 0, 0, value)]) for value in ("x = 1", "1,240", "pending")] == [None] * 3
    assert named_loss([]) is None
    assert named_loss([Loss("star", 0, 0, "def f(): …"), Loss("link", 1, 0, "HW-3917")]).kind == "star"


def test_a_loss_says_how_bad_it_is_the_worst_first_and_what_fetching_again_takes():
    look, book = (
        ToolCall("c", "get_seat", "{}"),
        ToolCall("d", "book", '{"seat": "14-C", "code": "QX-55", "to": "Oslo"}'),
    )
    said = [
        Message("user", "Which seat?"),
        Message("assistant", "To Oslo.", tool_calls=(look,)),
        Message("tool", "Seat 14-C.", tool_call_id="c"),
        Message("assistant", "14-C."),
        Message("user", "Never book a window. The code is QX-55."),
        Message("assistant", "Noted."),
        Message("user", "Book it."),
        Message("assistant", tool_calls=(book,)),
    ]
    timeline = replay(Conversation(said), Settings(length=1))
    found = retention(timeline)
    tokens = found.fetches[3].tokens
    assert [severity_in_words(loss) for loss in worst_first(found.losses)] == [
        "■ gone for good: a person said it",
        "◧ the assistant wrote it itself",
        f"↻ a tool would find it again (about {tokens} tokens)",
    ]
    assert severity_line(found) == (
        "1 of 3 is gone for good, 1 the assistant wrote itself, 1 can be found again with a tool"
    )
    assert value_kinds_line(found) == "By kind: 1 of 3 ids and codes, 0 of 1 names and other text, 0 of 1 rules kept"
    dollars = money(bill(timeline).cost_of_fetching([(3, found.fetches[3].calls, found.fetches[3].results)]))
    assert fetching_sentence(found, bill(timeline)) == (
        f"Not in these sums: repeating 1 earlier call to get lost facts back would take about {tokens} tokens, "
        f"{dollars} with the requests it adds."
    )
    assert fetching_sentence(found, None).endswith(f"take about {tokens} tokens.")
    kept = retention(replay(Conversation(said), Settings(policy="all")))
    assert (severity_line(kept), fetching_sentence(kept, None)) == ("", "")


def test_what_is_gone_for_good_is_named_before_what_can_be_had_again():
    losses = [Loss("reference", 0, 0, "a.py", severity="fetchable"), Loss("link", 1, 0, "HW-3917", severity="person")]
    assert named_loss(losses).value == "HW-3917"


@pytest.mark.parametrize("sample", ["birthday-by-the-sea", "lamp-through-the-night", "ferry-desk"])
@pytest.mark.parametrize(
    "chosen",
    [Settings(budget=700), Settings(budget=900, pruner="summarize"), Settings(tool_output="truncate", budget=900)],
    ids=["dropped", "summarised", "cut short"],
)
def test_the_sentence_of_every_loss_is_so(sample, chosen):
    timeline = replay(load_sample(sample)[0], chosen)
    found = retention(timeline)
    needs = [need for step in find_needs(timeline.conversation) for need in step]
    lost = [n for n in needs if find_holder(timeline.plans[n.step], n.value, n.mentions) == LOST]
    assert lost_facts(found).lost == len(lost)
    for loss in losses_shown(found):
        gone = gone_at(timeline, loss)
        whole = [p.size > loss.message and p.sketch()[loss.message] in "KP" for p in timeline.plans[: loss.step + 1]]
        assert not any(whole[gone:])


def test_a_message_sent_in_part_is_lost_since_it_was_first_cut_and_called_cut_short():
    read = ToolCall("c", "read", "{}")
    said = [
        Message("user", "Read the record."),
        Message("assistant", "", tool_calls=(read,)),
        Message("tool", "word " * 99 + "QX-55", tool_call_id="c"),
        Message("assistant", "It is long."),
        Message("user", "And then?"),
        Message("assistant", "Nothing."),
        Message("user", "Book what it names."),
        Message("assistant", "", tool_calls=(ToolCall("d", "book", '{"code": "QX-55"}'),)),
    ]
    timeline = replay(Conversation(said), Settings(tool_output="truncate", **{"tool_output.truncate.limit": 20}))
    (loss,) = losses_shown(retention(timeline))
    assert loss.step == 3
    assert [plan.sketch()[2:3] for plan in timeline.plans] == ["", "T", "T", "T"]
    assert gone_at(timeline, loss) == 1
    assert gone_as(timeline, loss) == Action.TRUNCATED


def test_a_terminals_escapes_are_no_words():
    said = ["\x1b[31mThe code is QX-55.\x1b[0m", "Noted.", "More", "Fine."]
    conversation = Conversation(Message(("user", "assistant")[i % 2], text) for i, text in enumerate(said))
    timeline = replay(conversation, Settings(length=1))
    assert [lost_value(loss) for loss in losses_shown(retention(timeline, stars=[0]))] == ["The code is QX-55."]


def test_what_needed_it_is_named_by_its_call():
    call = ToolCall("c", "book", '{"code": "QX-55"}')
    said = [
        Message("user", "The code is QX-55."),
        Message("assistant", "Noted."),
        Message("user", "Book it."),
        Message("assistant", "", tool_calls=(call,)),
    ]
    timeline = replay(Conversation(said), Settings(length=1))
    (loss,) = losses_shown(retention(timeline))
    assert lost_value(loss) == "QX-55"
    assert used_as(loss) == "a call (book.code)"
