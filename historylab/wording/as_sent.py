"""Words on what was really sent: who decided it, what isn't known of it, and what would have been without the cuts."""

from __future__ import annotations

from itertools import pairwise

from historylab.conversation.compactions import smaller_falls
from historylab.conversation.sent import SentHistory, sent_histories
from historylab.costs.amounts import count_of, money
from historylab.costs.bill import CostComparison
from historylab.planning.context_fill import context_limit
from historylab.planning.given_decisions import NOT_KNOWN
from historylab.planning.recorded_decisions import RECORDED_BY
from historylab.planning.replay import Timeline
from historylab.pricing import window_of
from historylab.recordings.as_sent import BY, has_cuts, is_as_sent
from historylab.wording.context import measured_by
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import NO_REQUESTS, count_actions, share_sent

AS_RECORDED = "As recorded"
WOULD_HAVE_BEEN = "untrimmed, as it would have been"
NAME = 40  # characters of a program's name


def author_in_words(timeline: Timeline) -> str:
    """ "Claude Code", or "the app": the author of decisions that aren't these settings'; of recordings we are."""
    recorded = timeline.plans and timeline.decided_by in ("", RECORDED_BY)
    return "HistoryLab" if recorded else one_line(timeline.decided_by, NAME) or BY


def as_sent_line(timeline: Timeline) -> str:
    """ "As Claude Code sent it, with 1 cut: 6 of 34 messages at the last request, 14,312 tokens (…)."""
    made = as_sent_in_short(timeline)
    if not timeline.plans:
        return f"{made}. {NO_REQUESTS}"
    last = len(timeline.plans) - 1
    share, tokens = share_sent(count_actions(timeline.plans[last])), timeline.contexts[last]
    how = measured_by(timeline, last)
    return f"{made}: {share} at the last request, {tokens:,} tokens ({how})."


def as_sent_in_short(timeline: Timeline) -> str:
    """ "As Claude Code sent it, with 1 cut" """
    return f"As {author_in_words(timeline)} sent it{_cuts_in_words(timeline)}"


def _cuts_in_words(timeline: Timeline) -> str:
    """ ", with 1 cut", or ", cut anew at 36 requests" of an app's window, which moves; "" where nothing was cut."""
    cuts, told = len(timeline.original.recorded.compactions), sent_histories(timeline.original) or ()
    moves = sum(bool(earlier.sent != later.sent) for earlier, later in pairwise((SentHistory(0), *told)))
    if moves > max(1, cuts):
        return f", cut anew at {count_of(moves, 'request')}"
    return f", with {count_of(cuts, 'cut')}" if cuts else ""


def smaller_falls_sentence(timeline: Timeline) -> str:
    """ "The reported size fell by 8% at request 40: too little for a cut."; "" where it never did."""
    falls = smaller_falls(timeline.original)
    if not falls:
        return ""
    request, most = max(falls, key=lambda fall: fall[1])
    if len(falls) == 1:
        return f"The reported size fell by {most:.0%} at request {request + 1:,}: too little for a cut."
    where = f"at {len(falls):,} requests, by at most {most:.0%} (at request {request + 1:,})"
    return f"The reported size fell {where}: too little for a cut."


def no_stages_sentence(timeline: Timeline) -> str:
    """In place of a trace of stages: nobody knows those of another program."""
    return f"Decided by {author_in_words(timeline)}: no stage of these settings was asked."


def not_asked_sentence(timeline: Timeline) -> str:
    """In place of questions that may come later: what another program would send for them can't be planned."""
    who = author_in_words(timeline)
    return f"What {who} would send for another question isn’t known. Under settings of your own it can be asked."


def unknown_sentence(timeline: Timeline, number: int) -> str:
    """Words for a request (from 0) whose messages the file doesn't tell, with the reason; "" for any other."""
    if timeline.steps[number].known:
        return ""
    why = str(timeline.plans[number].numbers.get(NOT_KNOWN.code, {}).get("why", ""))
    because = f": {why}" if why else ""
    drawn = "" if number in timeline.errors else " The most that it can have held is drawn."
    return f"It isn’t known which messages this request held{because}.{drawn}"


def untrimmed_word(timeline: Timeline) -> str:
    """ "untrimmed": of a file that was cut, what would have been."""
    return WOULD_HAVE_BEEN if has_cuts(timeline.original) else "untrimmed"


def untrimmed_sentence(timeline: Timeline, compared: CostComparison | None = None) -> str:
    """Beside a file with cuts: the cost without them, where prices are known, and its size over a window; else ""."""
    if not has_cuts(timeline.original) or not timeline.plans:
        return ""
    largest, window = int(timeline.untrimmed_contexts.max()), timeline.settings.window
    window = window or window_of(timeline.settings.model) or largest
    over = f"not have fitted: up to {largest:,} tokens in a window of {window:,}" if largest > window else ""
    cost = f"have cost {money(compared.baseline.total)}" if compared else ""
    would = ", and would ".join(filter(None, (cost, over))) or f"have had up to {largest:,} tokens a request"
    return f"Without the cuts it would {would}."


def untrimmed_note(timeline: Timeline) -> str:
    """In a comparison, beside a file with cuts: not trimming is no choice that anybody had; else ""."""
    cut = has_cuts(timeline.original) and timeline.plans
    return "Not trimming never happened here: these messages really were cut." if cut else ""


def limit_word(timeline: Timeline) -> str:
    """The word on a chart's line of the limit: "budget", or of what others decided "window" or "largest request"."""
    sized = timeline.run is not None or (is_as_sent(timeline) and timeline.plans and timeline.plans[-1].is_sized)
    if not sized:
        return "budget"
    return "window" if context_limit(timeline).is_window else "largest request"
