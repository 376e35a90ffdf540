"""The answer about one message, in sentences: since when, what would keep it, who needs it; and a trial's effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of, short_money
from historylab.costs.bill import CostComparison
from historylab.planning.explain import Answer
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.references import Need
from historylab.recall.retention import Loss, Retention
from historylab.recall.rules import track_rules
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.resolve import Resolution
from historylab.tuning.saving import Saving
from historylab.wording.advice import prune_words
from historylab.wording.costs import cost_in_words
from historylab.wording.cuts import changes_in_words
from historylab.wording.headline import moments, use_of, was_sent
from historylab.wording.losses import LostFacts, gone_as, gone_at, lost_facts, severity_in_words
from historylab.wording.message_text import without_escapes
from historylab.wording.over_budget import each_in_words
from historylab.wording.palette import LOOKS
from historylab.wording.phrases import capitalize_first, uncapitalize
from historylab.wording.quotes import short_value
from historylab.wording.settings import title_of, value_in_words
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import count_actions, count_sent

FACTS_LOST, STARS_LOST = "Facts lost", "⚑ lost"
LABEL = 36  # characters of the changes on a button
VALUE, NAME = 40, 40  # characters of a value, and of what it is used as


def since_in_words(timeline: Timeline, action: Action, since: int) -> str:
    """ "Dropped since turn 21" """
    return f"{capitalize_first(LOOKS[action].word)} since {timeline.steps[since].label}"


def what_would_keep(answer: Answer) -> str:
    """ "Sent if Length ≥ 23 and Budget ≥ 6,100.": settings by their titles; "" where it is sent."""
    return answer.undo_in_words(title_of, value_in_words)


def try_words(changes: Mapping[str, Any]) -> tuple[str, str]:
    """ "Try it: budget 132,648", as a button says it; and beside it what doesn't fit, "Keeping all messages"."""
    first, *others = order = sorted(changes, key=lambda name: name != "budget")
    said = [uncapitalize(change) for change in each_in_words({name: changes[name] for name in order})]
    if others and sum(map(len, said)) > LABEL:
        return f"Try it: {said[0]}", _others_in_words(changes, first)
    return f"Try it: {', '.join(said)}", ""


def _others_in_words(changes: Mapping[str, Any], but: str) -> str:
    others = {name: value for name, value in changes.items() if name != but}
    return capitalize_first(changes_in_words(others)) if others else ""


def change_in_losses(now: int, then: int) -> str:
    """ "19 → 18 losses", "Still 19 losses": in all, beside a button that tries settings; "" where there are none."""
    if now == then:
        return f"Still {count_of(now, 'loss')}" if now else ""
    return f"{now:,} → {count_of(then, 'loss')}"


def saving_in_words(saving: Saving) -> str:
    """ "35% cheaper, no fact lost.", "All 8 kept, 3% dearer.": what the button beside it would bring."""
    cost = cost_in_words(saving.cost, priced=saving.priced)
    if saving.lost == saving.were_lost:
        return f"{capitalize_first(cost)}, {'no more facts' if saving.lost else 'no fact'} lost."
    kept = {1: "It is", 2: "Both"}.get(saving.were_lost, f"All {saving.were_lost:,}")
    return f"{f'{saving.lost:,} lost instead of {saving.were_lost:,}' if saving.lost else f'{kept} kept'}, {cost}."


def saving_words(saving: Saving) -> tuple[str, str]:
    """ "Try it: don’t trim"; or "Try it: summarise at 8k", and what else is changed, "Keeping “never …”"."""
    pins_alone = "pin" in saving.changes and not {"policy", "pruner", "budget"} & {*saving.changes}
    if saving.settings.pruner == "off" and not pins_alone:
        return "Try it: don’t trim", ""
    others = {name: value for name, value in saving.changes.items() if name not in ("pruner", "budget", "policy")}
    does = "pin what was lost" if pins_alone else prune_words(saving.settings)[1]
    return f"Try it: {does}", capitalize_first(changes_in_words(others)) if others else ""


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


def loss_in_words(found: Retention, loss: Loss) -> tuple[str, str]:
    """ "Message 4 became part of a summary at turn 10.", "order_cake needed it (without: walnuts)."

    The headline quotes it, and says when it was needed.
    """
    timeline, use = found.timeline, use_of(found, loss)
    _, gone = moments(timeline, use.step if use else loss.step, gone_at(timeline, loss))
    what = f"Message {loss.message + 1:,} {_left_at(timeline, loss, gone)}."
    return what, f"{_how_needed(timeline, use)}." if use else ""


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
    """ "Loss 2/5", "Losses 3–4/5" of one message at once; beside them all "5 losses"."""
    losses = lost.lost + lost.marked
    if not here:
        return count_of(losses, "loss")
    return f"Loss {before + 1:,}/{losses:,}" if here == 1 else f"Losses {before + 1:,}–{before + here:,}/{losses:,}"


