"""The post-mortem in words: a sentence on all cuts, and the lines on each: when and why, what it lost, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from historylab.costs.amounts import count_of, money
from historylab.recall.sayers import BY_ASSISTANT, BY_INJECTED, BY_PERSON, BY_SYSTEM, BY_TOOL
from historylab.recall.severity import SEVERITIES
from historylab.recordings.needed_after import IN_SUMMARY, LOST, SAID_AGAIN, NeededFact
from historylab.recordings.post_mortem import CutReport
from historylab.recordings.same_size import SameSize
from historylab.wording.losses import SEVERITY_WORDS, VALUE_WORDS
from historylab.wording.phrases import capitalize_first, list_in_words
from historylab.wording.untrusted import one_line

BY = 40  # characters of who cut
NOT_KNOWN = "the file doesn’t say which messages went, so nothing is known of what was lost"
NOTHING_NEEDED = "nothing it took was needed later, as far as the file shows"
FATE_WORDS = {IN_SUMMARY: "in the summary", SAID_AGAIN: "had to be stated again first", LOST: "lost"}
SAYER_WORDS = {
    BY_PERSON: "a person",
    BY_TOOL: "a tool",
    BY_ASSISTANT: "the assistant",
    BY_INJECTED: "a program",
    BY_SYSTEM: "the prompt",
}
ALL_ARE = {
    IN_SUMMARY: ("is in its summary", "are in its summary"),
    SAID_AGAIN: ("had to be stated again first",) * 2,
    LOST: ("was lost", "were lost"),
}
PRUNED, BY_SUMMARIZER = "the newest messages alone", {"ledger": "a ledger", "extractive": "an extractive summary"}


def post_mortem_sentence(reports: Sequence[CutReport]) -> str:
    """One sentence on all cuts; "" of none.

    "Claude Code compacted this session before request 72 (auto, 167,731 → 42,603 tokens): of 102 facts needed later its
    summary held 51, 32 had to be stated again first and 19 were lost; 5 files were read again ($0.10)."
    """
    if not reports:
        return ""
    if not any(report.known for report in reports):
        return f"{_cut_words(reports)}: {NOT_KNOWN}."
    facts = facts_clause([fact for report in reports for fact in report.facts], several=len(reports) > 1)
    return f"{_cut_words(reports)}: {'; '.join(filter(None, (facts, again_clause(reports))))}."


def _cut_words(reports: Sequence[CutReport]) -> str:
    """ "Claude Code compacted this session before request 72 (auto, 167,731 → 42,603 tokens)" """
    first, cuts = reports[0], [report for report in reports if report.cut]
    names = {report.by for report in reports}
    who = capitalize_first(one_line(first.by, BY)) if len(names) == 1 and first.by else "This session’s programs"
    if not cuts:
        sizes = f" (at most {_tokens(first.tokens_after)} of {_tokens(first.tokens_before)} tokens were sent)"
        return f"{who} left out older messages from request {first.request + 1:,} on{sizes}"
    verb = "cut" if all(report.cut and report.cut.inferred for report in cuts) else "compacted"
    moves = "" if len(cuts) == len(reports) else ", and left out older messages between"
    if len(cuts) > 1:
        times = "twice" if len(cuts) == 2 else f"{len(cuts):,} times"
        return f"{who} {verb} this session {times}, first before request {cuts[0].request + 1:,}{moves}"
    return f"{who} {verb} this session before request {cuts[0].request + 1:,}{_sizes(cuts[0])}{moves}"


def _sizes(report: CutReport) -> str:
    """ " (auto, 167,731 → 42,603 tokens)"; "" where nothing is known."""
    sizes = [f"{tokens:,}" for tokens in (report.tokens_before, report.tokens_after) if tokens is not None]
    trigger = one_line(report.cut.trigger, BY) if report.cut and report.cut.trigger else ""
    told = ", ".join(filter(None, (trigger, f"{' → '.join(sizes)} tokens" if sizes else "")))
    return f" ({told})" if told else ""


def _tokens(number: int | None) -> str:
    return f"{number or 0:,}"


def facts_clause(facts: Sequence[NeededFact], *, several: bool = False) -> str:
    """ "of 102 facts needed later its summary held 51, 32 had to be stated again first and 19 were lost" """
    counts, total = Counter(fact.fate for fact in facts), len(facts)
    if not total:
        return NOTHING_NEEDED.replace("it", "they", 1) if several else NOTHING_NEEDED
    if counts[SAID_AGAIN] == total:
        return _all_said_again(total, "the cuts" if several else "it")
    for fate, (one, all_of_them) in ALL_ARE.items():
        if counts[fate] == total:
            rest = all_of_them if total > 1 else one
            rest = rest.replace("its summary", "a summary") if several else rest
            which = {1: "the one fact", 2: "both facts"}.get(total, f"all {total:,} facts")
            return f"{which} needed later {rest}"
    summary = "the summaries" if several else "its summary"
    parts = [f"{summary} held {counts[IN_SUMMARY]:,}"] if counts[IN_SUMMARY] else []
    parts += [f"{counts[fate]:,} {ALL_ARE[fate][counts[fate] > 1]}" for fate in (SAID_AGAIN, LOST) if counts[fate]]
    return f"of {total:,} facts needed later {', '.join(parts[:-1])} and {parts[-1]}"


def _all_said_again(total: int, who: str) -> str:
    """ "4 facts it left out were needed later; each had to be stated again" """
    if total == 1:
        return f"1 fact {who} left out was needed later; it had to be stated again"
    return f"{total:,} facts {who} left out were needed later; each had to be stated again"


def again_clause(reports: Sequence[CutReport]) -> str:
    """ "5 files were read again and 2 calls made again ($0.10)"; "" of none."""
    files = sum(report.files_again for report in reports)
    calls = sum(not call.path for report in reports for call in report.again)
    read = f"{count_of(files, 'file')} {'was' if files == 1 else 'were'} read again" if files else ""
    made = f"{count_of(calls, 'call')} {'was' if calls == 1 else 'were'} made again" if calls else ""
    return f"{' and '.join(filter(None, (read, made)))} ({_price(reports)})" if read or made else ""


def _price(reports: Iterable[CutReport]) -> str:
    """ "$0.10", or the tokens where the price isn't known."""
    made = [report for report in reports if report.again]
    known = [report.dollars for report in made if report.dollars is not None]
    tokens = sum(report.tokens_again for report in made)
    return money(sum(known, Decimal(0))) if len(known) == len(made) else count_of(tokens, "token")


