"""Words on a trimmer that isn't ours: what it sends in a line, where it failed, and how to read what it does."""

from __future__ import annotations

from historylab.costs.amounts import count_of, whole_percent
from historylab.planning.replay import Timeline
from historylab.settings.trimmer_options import option_text, shown_options
from historylab.tuning.nearest import Nearest
from historylab.wording.as_sent import as_sent_line
from historylab.wording.context import counted_by
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import one_line
from historylab.wording.verdict import NO_REQUESTS, count_actions, share_sent

TOKEN_LIMITS = ("max_tokens", "token_limit")
"""Options that limit a whole request, by the library's own count."""
NAME, VALUE, ERROR = 60, 40, 200  # characters of a trimmer's name, of an option's value, of its own words


def foreign_line(timeline: Timeline) -> str:
    """A line on what others sent, or would send: whoever recorded it, or a trimmer."""
    return trimmer_line(timeline) if timeline.run else as_sent_line(timeline)


def trimmer_line(timeline: Timeline) -> str:
    """ "LangChain trim_messages 1.7.2, max_tokens 4,000: 12 of 34 messages at the last request, 3,950 tokens (…)."

    It quotes options and a function's name: untrusted text on one line.
    """
    said = trimmer_in_short(timeline)
    if not timeline.plans:
        return f"{said}. {NO_REQUESTS}"
    last = len(timeline.plans) - 1
    if not timeline.steps[last].known:
        return f"{said}: what the last request would send isn’t known."
    share = share_sent(count_actions(timeline.plans[last]))
    return f"{said}: {share} at the last request, {timeline.contexts[last]:,} tokens ({counted_by(timeline)})."


def trimmer_in_short(timeline: Timeline) -> str:
    """ "LangChain trim_messages 1.7.2, max_tokens 4,000" """
    return ", ".join((trimmer_with_version(timeline), *_options(timeline)))


def trimmer_with_version(timeline: Timeline) -> str:
    """ "LangChain trim_messages 1.7.2", "app.history:trim_messages" """
    if timeline.run is None:
        return ""
    choice = timeline.run.choice
    return one_line(choice.name, NAME) if choice.is_own else f"{choice.title} {choice.version}".rstrip()


def _options(timeline: Timeline) -> list[str]:
    given = timeline.run.choice.options if timeline.run else None
    return [f"{one_line(name, VALUE)} {_value(value)}" for name, value in shown_options(given or {}).items()]


def _value(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    try:
        return one_line(option_text(value), VALUE)
    except TypeError:  # an object, given in Python
        return type(value).__name__


def nearest_sentence(found: Nearest) -> str:
    """ "The nearest settings send the same messages in 81% of the requests."; or that none come near."""
    if not found.is_near:
        return "None of our settings comes near what it sends."
    share = "every request" if found.agreement == 1 else f"{whole_percent(found.agreement)} of the requests"
    prompt = "" if found.safe == found.settings else " They leave out the system prompt, as it does."
    return f"The nearest settings send the same messages in {share}.{prompt}"


def trimmer_notes(timeline: Timeline) -> list[str]:
    """Sentences on where it failed, and on how to read what it does."""
    failed = failed_sentence(timeline)
    said = (failed, _counted_less(timeline))
    return [*filter(None, said), *(timeline.run.notes if timeline.run else ())]


def _counted_less(timeline: Timeline) -> str:
    """ "Its limit of 2,000 tokens is by its own counter; the model’s says 3,613."; "" where that isn’t more."""
    given = timeline.run.choice.options if timeline.run else None
    limit = next((value for name, value in (given or {}).items() if name in TOKEN_LIMITS), None)
    most = int(timeline.tokens[timeline.judged].max(initial=0))
    if not isinstance(limit, int) or most <= limit:
        return ""
    return f"Its limit of {limit:,} tokens is by its own counter; the model’s says {most:,}."


def failed_sentence(timeline: Timeline) -> str:
    """ "It failed at 3 of 62 requests, first at request 4: it raised KeyError."; "" where it never did."""
    if not timeline.errors:
        return ""
    first = min(timeline.errors)
    where = f"{len(timeline.errors):,} of {count_of(len(timeline.plans), 'request')}, first at request {first + 1:,}"
    return f"It failed at {where}: {_error(timeline, first)}. What these send isn’t known, and nobody counts it."


def failure_at(timeline: Timeline, number: int) -> str:
    """Words for a request (from 0) for which a trimmer failed; "" for any other."""
    return f"{capitalize_first(_error(timeline, number))}." if number in timeline.errors else ""


def _error(timeline: Timeline, number: int) -> str:
    return one_line(timeline.errors[number], ERROR).rstrip(".")
