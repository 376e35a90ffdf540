"""Sentences on recall: the facts that later answers used and that were gone by then, and the first of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from historylab.costs.amounts import count_of
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.references import Need
from historylab.recall.retention import FACTS, Loss, Retention
from historylab.recall.sayers import BY_ASSISTANT, BY_INJECTED, BY_PERSON, BY_SYSTEM, BY_TOOL
from historylab.recall.severity import FETCHABLE, GONE_FOR_GOOD
from historylab.recall.value_kinds import kind_of_value
from historylab.wording.must_remember import GLYPH
from historylab.wording.quotes import short_value
from historylab.wording.untrusted import one_line

RECALL_UNKNOWN = "What later requests needed of what is left out is unknown: the file holds no text."
"""In place of all that is found by reading messages, where a transcript has only their sizes."""
ESTIMATES = "Costs, facts in answers and rules are estimates."
"""Said once, below what has any of them."""
SEVERITY_WORDS = {
    BY_PERSON: ("■", "gone for good: a person said it"),
    BY_TOOL: ("■", "gone for good: a tool said it that can’t be asked again"),
    BY_SYSTEM: ("■", "gone for good: the prompt said it"),
    BY_ASSISTANT: ("◧", "the assistant wrote it itself"),
    BY_INJECTED: ("↻", "a program put it there, and has it"),
    FETCHABLE: ("↻", "a tool would find it again"),
}
"""How bad a loss is: a glyph, fuller for worse, and the words that go with it."""
VALUE_WORDS = {
    "id": "ids and codes",
    "number": "numbers and amounts",
    "date": "dates and times",
    "path": "paths and addresses",
    "text": "names and other text",
    "rule": "rules",
}
NEEDED_AS = {
    "star": "messages that must be remembered",
    "evidence": "pieces of evidence",
    "reference": "facts in tool calls",
    "link": "facts in answers ≈",
}
VALUE, USED = 60, 60  # characters of a lost value, and of what it was used for
DOUBTFUL = 2
SURE = 5  # characters of an id, a date or a path: what is shorter may only look like one
CODE = re.compile(r"[\n(){}\[\]<>;=`|$]|^\s*(?:import|from|def|class|return|const|let|var|if|for|#|//)\s")
"""What stands in a line of code, hardly in what people say, nor in a name, a date, an id or a path."""
COMMON = re.compile(r"[a-z]+(?:[ _-][a-z]+)?")
"""One or two words without a capital, such as a status or a command: what they are about isn't known."""


@dataclass(frozen=True, slots=True)
class LostFacts:
    """The facts that later answers used: how many of them were gone by then."""

    lost: int
    total: int
    marked: int = 0
    """Messages that must be remembered and were lost at some request: they count beside the facts."""

    @property
    def amount(self) -> str:
        """ "5 of 13 facts", "all 13 facts", "the one fact"; empty if there are none."""
        if self.total == 1:
            return "the one fact"
        share = f"{self.lost:,} of" if self.lost else "all"
        return f"{share} {count_of(self.total, 'fact')}" if self.total else ""

    @property
    def losses(self) -> str:
        """ "5 facts", "1 fact and 1 ⚑ message": everything that was lost."""
        marked = count_of(self.marked, f"{GLYPH} message") if self.marked else ""
        facts = count_of(self.lost, "fact") if self.lost or not marked else ""
        return " and ".join(filter(None, (facts, marked)))

    @property
    def badge(self) -> str:
        """ "5", "1 + 1 ⚑": the same beside a tab's name."""
        return f"{self.lost:,}" + (f" + {self.marked:,} {GLYPH}" if self.marked else "")


def lost_facts(found: Retention) -> LostFacts:
    """The facts of a timeline: values in answers and tool calls that earlier messages say, and gold evidence."""
    kept = [found.kept[kind] for kind in FACTS]
    marked = sum(loss.kind == "star" for loss in found.losses)
    return LostFacts(sum(k.lost for k in kept), sum(k.total for k in kept), marked)


def facts_in_short(facts: LostFacts) -> tuple[str, str]:
    """("5 of 13", "needed facts missing"): a number, and what it counts; marked messages come after it."""
    marked = f", {facts.marked:,} {GLYPH} lost" if facts.marked else ""
    if not facts.total:
        return (f"{facts.marked:,} {GLYPH}", "lost") if marked else ("0", "facts needed later")
    if facts.lost:
        return f"{facts.lost:,} of {facts.total:,}", f"needed facts missing{marked}"
    return (f"All {facts.total:,}" if facts.total > 1 else "The one"), (
        f"needed {'facts' if facts.total > 1 else 'fact'} there{marked}"
    )


def losses_shown(found: Retention) -> tuple[Loss, ...]:
    """Every loss but those of questions, in order of the requests."""
    return tuple(loss for loss in found.losses if loss.kind != "question")


def worst_first(losses: Iterable[Loss]) -> list[Loss]:
    """Losses in order of the requests, those that are gone for good before the others."""
    return sorted(losses, key=lambda loss: loss.badness)


