"""The answer about one message, in sentences: since when, what would keep it, who needs it; and a trial's effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of, money, times
from historylab.costs.bill import CostComparison
from historylab.planning.explain import Answer
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.references import Need
from historylab.recall.retention import Loss, Retention
from historylab.recall.rules import track_rules
from historylab.settings.resolve import Resolution
from historylab.wording.cuts import capitalize_first
from historylab.wording.losses import LostFacts, gone_as, gone_at, lost_facts, severity_in_words
from historylab.wording.message_text import preview, without_escapes
from historylab.wording.must_remember import at_step
from historylab.wording.palette import LOOKS
from historylab.wording.settings import title_of, value_in_words
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import count_actions, count_sent

QUOTE, VALUE, NAME = 60, 48, 40  # characters of a message, of a value, of what it is used as
NO_LOSS = "Nothing that a later answer or tool call used was missing when it was needed."
CHOOSE = "Choose a message, on the map or in the list, to see why it is kept or lost."


def since_in_words(timeline: Timeline, action: Action, since: int) -> str:
    """ "Dropped since turn 21" """
    return f"{capitalize_first(LOOKS[action].word)} since {timeline.steps[since].label}"


def what_would_keep(answer: Answer) -> str:
    """ "Sent if Length ≥ 23 and Budget ≥ 6,100.": settings by their titles; "" where it is sent."""
    return answer.undo_in_words(title_of, value_in_words)


def why_not_tried(undo: Mapping[str, Any], resolution: Resolution) -> str:
    """Which of these settings the environment holds: "Length is set by HISTORYLAB_LENGTH, so …"; "" if none is."""
    held = [resolution.provenance[name] for name in undo if resolution.provenance[name].locked]
    if not held:
        return ""
    if any(origin.source != "environment" for origin in held):
        return "The environment is strict, so it can’t be tried here."
    named = " and ".join(f"{title_of(origin.setting)} is set by {origin.name}" for origin in held)
    return f"{named} in the environment, so it can’t be tried here."


# -- losses and needs


def loss_in_words(found: Retention, first: Loss) -> str:
    """ "Message 2, “Hi! I'm Noor”, stopped being sent at turn 21. Turn 58 needed its “HW-3917”, in the answer." """
    timeline = found.timeline
    use: Loss | Need | None = first
    if first.kind == "star":
        use = next((need for need, held in found.needed_of(first.message) if not held), None)
    quoted = one_line(preview(timeline.conversation[first.message]), QUOTE)
    which = f"Message {first.message + 1:,}, {'which must be remembered, ' if first.kind == 'star' else ''}“{quoted}”"
    said = f"{which}, {_left_at(timeline, first)}."
    if use is None:
        return said
    when = capitalize_first(timeline.steps[use.step].label)
    return f"{said} {when} needed its “{one_line(without_escapes(use.value), VALUE)}”, {_use_phrase(timeline, use)}."


def need_in_words(timeline: Timeline, need: Need, *, held: bool, loss: Loss | None = None) -> str:
    """ "needed “HW-3917”, in the answer, and had it": what follows the name of the request; how bad its loss is."""
    had = "and had it" if held else f"and no longer had it{f' ({severity_in_words(loss)})' if loss else ''}"
    return f"needed “{one_line(without_escapes(need.value), VALUE)}” {_use_phrase(timeline, need)}, {had}"


def unlisted_needs(needs: Sequence[tuple[Need, bool]], listed: int) -> tuple[str, str]:
    """Of a message's needs, each with whether it was held, those beyond the `listed`; and in full, for a hover.

    They are no number beside the facts lost: most of them were held.
    """
    lost = sum(not held for _, held in needs)
    others = [held for _, held in needs[listed:]]
    had = "which had it" if all(others) else "which no longer had it" if not any(others) else "some of which had it"
    whole = f"Needed {count_of(len(needs), 'time')} in all: {lost:,} lost, {len(needs) - lost:,} held."
    return (f"and by other requests, {had}", whole) if others else ("", whole)


def short_label(timeline: Timeline, request: int) -> str:
    """ "Turn 58", or "Request 98" where a turn makes several."""
    step = timeline.steps[request]
    return f"Request {request + 1:,}" if step.requests_in_turn > 1 or step.turn < 0 else f"Turn {step.turn + 1:,}"


def place_among(before: int, here: int, lost: LostFacts) -> str:
    """ "lost fact 2 of 5", "loss 2 of 2: 1 fact and 1 ⚑ message"; "lost facts 3–4 of 5" of one message at once.

    Beside them all "5 facts lost".
    """
    if not here:
        return f"{lost.losses} lost"
    which = f"{before + 1:,}" if here == 1 else f"{before + 1:,}–{before + here:,}"
    if not lost.marked:
        return f"lost {'fact' if here == 1 else 'facts'} {which} of {lost.lost:,}"
    return f"{'loss' if here == 1 else 'losses'} {which} of {lost.lost + lost.marked:,}: {lost.losses}"


def _left_at(timeline: Timeline, loss: Loss) -> str:
    action, since = gone_as(timeline, loss), gone_at(timeline, loss)
    if action <= Action.TRUNCATED:
        return f"was sent only in part from {timeline.steps[since].label} on"
    if not since or loss.message >= timeline.plans[since - 1].size:
        return "was never sent"
    how = "was folded into a summary" if action == Action.SUMMARIZED else "stopped being sent"
    return f"{how} {at_step(timeline.steps[since])}"


def _use_phrase(timeline: Timeline, use: Loss | Need) -> str:
    """ "as customer of refund", "in the answer", "to answer “Which seat?”" """
    if use.kind == "link":
        return "in the answer"
    if use.kind == "evidence":
        return f"to answer “{one_line(use.used_as, NAME)}”"
    by = use.needed_by if isinstance(use, Loss) else use.message
    calls = timeline.conversation[by].tool_calls if by is not None else ()
    tool = next((c.name for c in calls if use.used_as.startswith(f"{c.name}.")), "")
    argument = use.used_as.removeprefix(f"{tool}.") if tool else ""
    return (
        f"as “{one_line(argument, NAME)}” of {one_line(tool, NAME)}"
        if tool
        else f"in a call of {one_line(use.used_as, NAME)}"
    )


# -- before and after a trial


@dataclass(frozen=True, slots=True)
class Shift:
    """One line of before and after; `change` says in a word what became of it: "better", "worse", "+79"."""

    what: str
    before: str
    after: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredTimeline:
    """A timeline, with what its later requests needed, and its cost beside not trimming where prices are known."""

    timeline: Timeline
    retention: Retention
    cost: CostComparison | None


def before_and_after(
    before: MeasuredTimeline, after: MeasuredTimeline, number: int, message: int | None
) -> list[Shift]:
    """What a trial changed: for a message at request `number` (from 0), for that request, and for all of them."""
    old, new = (seen.timeline.plans[min(number, len(seen.timeline.plans) - 1)] for seen in (before, after))
    shifts = []
    same = before.timeline.conversation.digest == after.timeline.conversation.digest
    if message is not None and same and message < min(old.size, new.size):
        was, is_now = old.actions[message], new.actions[message]
        better = _less_is_better(int(was > Action.TRUNCATED), int(is_now > Action.TRUNCATED))
        shifts.append(Shift(f"Message {message + 1:,}", LOOKS[Action(was)].badge, LOOKS[Action(is_now)].badge, better))
    (sent, size), (sends, of) = (count_sent(count_actions(plan)) for plan in (old, new))
    shown = f"{sent:,} of {size:,}", f"{sends:,} of {of:,}"
    shifts.append(Shift("Messages sent", shown[0], shown[1], _difference(sent, sends)))
    sizes = [int(seen.timeline.contexts[min(number, len(seen.timeline.plans) - 1)]) for seen in (before, after)]
    shifts.append(_count("Tokens, this request", sizes[0], sizes[1], _difference(sizes[0], sizes[1])))
    lost, loses = (lost_facts(seen.retention).lost for seen in (before, after))
    shifts.append(_count("Facts lost", lost, loses, _less_is_better(lost, loses)))
    lost, loses = before.retention.stars.lost, after.retention.stars.lost
    if lost or loses:
        shifts.append(_count("Must remember, lost", lost, loses, _less_is_better(lost, loses)))
    lost, loses = (sum(bool(rule.held.gaps) for rule in track_rules(seen.timeline)) for seen in (before, after))
    if lost or loses:
        shifts.append(_count("Rules lost", lost, loses, _less_is_better(lost, loses)))
    over, is_over = (int(seen.timeline.over_budget.sum()) for seen in (before, after))
    if over or is_over:
        shifts.append(_count("Requests over budget", over, is_over, _less_is_better(over, is_over)))
    if before.cost and after.cost:
        cost, costs = (f"{money(seen.bill.total)} ({times(seen.ratio)})" for seen in (before.cost, after.cost))
        change = _less_is_better(before.cost.bill.total, after.cost.bill.total)
        shifts.append(Shift("Cost", cost, costs, change))
    return shifts


def _count(what: str, before: int, after: int, change: str) -> Shift:
    return Shift(what, f"{before:,}", f"{after:,}", change)


def _less_is_better(before: Any, after: Any) -> str:
    """For what had better be little."""
    return "" if before == after else "better" if after < before else "worse"


def _difference(before: int, after: int) -> str:
    return f"{after - before:+,}".replace("-", "−") if after != before else ""


# -- what a deletion took along


def deletion_in_words(before: Conversation, at: int, *, marked: bool) -> str:
    """What went with message `at` of the conversation before: its mark, and what answers it, or what it answers."""
    block = before.columns.block
    beside = int((block == block[at]).sum()) - 1
    said = [f"Message {at + 1:,} is deleted{', and its mark “must remember” with it' if marked else ''}."]
    if beside and before[at].tool_calls:
        results = "result is left without its" if beside == 1 else f"{beside:,} results are left without their"
        said.append(
            f"Its {results} call: an API would refuse that, so no request sends {'it' if beside == 1 else 'them'}."
        )
    elif beside:
        said.append("The call it answered is left without a result: an API would refuse that, so it isn’t sent on.")
    return " ".join(said)