def post_mortem_lines(report: CutReport, ours: Sequence[SameSize] = ()) -> Iterator[str]:
    """Lines on one cut, beside its sentence."""
    if report.cut and report.cut.dropped:
        taken, summary = count_of(len(report.cut.dropped), "message"), report.cut.summary
        replaced = summary is not None and f"It replaced {taken}; message {summary + 1:,} is its summary."
        yield replaced or f"It took {taken}."
    for fate in (LOST, SAID_AGAIN):
        if those := [fact for fact in report.facts if fact.fate == fate]:
            yield f"{capitalize_first(FATE_WORDS[fate])}: {_kinds(those)}; first said by {_sayers(those)}."
    if report.again:
        price = "" if report.dollars is None else f", {money(report.dollars)} at the price of fresh input and output"
        yield f"What was read and called again takes {count_of(report.tokens_again, 'token')}{price}."
    if ours:
        yield same_size_line(report, ours)


def _kinds(facts: Sequence[NeededFact]) -> str:
    """ "paths and addresses (12), names and other text (7)" """
    counts = Counter(fact.kind for fact in facts)
    return ", ".join(f"{VALUE_WORDS[kind]} ({n:,})" for kind, n in counts.most_common())


def _sayers(facts: Sequence[NeededFact]) -> str:
    """ "the assistant (13) and a tool (6)" """
    counts = Counter(fact.by for fact in facts)
    return list_in_words([f"{SAYER_WORDS[by]} ({n:,})" for by, n in counts.most_common()])


def same_size_line(report: CutReport, ours: Sequence[SameSize]) -> str:
    """ "Cut there to the same size, settings of ours would have held 80 of the 102 facts (a ledger and …), …" """
    first, *others = (f"{one.held:,}{{of}} ({_name(one)})" for one in ours)
    of = " of 1 fact" if len(report.facts) == 1 else f" of the {len(report.facts):,} facts"
    told = ", ".join([first.replace("{of}", of), *(other.replace("{of}", "") for other in others)])
    place = "Cut there to the same size" if report.cut else "At the same size in every request"
    return f"{place}, settings of ours would have held {told}."


def _name(one: SameSize) -> str:
    settings = one.settings
    if settings.compaction == "off" and settings.pruner == "fifo":
        return PRUNED
    return f"{BY_SUMMARIZER[settings.summarizer]} and the newest messages"


# -- one of several, and its parts, as lists name them


def cut_label(report: CutReport) -> str:
    """ "before request 72 (auto, 167,731 → 42,603 tokens): 19 of 102 facts lost" """
    place = f"before request {report.request + 1:,}{_sizes(report)}" if report.cut else "left out between cuts"
    if not report.known or not report.facts:
        return place
    return f"{place}: {report.fates[LOST]:,} of {count_of(len(report.facts), 'fact')} lost"


def facts_worst_first(report: CutReport) -> list[NeededFact]:
    """The facts: those lost, the worst first, then those said again, then those the summary held."""
    order = (LOST, SAID_AGAIN, IN_SUMMARY)
    return sorted(report.facts, key=lambda fact: (order.index(fact.fate), SEVERITIES.index(fact.severity)))


def fate_in_words(fact: NeededFact) -> str:
    """ "■ lost: a person said it", "had to be stated again first, in message 170", "in the summary" """
    if fact.fate == LOST:
        glyph, words = SEVERITY_WORDS[fact.severity]
        return f"{glyph} lost; {words}"
    again = f", in message {fact.again_in + 1:,}" if fact.again_in is not None else ""
    return f"{FATE_WORDS[fact.fate]}{again}"
