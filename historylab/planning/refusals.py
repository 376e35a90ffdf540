"""Why requests would be refused, in sentences: by the recorded provider's rules where they are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from historylab.conversation.columns import SYSTEM
from historylab.planning.replay import Timeline
from historylab.planning.validity import ProviderValidity, Validity, recorded_validity

Write = Callable[[str, Any], str]


def refusal_sentence(timeline: Timeline, write: Write = "{} = {}".format) -> str:
    """The number of requests that are sent and would be refused, each cause with the setting that makes it.

    "By Anthropic's rules, 2 of the 9 requests that are sent would be refused: nothing to answer, as the newest message
    is left out: Said in another scope than dm (filter = scope)." Settings and their values are written by `write`.
    """
    found, requests = recorded_validity(timeline), len(timeline.plans)
    causes = Counter(refusal_cause(timeline, i, write) for i in np.flatnonzero(found.refused).tolist())
    if not causes:
        said = "None of the requests that are sent would be refused: calls and results stay together."
    else:
        several = len(causes) > 1
        listed = "; ".join(f"{cause}{f' ({n:,} of them)' if several else ''}" for cause, n in causes.most_common())
        said = f"{_share(causes.total(), requests)} would be refused: {listed}."
    if taken := _refused_elsewhere(found, requests):
        said = f"{said} {taken}." if causes else f"{taken}; none would be otherwise."
    by = f"By {found.rules.title}'s rules, " if isinstance(found, ProviderValidity) else ""
    return by + said[0].lower() + said[1:] if by else said


def _refused_elsewhere(found: Validity, requests: int) -> str:
    """What is not refused here, but elsewhere."""
    ending, alone = int((found.wrong_end & ~found.refused).sum()), int((found.empty & ~found.refused).sum())
    in_answer = f"{_share(ending, requests)} end{'s' * (ending == 1)} in an answer, which some models refuse"
    only_systems = f"{_share(alone, requests)} hold{'s' * (alone == 1)} nothing to answer, which other APIs refuse"
    return ". ".join([in_answer] * bool(ending) + [only_systems] * bool(alone))


def _share(count: int, requests: int) -> str:
    """ "2 of the 9 requests that are sent"; "The one request that is sent"."""
    return "The one request that is sent" if requests == 1 else f"{count:,} of the {requests:,} requests that are sent"


def refusal_cause(timeline: Timeline, request: int, write: Write = "{} = {}".format) -> str:
    """Why request `request` (from 0), one that is found refused, would be."""
    found = recorded_validity(timeline)
    if not found.empty[request]:
        other = found.causes[request] if isinstance(found, ProviderValidity) else ""
        unpaired = found.orphans[request] or found.unanswered[request] or not other
        return "a tool call and its results do not match up" if unpaired else other
    plan = timeline.plans[request]
    columns = plan.history.columns
    spoken = np.setdiff1d(np.flatnonzero(columns.role[: plan.size] != SYSTEM), columns.shown)
    if not len(spoken):
        return "nothing to answer, as nothing has been said yet but system messages"
    why = plan.reason(int(spoken[-1]))
    settings = [write(n, timeline.settings.value(n)) for n in ((why.setting,) if why.setting else why.remedy)]
    where = f" ({', '.join(settings)})" if settings else ""
    return f"nothing to answer, as the newest message is left out{_why_left_out(why.sentence)}{where}"


def _why_left_out(sentence: str) -> str:
    """ ": its reason", or where that begins with the same words, what follows them."""
    said = sentence.rstrip(".")
    rest = said.removeprefix("Left out")
    return rest if rest != said else f": {said}"
