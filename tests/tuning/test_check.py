"""A check: facts about every conversation, estimates over all of them, and what is unsure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

import pytest
from sketches import conv

from historylab import Conversation, Message, Settings, ToolCall, check
from historylab.conversation.message import Usage
from historylab.conversation.sent import SentHistory, sent_metadata
from historylab.errors import LoadError, SettingsError
from historylab.formats.files.pieces import Piece
from historylab.pricing import Prices
from historylab.reports.check_markdown import check_markdown
from historylab.reports.junit import junit
from historylab.tuning.check import run_check
from historylab.tuning.constraints import read_wishes
from historylab.tuning.replayed import AS_SENT, MeasureOptions, TrimmerLane
from historylab.wording.check import finding_reason
from historylab.wording.check_summary import check_lines, notes

WHOLE, SHORT = Settings(policy="all"), Settings(policy="lastN", length=1)


def booking(values: int = 1, metadata: dict | None = None) -> Conversation:
    """A call that books what was asked for two turns before; SHORT has forgotten it."""
    asked = [f"ORD-47{k:02}" for k in range(values)]
    calls = tuple(ToolCall(f"c{k}", "book", f'{{"number": "{value}"}}') for k, value in enumerate(asked))
    results = [Message("tool", "done", tool_call_id=call.id) for call in calls]
    said = [Message("user", "I want " + ", ".join(asked)), Message("assistant", "Noted.")]
    book = [Message("user", "now book it"), Message("assistant", "", tool_calls=calls), *results]
    return Conversation([*said, *book, Message("assistant", "Booked.")], title="Booking", metadata=metadata)


def verdicts(wishes: str, *conversations: Conversation, settings: Settings = SHORT) -> list[str]:
    return [each.verdict for each in run_check(conversations, settings, read_wishes(wishes)).findings]


def test_a_wish_is_held_broken_or_unsure_on_every_conversation():
    chat = conv("s u a u a")
    assert verdicts("keep every reference", booking(), chat) == ["broken", "unsure"]
    assert verdicts("keep every reference", booking(), chat, settings=WHOLE) == ["held", "unsure"]


def test_a_broken_wish_names_what_was_lost():
    (found,) = run_check(booking(2), SHORT, read_wishes("keep every reference")).findings
    assert (found.part, found.whole) == (0, 2)
    assert [(lost.loss.value, lost.loss.used_as, lost.at) for lost in found.losses] == [
        ("ORD-4700", "book.number", "turn 2, request 1 of 2"),
        ("ORD-4701", "book.number", "turn 2, request 1 of 2"),
    ]
    assert finding_reason(found).startswith(
        "2 of 2 facts in tool calls are lost: “ORD-4700”, needed at turn 2, request 1 of 2 by a call (book.number), "
        "gone for good: a person said it; “ORD-4701”, needed"
    )


@pytest.mark.parametrize(
    ("wish", "verdict"),
    [
        ("never over 10 tokens", "broken"),
        ("never over 8k", "held"),
        ("never over the budget", "held"),
        ("no summaries", "held"),
        ("never rejected", "held"),
        ("at most $0.0000001", "broken"),
        ("at most $2 under explicit caching", "held"),
        ("at most 0.1x not trimming", "broken"),
        ("at most 1x not trimming", "held"),
        ("keep every must-remember message", "unsure"),
    ],
)
def test_every_wish_is_judged(wish, verdict):
    assert verdicts(wish, booking()) == [verdict]


def test_what_would_mend_a_broken_budget_is_said():
    (found,) = run_check(booking(), Settings(budget=5), read_wishes("never over the budget")).findings
    assert "A budget of" in found.about


def test_a_cost_is_unsure_without_prices_and_a_must_where_the_file_marks_it():
    unpriced = Settings(model="nobody-knows-it")
    assert verdicts("at most $2; at most 1x not trimming", booking(), settings=unpriced) == ["unsure", "unsure"]
    assert verdicts("keep every star", booking(metadata={"stars": [0]})) == ["broken"]


def test_evidence_that_a_file_names_must_be_kept():
    gold = {"evidence": [{"question": "which order?", "at": 2, "messages": [0]}]}
    assert verdicts("keep all evidence", booking(metadata=gold), booking()) == ["broken", "unsure"]


def test_a_rule_must_be_held_in_every_request_after_it_was_said():
    said = [Message("user", "Never write outside the office."), Message("assistant", "Understood.")]
    more = [m for k in range(3) for m in (Message("user", f"write letter {k}"), Message("assistant", "Done."))]
    chat = Conversation([*said, *more])
    (found,) = run_check(chat, SHORT, read_wishes("keep every rule")).findings
    assert (found.verdict, found.part, found.whole, found.losses[0].at) == ("broken", 0, 1, "turn 2")
    assert finding_reason(found) == "The one rule is lost: “Never write outside the office”, from turn 2 on."
    assert verdicts("keep every rule", chat, booking(), settings=WHOLE) == ["held", "unsure"]


@pytest.mark.parametrize("wish", ["forgets nothing a person said", "loses nothing for good"])
def test_what_nobody_can_say_again_may_not_be_lost(wish):
    (found,) = run_check(booking(), SHORT, read_wishes(wish)).findings
    assert (found.verdict, found.found) == ("broken", 1)
    assert finding_reason(found).startswith("1 fact that ")
    assert verdicts(wish, booking(), settings=WHOLE) == ["held"]
    assert verdicts(wish, conv("s u a u a")) == ["unsure"]


def test_a_directory_that_an_agents_environment_names_is_not_gone_for_good():
    told = "# AGENTS.md instructions for /srv/lamps\n\n<environment_context>\n  <cwd>/srv/lamps</cwd>"
    asked = [Message("user", f"Lamp {k}?") for k in range(3)]
    used = Message("assistant", tool_calls=(ToolCall("c", "exec_command", '{"cmd": "ls /srv/lamps"}'),))
    chat = Conversation([Message("user", told), Message("assistant", "Yes."), *asked, used])
    assert verdicts("loses nothing for good", chat) == verdicts("forgets nothing a person said", chat) == ["held"]
    assert verdicts("keep every reference", chat) == ["broken"]


def test_nothing_is_known_of_what_a_conversation_without_text_or_request_needs():
    assert verdicts("keep every reference", booking(metadata={"textless": True})) == ["unsure"]
    assert verdicts("never over the budget", Conversation([Message("assistant", "Hello!")])) == ["unsure"]


@pytest.mark.parametrize(
    ("wish", "lost_in", "verdict"),
    [
        ("keep 90% of references", 0, "held"),
        ("keep 95% of references", 1, "unsure"),  # 78 of 80: the interval holds 95%
        ("keep 95% of references", 15, "broken"),
    ],
)
def test_a_percentage_is_an_estimate_over_all_conversations(wish, lost_in, verdict):
    chats = [booking(2) for _ in range(40)]
    kept = [chat.pin([0]) if k >= lost_in else chat for k, chat in enumerate(chats)]
    assert verdicts(wish, *kept) == [verdict]


def test_nothing_is_said_of_a_share_of_nothing():
    silent = Conversation([Message("assistant", "Hello!")])
    wishes = read_wishes("keep 90% of references, at most 1x not trimming")
    assert {finding_reason(each) for each in run_check(silent, WHOLE, wishes).findings} == {
        "Unsure: the conversation makes no request."
    }
    free = run_check(
        booking(), WHOLE, wishes, options=MeasureOptions(prices=Prices(input=Decimal(0), output=Decimal(0)))
    )
    assert finding_reason(free.findings[1]) == "Unsure: these conversations cost nothing."


@pytest.mark.parametrize(("conversations", "settings", "verdict"), [(1, WHOLE, "held"), (2, SHORT, "broken")])
def test_one_or_two_conversations_are_judged_as_seen_and_say_nothing_of_others(conversations, settings, verdict):
    chats = [booking(30)] * conversations
    (found,) = run_check(chats, settings, read_wishes("keep 90% of references")).findings
    assert (found.verdict, found.interval) == (verdict, None)
    assert finding_reason(found).endswith(
        ("in 1 conversation, which says nothing of others.", "which say nothing of others.")
    )
    assert "interval" not in finding_reason(found)


def test_three_conversations_are_few_however_much_they_needed():
    (found,) = run_check([booking(30)] * 3, WHOLE, read_wishes("keep 90% of references")).findings
    assert finding_reason(found) == (
        "Unsure: 90 of 90 facts in tool calls are kept (100%) in 3 conversations; 95% interval 15% to 100%: "
        "too few to tell."
    )


def test_against_other_settings_both_are_spent_on_the_same_conversations():
    found = run_check([booking(2), conv("s u a u a")], SHORT, (), against=WHOLE)
    assert [each.lost for each in found.now] == [2, 0]
    assert [each.lost for each in found.before] == [0, 0]
    assert sum(each.cost for each in found.now) < sum(each.cost for each in found.before)
    assert not found.fails(strict=True)


@pytest.mark.parametrize(
    ("settings", "against", "verdicts"), [(SHORT, WHOLE, ["broken", "held"]), (WHOLE, SHORT, ["held", "broken"])]
)
def test_a_wish_may_be_on_other_settings(settings, against, verdicts):
    wishes = read_wishes("forgets no more, costs no more")
    found = run_check(booking(2), settings, wishes, against=against)
    assert [each.verdict for each in found.findings] == verdicts
    assert {lost.loss.value for lost in found.findings[0].losses} == (
        {"ORD-4700", "ORD-4701"} if settings is SHORT else set()
    )
    with pytest.raises(SettingsError, match="needs settings to compare with"):
        run_check(booking(), settings, wishes)


def test_it_fails_where_a_wish_is_broken_and_strictly_where_anything_is_unsure():
    unsure = run_check(conv("s u a u a"), WHOLE, read_wishes("keep every reference"))
    assert (unsure.verdict, unsure.fails(), unsure.fails(strict=True)) == ("unsure", False, True)
    assert run_check(booking(), SHORT, read_wishes("keep every reference, cheapest")).fails()
    assert run_check(booking(), SHORT, read_wishes("cheapest")).verdict == "unsure"


def test_settings_that_cut_at_nearly_every_request_are_told_with_what_ends_it():
    chat = conv("s" + " u:60 a:60" * 40)
    _, found = run_check(chat, Settings(budget=1500), read_wishes("no summaries")).moving
    assert found.moved > found.of / 2
    assert (found.cause, found.mend) == ("pruner.fifo.trim_to", {"pruner.fifo.trim_to": 0.5})
    assert run_check(chat, Settings(budget=1500).replace(**found.mend), read_wishes("no summaries")).moving is None


def test_a_folder_is_read_file_by_file_and_what_could_not_be_read_is_named(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "chat.json").write_text('[{"role": "user", "content": "hi"}]')
    (tmp_path / "README.md").write_text("# About these")
    (tmp_path / "cut.json").write_text('[{"role": "user", "content": "hi')
    (tmp_path / ".hidden").write_text("x")
    found = run_check(tmp_path, WHOLE, read_wishes("never over the budget"))
    assert [place.file for place in found.places] == [str(tmp_path / "below" / "chat.json")]
    assert (list(found.unread), found.left_out) == ([str(tmp_path / "cut.json")], (str(tmp_path / "README.md"),))
    assert (found.verdict, found.fails(), found.fails(strict=True)) == ("held", False, True)
    with pytest.raises(LoadError, match="in no format read here"):
        run_check(tmp_path / "README.md", WHOLE, ())
    with pytest.raises(SettingsError, match="holds no files"):
        (tmp_path / "empty").mkdir()
        run_check(tmp_path / "empty", WHOLE, ())
    for nowhere in ("nowhere", "*.jsonl"):
        with pytest.raises(SettingsError, match="there is no file or folder"):
            run_check(tmp_path / nowhere, WHOLE, ())


def test_wildcards_find_files(tmp_path):
    for name in ("a.json", "b.json", "c.jsonl"):
        (tmp_path / name).write_text('[{"role": "user", "content": "hi"}]')
    found = run_check(tmp_path / "*.json", WHOLE, read_wishes("never over the budget"))
    assert [place.file for place in found.places] == [str(tmp_path / "a.json"), str(tmp_path / "b.json")]


def test_a_comma_separates_wishes_except_within_a_number():
    said = [wish.said for wish in read_wishes("never over 8,000,keep every reference, at most $1,200; cheapest")]
    assert said == ["never over 8,000", "keep every reference", "at most $1,200", "cheapest"]


def test_several_conversations_of_a_file_have_numbers(tmp_path):
    line = '{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}\n'
    (tmp_path / "all.jsonl").write_text(2 * line)
    done: list[tuple[int, int]] = []
    found = run_check([tmp_path / "all.jsonl", booking()], WHOLE, (), progress=lambda *told: done.append(told))
    assert [place.number for place in found.places] == [1, 2, 0]
    assert done == [(0, 2), (1, 2)]


def test_what_is_computed_of_a_file_is_let_go_of_and_what_was_handed_in_keeps_it(tmp_path, monkeypatch):
    (tmp_path / "a.json").write_text('[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]')
    read: list[Conversation] = []
    whole = Piece.read
    monkeypatch.setattr(Piece, "read", lambda piece: read.extend(found := whole(piece)) or found)
    run_check([str(tmp_path / "a.json"), mine := booking()], SHORT, read_wishes("keep every reference"))
    assert [bool(each.derived) for each in (*read, mine)] == [False, True]


# -- what was really sent


def as_told(said: Iterable[Message], *told: SentHistory) -> Conversation:
    return Conversation(said, metadata=sent_metadata(told))


def trimmed() -> Conversation:
    """The booking by an app that sent its newest message alone: a result without its call, last."""
    return as_told(booking(), *(SentHistory(size, ((size - 1, size),)) for size in (3, 5)))


def test_what_an_app_sent_is_judged_like_settings():
    wishes = read_wishes("keep every reference, never rejected, forgets nothing a person said")
    assert [each.verdict for each in run_check(trimmed(), AS_SENT, wishes).findings] == ["broken"] * 3
    (found,) = run_check(trimmed(), AS_SENT, wishes[:1]).findings
    assert [lost.loss.value for lost in found.losses] == ["ORD-4700"]


def test_settings_are_set_against_what_was_sent():
    found = run_check(trimmed(), WHOLE, read_wishes("forgets no more"), against=AS_SENT)
    assert (found.now[0].lost, found.before[0].lost, found.verdict) == (0, 1, "held")
    assert next(line for line in check_lines(found) if line.startswith("Against")).startswith(
        "Against what was really sent: forgets 1 fewer, "
    )


def test_beside_what_was_sent_settings_are_counted_as_that_was():
    used = [Message("user", "and?"), Message("assistant", "so", metadata={"usage": Usage(input=9_000)})]
    found = run_check(Conversation(3 * used), WHOLE.replace(budget=60_000), (), against=AS_SENT)
    assert found.now[0].tokens == found.before[0].tokens == 27_000


def test_a_conversation_of_which_nothing_says_what_was_sent_is_named_and_unsure():
    found = run_check([trimmed(), booking()], AS_SENT, read_wishes("keep every reference"))
    assert list(found.unread.values()) == [
        "nothing in this file says what was sent: it has no usage, no requests and no marks of a cut"
    ]
    assert (len(found.places), found.unsure) == (1, 1)
    with pytest.raises(SettingsError, match="nothing in this file says what was sent"):
        run_check(booking(), AS_SENT, ())


def test_of_requests_that_are_not_told_only_what_is_lost_anyway_is_known():
    told = SentHistory(3, ((2, 3),)), SentHistory(3, ((0, 3),), known=False)
    wishes = read_wishes("keep every reference")
    found = [run_check(as_told(booking(), each), AS_SENT, wishes) for each in told]
    assert [each.verdict for each in found] == ["broken", "unsure"]
    assert "doesn’t tell which messages were sent" in finding_reason(found[1].findings[0])


def test_what_was_sent_had_no_budget_of_ours_and_no_setting_of_ours_moves_its_cut():
    chat = conv("s" + " u:60 a:60" * 20)
    sizes = chat.columns.requests.tolist()[3:]
    used = [m if m.role != "assistant" else replace(m, metadata={"usage": Usage(input=900)}) for m in chat]
    sent = as_told(used, *(SentHistory(n, ((n - 5, n),)) for n in sizes))
    found = run_check(sent, AS_SENT, read_wishes("never over the budget"))
    assert found.verdict == "unsure"
    assert found.moving[1].moved > found.moving[1].of / 2
    assert (found.moving[1].cause, found.moving[1].mend) == ("", {})


# -- trimmers that aren't ours


def newest(messages: list, count: int = 2) -> list:
    return messages[-count:]


def fails_at_first(messages: list) -> list:
    if len(messages) < 3:
        raise KeyError("no summary yet")
    return messages


def fails_once(messages: list) -> list:
    return messages[0:] if len(messages) != 3 else messages[7]


def test_a_trimmer_is_judged_like_settings():
    found = run_check(booking(), TrimmerLane(newest), read_wishes("keep every reference, never over 8k"))
    assert [each.verdict for each in found.findings] == ["broken", "held"]
    assert found.verdict == "broken"


@pytest.mark.parametrize("wish", ["never rejected", "never over 8k", "never over the budget", "no summaries"])
def test_where_a_trimmer_fails_a_wish_that_nothing_else_breaks_is_unsure(wish):
    found = run_check(booking(), TrimmerLane(fails_at_first), read_wishes(wish))
    assert [finding_reason(each) for each in found.findings] == [
        "Unsure: the trimmer failed at a request, and nobody knows what that would have held."
    ]


def test_a_trimmer_that_fails_breaks_the_check_and_no_wish():
    found = run_check(booking(), TrimmerLane(fails_at_first), read_wishes("never rejected"))
    assert (found.verdict, found.of_wishes, found.fails()) == ("broken", "unsure", True)
    first, second, *_ = check_lines(found)
    assert first == (
        "Broken: fails_at_first fails at 1 of 3 requests, first at request 1 of Booking: "
        "it raised KeyError: 'no summary yet'."
    )
    assert second.startswith("Unsure:")


def test_a_failure_is_a_case_of_its_own_in_every_report():
    found = run_check(booking(), TrimmerLane(fails_at_first), read_wishes("never over 8k"))
    assert 'name="fails_at_first answers"' in junit(found)
    assert 'failures="1"' in junit(found)
    assert check_markdown(found).startswith("### ❌ Broken: `fails_at_first` fails at 1 of 3 requests")


def test_what_a_trimmer_breaks_beside_its_failures_is_broken():
    found = run_check(booking(), TrimmerLane(fails_at_first), read_wishes("never over 10 tokens"))
    assert found.verdict == "broken"
    assert "at request 3" in finding_reason(found.findings[0])


def test_where_else_a_trimmer_failed_is_noted_first():
    found = run_check([booking(), booking(2)], TrimmerLane(fails_at_first), read_wishes("keep every rule"))
    assert next(check_lines(found)).startswith("Broken: fails_at_first fails at 2 of 6 requests")
    said = (
        "fails_at_first failed at 1 of 3 requests of Booking, first at request 1: it raised KeyError: 'no summary yet'"
    )
    assert next(notes(found)) == said


def test_every_report_names_the_trimmer_and_what_a_request_is_refused_for():
    found = run_check(conv("s u a(t) a u a"), TrimmerLane(newest, {"count": 1}), read_wishes("never rejected"))
    lines = list(check_lines(found))
    assert lines[0] == "Broken: 1 of 1 wish, over 1 conversation, with newest."
    assert lines[3].endswith(
        ": 1 request is refused by the API: 1 tool result without its call, the first at request 2."
    )
    assert "Warning: 3 of 3 requests go without the system prompt." in lines
    assert "with `newest`" in check_markdown(found)
    assert 'name="historylab check newest"' in junit(found)


def test_a_fault_of_the_file_is_not_the_trimmers():
    loose = conv("u t a u t a u a")
    asked = read_wishes("never refused")
    assert run_check(loose, TrimmerLane(lambda messages: messages), asked).verdict == "held"
    (found,) = run_check(loose, TrimmerLane(lambda messages: messages[:0]), asked).findings
    assert finding_reason(found).startswith(
        "3 requests are refused by the API: 3 requests with no message of a user or tool, the first at request 1"
    )


def test_what_is_unsure_in_some_conversations_is_said_first():
    short = conv("u a")
    found = run_check([booking(), short, short], TrimmerLane(fails_once), read_wishes("never over 8k"))
    assert "Unsure in 1 of 3 conversations, held in 2: 1 wish, with fails_once." in check_lines(found)


def test_a_trimmer_that_always_fails_is_a_mistake_in_asking():
    with pytest.raises(SettingsError, match="fails at every request: it raised AttributeError"):
        run_check(booking(), TrimmerLane(lambda messages: messages.nothing()), read_wishes("never rejected"))


def test_the_budget_of_a_trimmer_is_the_window_of_the_model():
    small = booking(metadata={"parameters": {"num_ctx": 20}})
    (found,) = run_check(small, TrimmerLane(newest, {"count": 9}), read_wishes("never over the budget")).findings
    assert found.verdict == "broken"
    assert "requests are over the window, most at request 3" in finding_reason(found)


def test_a_trimmer_is_set_against_settings_and_settings_against_it():
    asked = read_wishes("forgets no more")
    assert run_check(booking(), TrimmerLane(newest), asked, against=WHOLE).verdict == "broken"
    beside = run_check(booking(), WHOLE, asked, against=TrimmerLane(newest))
    assert beside.verdict == "held"
    assert list(check_lines(beside))[1].startswith("Against newest: forgets 1 fewer")


def test_what_fails_on_the_other_side_is_no_ground_for_a_verdict():
    found = run_check(
        booking(), SHORT, read_wishes("forgets no more, costs no more"), against=TrimmerLane(fails_at_first)
    )
    assert [each.verdict for each in found.findings] == ["unsure", "unsure"]
    assert not found.fails()


# -- as an assertion


def test_a_broken_wish_is_an_assertion_with_the_report():
    with pytest.raises(AssertionError, match=r"(?s)Broken: 1 of 1 wish.*fact in a tool call is lost: “ORD-4700”"):
        check(newest, booking(), that="keep every reference")


def test_what_holds_gives_the_check():
    assert check(newest, booking(), that=["never over 8k"], count=3).verdict == "held"
    assert check(WHOLE, booking(), that="keep every reference").verdict == "held"
    assert check(booking(), trimmer=newest, that="never over 8k", count=3).verdict == "held"


def test_an_object_may_do_something_else_the_next_time():
    class Trimmer:
        count = 9

        def __call__(self, messages):
            return messages[-self.count :]

    trimmer, chat = Trimmer(), booking()
    assert check(trimmer, chat, that="keep every reference").verdict == "held"
    trimmer.count = 2
    with pytest.raises(AssertionError):
        check(trimmer, chat, that="keep every reference")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"checked": newest}, "say what must hold"),
        ({"checked": WHOLE, "that": "never rejected", "count": 3}, "'count' is of a trimmer"),
        ({"checked": WHOLE, "that": "never rejected", "carry": True}, "'carry' is of a trimmer"),
        ({"checked": 3, "that": "never rejected"}, "not a Python int"),
        ({"checked": "nowhere.env", "that": "never rejected"}, "nowhere.env"),
        ({"checked": booking(), "conversations": newest}, "write check.trim, "),
        ({"checked": WHOLE, "trimmer": newest}, "two things to check"),
        ({"checked": newest, "conversations": None}, "and conversations"),
        ({"checked": "no_such_app:trim", "that": "never rejected"}, "no module 'no_such_app'"),
    ],
)
def test_a_mistake_in_asking_for_an_assertion_is_named(asked, said):
    with pytest.raises(SettingsError, match=said):
        check(**{"conversations": booking(), **asked})
