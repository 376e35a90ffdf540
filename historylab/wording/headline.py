"""The headline of a conversation: the loss that mattered most, else what trimming costs or saves; the same throughout.

It speaks of all requests, so that it stands still while somebody moves about; how many messages one request sends is
said beside it.
"""

from __future__ import annotations

from historylab.costs.amounts import count_of, short_count, short_money, whole_percent
from historylab.costs.bill import CostComparison
from historylab.costs.traffic import tokens_share
from historylab.planning.context_fill import strictest_limit
from historylab.planning.faults import count_faults, refused_for_trimming
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.planning.validity import lost_prompts
from historylab.recall.references import Need
from historylab.recall.retention import Loss, Retention
from historylab.recordings.as_sent import is_as_sent
from historylab.wording.as_sent import author_in_words
from historylab.wording.costs import cause_of_more, is_untrimmed, leaves_out
from historylab.wording.faults import causes_in_words, left_out_in_words
from historylab.wording.losses import gone_as, gone_at, losses_shown, lost_facts, named_loss
from historylab.wording.phrases import capitalize_first, uncapitalize
from historylab.wording.quotes import first_instruction, first_sentence, quote_of
from historylab.wording.trimmers import failure_at, trimmer_with_version

HELD = "Nothing it needed was lost"
TIMES = {1: "once", 2: "twice"}


def headline_sentence(found: Retention, compared: CostComparison | None) -> str:
    """The loss, or the saving, in a sentence; it quotes a message: untrusted text on one line.

    "Turn 12 needed “Jonas is badly allergic to walnuts”: gone since turn 10."
    """
    timeline = found.timeline
    if timeline.run and (broken := _broken_sentence(timeline)):
        return broken
    if loss := named_loss(losses_shown(found)):
        return loss_headline(found, loss)
    facts = lost_facts(found)
    if facts.lost:
        was = "was" if 1 in (facts.lost, facts.total) else "were"
        return f"{capitalize_first(facts.amount)} it used {was} already gone."
    if over := int(timeline.over_budget.sum()):
        return f"{_over(over, len(timeline.plans))} the budget: {_peak(timeline)}."
    if is_untrimmed(timeline):
        left_out = left_out_in_words(timeline)
        return f"Nothing is trimmed{f' but {left_out}' if left_out else ''}: {_peak(timeline)}."
    return _cost_headline(timeline, compared)


def counting_sentence(timeline: Timeline) -> str:
    """The headline until it is known what later requests needed; it claims nothing of that.

    "46k of 96k tokens at most; counting what was forgotten…"
    """
    return f"{capitalize_first(_peak(timeline))}; counting what was forgotten…"


def _broken_sentence(timeline: Timeline) -> str:
    """The worst fault of a trimmer's requests; "" where none is refused, none failed and all have the system prompt.

    "An API would refuse 31 of the 62 requests that LangChain trim_messages makes: 31 tool results without their call."
    """
    of, refused = count_of(len(timeline.plans), "request"), int(refused_for_trimming(timeline).sum())
    who, lost = trimmer_with_version(timeline), int(lost_prompts(timeline).sum())
    besides = f"; {lost:,} {'goes' if lost == 1 else 'go'} without the system prompt" if lost else ""
    if refused:
        causes = causes_in_words(count_faults(timeline))
        return (
            f"An API would refuse {refused:,} of the {of} that {who} makes{f': {causes}' if causes else ''}{besides}."
        )
    if timeline.errors:
        why = uncapitalize(failure_at(timeline, min(timeline.errors)).removesuffix("."))
        return f"{who} failed at {len(timeline.errors):,} of {of}: {why}{besides}."
    return f"{who} sends {lost:,} of {of} without the system prompt." if lost else ""


def loss_headline(found: Retention, loss: Loss) -> str:
    """ "Turn 12 needed “GN-48213”: gone since turn 10." """
    timeline, use = found.timeline, use_of(found, loss)
    quoted = f"“{quoted_loss(found, loss)}”"
    needed, gone = moments(timeline, use.step if use else loss.step, gone_at(timeline, loss))
    since = _gone_since(timeline, loss, gone, at_once=gone == needed and use is not None)
    if use is None:
        return f"{quoted} must be remembered: {since}."
    return f"{capitalize_first(needed)} needed {quoted}: {since}."


