"""The report's list of messages: the text of each once, and what became of it under every configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from historylab.conversation.message import Message, Summary
from historylab.costs.amounts import count_of
from historylab.counters.base import token_column
from historylab.planning.reasons import Action
from historylab.reports.decisions import reason_sentences, unchanged_since
from historylab.reports.shown import Shown
from historylab.wording.message_text import full_text, speaker
from historylab.wording.must_remember import BADGE
from historylab.wording.palette import LOOKS
from historylab.wording.settings import summary_author
from historylab.wording.untrusted import escape, multiline, one_line

MOST_MESSAGES = 3_000  # the newest; the file says so
PREVIEW = 280  # characters of a message shown before it is unfolded
LONGEST = 20_000  # characters of one message in the file
FOLDED = 3  # longer runs of messages that are lost for the same reasons are folded into one line
LATER = "later"
"""Instead of an action: said after this request."""


def report_messages(shown: Sequence[Shown], number: int) -> str:
    """The messages with their decisions at request `number` (from 0), under configurations whose messages match."""
    fates = [_fates(one, number) for one in shown]
    size = len(shown[0].timeline.conversation)
    first = max(0, size - MOST_MESSAGES)
    marked = {star.message for one in shown for star in one.starred}
    note = f'<p class="meta">The newest {MOST_MESSAGES:,} of {size:,} messages.</p>' if first else ""
    lines = "".join(_runs(shown, fates, first, marked))
    return f'{note}{"".join(_summaries(shown, number))}<ol class="messages" tabindex="-1">{lines}</ol>'


def mark(action: Action, of: str = "") -> str:
    """An action's glyph on its colour; `of` names the configuration, for the script."""
    look = LOOKS[action]
    whose = f' data-of="{of}"' if of else ""
    return f'<i class="{look.name}"{whose} title="{look.word}">{look.glyph}</i>'


Fate = tuple[Action, str, str] | None
"""An action, its reason and since when; None: not said yet."""


def _fates(shown: Shown, number: int) -> list[Fate]:
    """Per message of the conversation its fate at that request."""
    timeline = shown.timeline
    plan = timeline.plans[number]
    actions = (Action(action) for action in plan.actions.tolist())
    since = (timeline.steps[first].label for first in unchanged_since(timeline, number).tolist())
    said: list[Fate] = list(zip(actions, reason_sentences(plan), since, strict=True))
    return said + [None] * (len(timeline.conversation) - plan.size)


def _summaries(shown: Sequence[Shown], number: int) -> Iterator[str]:
    """Per configuration that summarises at any request: the summary sent at this one, and a line for the others."""
    for one in shown:
        plans = one.timeline.plans
        summary = plans[number].summary
        if not any(plan.summary for plan in plans):
            continue
        since, until = number, number + 1
        while since and plans[since - 1].summary == summary:
            since -= 1
        while until < len(plans) and plans[until].summary == summary:
            until += 1
        of = f"Σ {one.letter}: a" if len(shown) > 1 else "Σ A"
        text = _summary(summary, of) if summary else ""
        yield (
            f'<div class="made" data-letter="{one.letter}" data-of="{of}" data-since="{since}" data-until="{until}">'
            f'{text}<p class="meta"></p></div>'
        )


def _summary(summary: Summary, of: str) -> str:
    covered = count_of(summary.covers, "message")
    about = f"{of} summary of {covered} is sent instead: {summary_author(summary.by)}"
    text = escape(multiline(summary.text, LONGEST))
    return f"<details><summary>{escape(about)}</summary><pre>{text}</pre></details>"


def _runs(
    shown: Sequence[Shown], fates: Sequence[Sequence[Fate]], first: int, marked: set[int | None]
) -> Iterator[str]:
    """The messages, those lost alike in a row folded into one line."""

    def alike(i: int) -> tuple[object, ...]:
        return *(fate and fate[:2] for fate in (of[i] for of in fates)), i in marked

    for _, run in groupby(range(first, len(fates[0])), alike):
        numbers = list(run)
        those = [of[numbers[0]] for of in fates]
        lines = [_message(shown, i, [of[i] for of in fates], marked=i in marked) for i in numbers]
        lost = all(fate is None or fate[0] >= Action.SUMMARIZED for fate in those)
        fold = lost and len(lines) > FOLDED and numbers[0] not in marked
        yield _fold(shown, numbers, those, lines) if fold else "".join(lines)


def _fold(shown: Sequence[Shown], numbers: list[int], fates: Sequence[Fate], lines: list[str]) -> str:
    span = f"{numbers[0] + 1:,} – {numbers[-1] + 1:,}"
    words = {LOOKS[fate[0]].word if fate else "said later" for fate in fates}
    whys = "".join(
        f'<div class="meta">{_letter(one, shown)}{escape(fate[1])}</div>'
        for one, fate in zip(shown, fates, strict=True)
        if fate
    )
    return (
        f'<li class="fold {_class(fates)}"><span class="number"></span>{_marks(shown, fates)}<div><details><summary>'
        f"{len(numbers):,} messages {', '.join(sorted(words))} ({span})</summary><ol>{''.join(lines)}</ol></details>"
        f"{whys}</div></li>"
    )


def _message(shown: Sequence[Shown], i: int, fates: Sequence[Fate], *, marked: bool) -> str:
    message = shown[0].timeline.conversation[i]
    timeline = shown[0].timeline
    tokens = count_of(int(token_column(timeline.conversation, timeline.counter)[i]), "token")
    about = f"{f'{BADGE} · ' if marked else ''}{speaker(message)} · {tokens}"
    decided = "".join(_decision(one, shown, fate) for one, fate in zip(shown, fates, strict=True))
    return (
        f'<li id="message-{i + 1}" data-message="{i}" class="{_class(fates)}"><span class="number">{i + 1:,}</span>'
        f'{_marks(shown, fates)}<div><div class="meta">{escape(about)}</div>{decided}{_text(message)}</div></li>'
    )


def _decision(one: Shown, shown: Sequence[Shown], fate: Fate) -> str:
    words = f"{LOOKS[fate[0]].word} since {fate[2]}. {fate[1]}" if fate and fate[0] != Action.KEPT else ""
    return f'<div class="meta why" data-of="{one.letter}">{_letter(one, shown) if words else ""}{escape(words)}</div>'


def _letter(one: Shown, shown: Sequence[Shown]) -> str:
    return f'<b class="letter {one.letter}">{one.letter}</b> ' if len(shown) > 1 else ""


def _marks(shown: Sequence[Shown], fates: Sequence[Fate]) -> str:
    marks = (
        mark(fate[0], one.letter) if fate else f'<i class="{LATER}" data-of="{one.letter}"></i>'
        for one, fate in zip(shown, fates, strict=True)
    )
    return f'<span class="marks">{"".join(marks)}</span>'


def _class(fates: Sequence[Fate]) -> str:
    """`gone` where no configuration sends it, `later` where it is not said yet."""
    if all(fate is None for fate in fates):
        return LATER
    return "gone" if all(fate is None or fate[0] >= Action.SUMMARIZED for fate in fates) else ""


def _text(message: Message) -> str:
    """Short text in full; of long text a preview that unfolds."""
    text = full_text(message)
    if len(text) <= PREVIEW:
        return f'<div class="text"><bdi>{escape(multiline(text, PREVIEW)) or "(empty)"}</bdi></div>'
    preview = f"<summary><bdi>{escape(one_line(text, PREVIEW))}</bdi></summary>"
    return f'<details class="text">{preview}<pre>{escape(multiline(text, LONGEST))}</pre></details>'