def _left_at(timeline: Timeline, loss: Loss, gone: str) -> str:
    """ "became part of a summary at turn 10": what became of the message that says the value."""
    action = gone_as(timeline, loss)
    if action > Action.TRUNCATED and not was_sent(timeline, loss):
        return "was never sent"
    fate = "became part of a summary" if action == Action.SUMMARIZED else "was dropped"
    if action <= Action.TRUNCATED:
        fate = "was cut short"
    elif is_as_sent(timeline):
        fate = "was cut"  # not by whom: a name out of a file has no place in a label
    return f"{fate} at {gone}"


def _how_needed(timeline: Timeline, use: Loss | Need) -> str:
    """ "order_cake needed it (without: walnuts)", "The answer used “HW-3917”" """
    value = short_value(use.value, VALUE)
    if use.kind == "link":
        return f"The answer used “{value}”"
    if use.kind == "evidence":
        return f"“{one_line(use.used_as, NAME)}” asked for it"
    tool, argument = _tool_and_argument(timeline, use)
    return f"{tool} needed it ({argument}: {value})" if argument else f"{tool} needed it ({value})"


def _use_phrase(timeline: Timeline, use: Loss | Need) -> str:
    """ "as customer of refund", "in the answer", "to answer “Which seat?”" """
    if use.kind == "link":
        return "in the answer"
    if use.kind == "evidence":
        return f"to answer “{one_line(use.used_as, NAME)}”"
    tool, argument = _tool_and_argument(timeline, use)
    return f"as “{argument}” of {tool}" if argument else f"in a call of {tool}"


def _tool_and_argument(timeline: Timeline, use: Loss | Need) -> tuple[str, str]:
    """The tool whose call used a value, and as what; all of it as the tool where they can't be told apart."""
    by = use.needed_by if isinstance(use, Loss) else use.message
    calls = timeline.conversation[by].tool_calls if by is not None else ()
    tool = next((c.name for c in calls if use.used_as.startswith(f"{c.name}.")), use.used_as)
    return one_line(tool, NAME), one_line(use.used_as[len(tool) + 1 :], NAME)


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
        was, is_now = old.action_of(message), new.action_of(message)
        better = _less_is_better(int(was > Action.TRUNCATED), int(is_now > Action.TRUNCATED))
        shifts.append(Shift(f"Message {message + 1:,}", LOOKS[was].badge, LOOKS[is_now].badge, better))
    (sent, size), (sends, of) = (count_sent(count_actions(plan)) for plan in (old, new))
    shown = f"{sent:,} of {size:,}", f"{sends:,} of {of:,}"
    shifts.append(Shift("Messages sent", shown[0], shown[1], _difference(sent, sends)))
    sizes = [int(seen.timeline.contexts[min(number, len(seen.timeline.plans) - 1)]) for seen in (before, after)]
    shifts.append(_count("Tokens", sizes[0], sizes[1], _difference(sizes[0], sizes[1])))
    lost, loses = (lost_facts(seen.retention).lost for seen in (before, after))
    shifts.append(_count(FACTS_LOST, lost, loses, _less_is_better(lost, loses)))
    lost, loses = before.retention.stars.lost, after.retention.stars.lost
    if lost or loses:
        shifts.append(_count(STARS_LOST, lost, loses, _less_is_better(lost, loses)))
    lost, loses = (sum(bool(rule.held.gaps) for rule in track_rules(seen.timeline)) for seen in (before, after))
    if lost or loses:
        shifts.append(_count("Rules lost", lost, loses, _less_is_better(lost, loses)))
    over, is_over = (int(seen.timeline.over_budget.sum()) for seen in (before, after))
    if over or is_over:
        shifts.append(_count("Requests over budget", over, is_over, _less_is_better(over, is_over)))
    if before.cost and after.cost:
        cost, costs = (short_money(seen.bill.total) for seen in (before.cost, after.cost))
        change = _less_is_better(before.cost.bill.total, after.cost.bill.total)
        shifts.append(Shift("Cost", cost, costs, change))
    return shifts


def costs_facts(shifts: Iterable[Shift]) -> bool:
    """Tell whether a trial loses more facts or messages to remember than were lost before it."""
    return any(shift.change == "worse" and shift.what in (FACTS_LOST, STARS_LOST) for shift in shifts)


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