def _gone_since(timeline: Timeline, loss: Loss, gone: str, *, at_once: bool) -> str:
    """ "gone since turn 10", "already cut off", "never sent" """
    if not was_sent(timeline, loss):
        return "never sent"
    fate = "cut off" if gone_as(timeline, loss) <= Action.TRUNCATED else "gone"
    return f"already {fate}" if at_once else f"{fate} since {gone}"


def use_of(found: Retention, loss: Loss) -> Loss | Need | None:
    """The use that lacked what was lost: of a message that must be remembered the first of a value of its."""
    if loss.kind != "star":
        return loss
    return next((need for need, held in found.needed_of(loss.message) if not held), None)


def quoted_loss(found: Retention, loss: Loss) -> str:
    """The sentence that was lost, without quotation marks: untrusted text on one line."""
    message, use = found.timeline.conversation[loss.message], use_of(found, loss)
    if loss.kind == "star" and (told := first_instruction(message, use.value if use else "")):
        return told
    return quote_of(message, use.value) if use else first_sentence(message)


def moments(timeline: Timeline, needed: int, gone: int) -> tuple[str, str]:
    """Two requests (from 0) by their turns, or by their numbers where they are of one turn: "turn 12", "turn 10"."""
    later, earlier = timeline.steps[needed], timeline.steps[gone]
    if earlier.turn >= 0 and (later.turn != earlier.turn or later.requests_in_turn == 1):
        return f"turn {later.turn + 1:,}", f"turn {earlier.turn + 1:,}"
    return f"request {needed + 1:,}", f"request {gone + 1:,}"


def was_sent(timeline: Timeline, loss: Loss) -> bool:
    """Tell whether a request before the loss sent the message that says the value."""
    since = gone_at(timeline, loss)
    return since > 0 and loss.message < timeline.plans[since - 1].size


def _over(over: int, requests: int) -> str:
    if over == requests:
        return "The one request exceeds" if requests == 1 else "Every request exceeds"
    return f"{over:,} of {count_of(requests, 'request')} exceed{'s' if over == 1 else ''}"


def _peak(timeline: Timeline) -> str:
    """ "46k of 96k tokens at most" """
    return f"{short_count(int(timeline.contexts.max()))} of {short_count(strictest_limit(timeline))} tokens at most"


def _cost_headline(timeline: Timeline, compared: CostComparison | None) -> str:
    who = _author(timeline)
    if compared is None:
        share, saves, costs = tokens_share(timeline), "{} fewer tokens are sent", "{} more tokens are sent"
        said = (saves if share < 1 else costs).format(_much(share))
        return f"{HELD}, and {said if share != 1 else 'as many tokens are sent'}."
    ratio, saves, costs = compared.ratio, *("saved cost" if is_as_sent(timeline) else "saves costs").split()
    if ratio == 1:
        return f"{HELD}, and {who} {costs} the same."
    if ratio < 1:
        return f"{HELD}, and {who} {saves} {_much(ratio)}."
    return f"{capitalize_first(who)} {costs} {_much(ratio)} more here: {_cause(timeline, compared)}."


def _much(share: float) -> str:
    """ "39%", "less than 1%": how far it is from all."""
    return whole_percent(abs(1 - share)).replace("<", "less than ")


def _author(timeline: Timeline) -> str:
    """The thing that makes the difference: "trimming", "Claude Code’s trimming"; else how these settings lay it out."""
    if timeline.run:
        return trimmer_with_version(timeline)
    if is_as_sent(timeline):
        return f"{author_in_words(timeline)}’s trimming"
    return "trimming" if leaves_out(timeline) else "this layout"


def _cause(timeline: Timeline, compared: CostComparison) -> str:
    """The reason why it costs more: "it breaks the prompt cache twice"."""
    breaks = compared.bill.traffic.breaks
    breaking, sending = ("broke", "sent") if is_as_sent(timeline) else ("breaks", "sends")
    return {
        "summaries": f"its summaries cost {short_money(compared.bill.totals['summaries'])}",
        "cache": f"it {breaking} the prompt cache {TIMES.get(breaks, f'{breaks:,} times')}",
        "tokens": f"it {sending} {tokens_share(timeline):.2g}× the tokens",
    }[cause_of_more(compared)]