def named_loss(losses: Iterable[Loss]) -> Loss | None:
    """The one to name of losses in order of the requests; None where none is surely one.

    A message that must be remembered comes first. Else it is one that a reader makes sense of, and one of the surest:
    what a person said, an id, a date or a path rather than a name; of those one of the worst, rather what a tool was
    called with than what an answer says, and of these the first. A number may stand there by chance; a word that is in
    everybody's speech, and a line of code, tell nothing.
    """
    ranked = (((loss.kind != "star", _doubt(loss), loss.badness, loss.kind == "link"), loss) for loss in losses)
    sure = (each for each in ranked if each[0][1] < DOUBTFUL)
    return min(sure, key=lambda each: each[0], default=(None, None))[1]


def _doubt(loss: Loss) -> int:
    """Rank a loss by doubt, from 0: a person's or an id, a date, a path; a name; what may be there by chance."""
    if loss.kind == "star":
        return 0
    if CODE.search(loss.value):
        return DOUBTFUL
    if loss.severity == BY_PERSON:
        return 0
    if COMMON.fullmatch(loss.value):
        return DOUBTFUL
    kind = kind_of_value(loss.value)
    return DOUBTFUL if kind == "number" else int(kind == "text" or len(loss.value) < SURE)


def severity_in_words(loss: Loss) -> str:
    """ "■ gone for good: a person said it", "↻ a tool would find it again (about 1,204 tokens)" """
    return f"{SEVERITY_WORDS[loss.severity][0]} {severity_words(loss)}"


def severity_words(loss: Loss) -> str:
    """The same without the glyph."""
    price = f" (about {loss.fetch_tokens:,} tokens)" if loss.fetch_tokens else ""
    return f"{SEVERITY_WORDS[loss.severity][1]}{price}"


def severity_line(found: Retention) -> str:
    """ "4 of 12 are gone for good, 6 the assistant wrote itself, 2 can be found again with a tool"; "" of no loss."""
    counts = found.by_severity
    gone = sum(counts[severity] for severity in GONE_FOR_GOOD)
    parts = (
        (gone, f"{'is' if gone == 1 else 'are'} gone for good"),
        (counts[BY_ASSISTANT], "the assistant wrote itself"),
        (counts[BY_INJECTED], "a program put there"),
        (counts[FETCHABLE], "can be found again with a tool"),
    )
    (first, what), *others = [part for part in parts if part[0]] or [(0, "")]
    total = first + sum(number for number, _ in others)
    amount = f"{first:,} of {total:,}" if others else "The only one" if total == 1 else f"All {total:,}"
    return ", ".join([f"{amount} {what}", *(f"{number:,} {word}" for number, word in others)]) if total else ""


def value_kinds_line(found: Retention) -> str:
    """ "By kind: 12 of 15 ids and codes, 3 of 3 numbers and amounts kept"; "" if nothing was needed."""
    kept = [f"{k.kept:,} of {k.total:,} {VALUE_WORDS[kind]}" for kind, k in found.by_value.items() if k.total]
    return f"By kind: {', '.join(kept)} kept" if kept else ""


def lost_value(loss: Loss) -> str:
    """The value on one line, untrusted text: without escape sequences of a terminal; of a long path the end."""
    return short_value(loss.value, VALUE)


def used_as(loss: Loss | Need) -> str:
    """What used the value, untrusted text: "the answer", "a call (book_flight.number)", "a question (“…”)"."""
    if loss.kind == "link":
        return "the answer"
    what = "a question" if loss.kind in ("evidence", "question") else "a call"
    return f"{what} ({one_line(loss.used_as, USED)})" if loss.used_as else what


def gone_as(timeline: Timeline, loss: Loss) -> Action:
    """What became of the message that says the value, at the request that no longer had it."""
    return timeline.plans[loss.step].action_of(loss.message)


def gone_at(timeline: Timeline, loss: Loss) -> int:
    """The request (from 0) at which the message that says the value was left out, summarised or cut, up to the loss."""
    gone = min(max(gone_as(timeline, loss), Action.TRUNCATED), Action.SUMMARIZED)
    number = loss.step
    for earlier in reversed(timeline.plans[: loss.step]):
        if loss.message >= earlier.size or earlier.action_of(loss.message) < gone:
            break
        number -= 1
    return number


def kept_line(found: Retention) -> str:
    """ "Kept: 58 of 60 facts in tool calls, 35 of 37 in answers ≈; 4 only in the summary"; "" if nothing was needed."""
    parts = [f"{k.kept:,} of {k.total:,} {what}" for kind, what in NEEDED_AS.items() if (k := found.kept[kind]).total]
    by_summary = sum(found.kept[kind].by_summary for kind in NEEDED_AS)
    rest = f"; {by_summary:,} only in the summary" if by_summary else ""
    return f"Kept: {', '.join(parts)}{rest}" if parts else ""
