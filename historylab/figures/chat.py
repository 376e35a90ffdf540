"""A request as a chat: a bubble per message with its decision, and a line for each run that is left out.

HTML in the page's `--hl-…` colours. Every text is escaped, and clipped with a count of the hidden characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.message import Message, Summary
from historylab.costs.amounts import count_of
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.wording.message_text import left_out, unsent_thinking
from historylab.wording.must_remember import BADGE
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape, multiline, one_line

TEXT, LINES = 700, 12  # characters and lines shown of a message
RESULT, RESULT_LINES = 280, 4  # of a tool's result
CALL = 160  # characters of a call's arguments
KINDS = ("system", "user", "assistant", "tool")
MOST_REASONS = 2  # on a line


def chat(
    plan: HistoryPlan,
    shown: Sequence[int],
    *,
    after: int = -1,
    last: bool = True,
    chosen: int | None = None,
    starred: Container[int] = (),
) -> str:
    """HTML of those messages (indices, ascending, at least one) as a scrollable list that opens at its end.

    `after` is the last message of the previous page (-1: none); `last` is true on the last page; `starred` are the
    messages that must be remembered.
    """
    drawn = _Drawn(plan, plan.actions, plan.history.tokens, plan.sent_tokens, starred)
    items = "".join(_items(drawn, shown, after, last, chosen))
    about = f"Messages {shown[0] + 1:,} to {shown[-1] + 1:,} as a chat"
    return f'<div class="hl-chat" role="region" aria-label="{about}" tabindex="0"><ol>{items}</ol></div>'


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A plan with its columns, each computed once."""

    plan: HistoryPlan
    actions: np.ndarray
    tokens: np.ndarray
    sent_tokens: np.ndarray
    starred: Container[int]

    def sent(self, i: int) -> bool:
        return bool(self.actions[i] <= Action.TRUNCATED)

    def summary_before(self) -> int:
        """The message before which the summary is sent: the first one sent that is no system message, else the end."""
        conversation = self.plan.history.conversation
        sent = np.flatnonzero(self.actions <= Action.TRUNCATED).tolist()
        return next((i for i in sent if conversation[i].role != "system"), self.plan.size)


def _items(drawn: _Drawn, shown: Sequence[int], after: int, last: bool, chosen: int | None) -> Iterator[str]:
    plan, place = drawn.plan, drawn.summary_before()
    for before, i in zip((after, *shown), shown, strict=False):
        if drawn.sent(i):
            yield _left_out(drawn, i)
        if plan.summary and before < place <= i:
            yield _summary(plan.summary)
        yield _bubble(drawn, i, chosen=i == chosen)
    if last and not drawn.sent(plan.size - 1):
        yield _left_out(drawn, plan.size)
    if last and plan.summary and shown[-1] < place:
        yield _summary(plan.summary)


# -- left-out messages


def _left_out(drawn: _Drawn, end: int) -> str:
    """The line for the run of unsent messages before `end`; empty if the message before `end` is sent."""
    start = end
    while start and not drawn.sent(start - 1):
        start -= 1
    if start == end:
        return ""
    words = escape(" ".join((_how_many(drawn, start, end), *_reasons(drawn.plan, start, end))))
    return f'<li class="hl-cut"><span>{words}</span></li>'


def _how_many(drawn: _Drawn, start: int, end: int) -> str:
    """ "146 messages left out here, 9,812 tokens." """
    summarised = int((drawn.actions[start:end] == Action.SUMMARIZED).sum())
    dropped, tokens = end - start - summarised, int(drawn.tokens[start:end].sum())
    words = (f"{dropped:,} left out" if dropped else "", f"{summarised:,} summarised" if summarised else "")
    first, *more = filter(None, words)
    count, _, how = first.partition(" ")
    noun = "message" if count == "1" else "messages"
    return f"{' and '.join((f'{count} {noun} {how}', *more))} here, {tokens:,} tokens."


def _reasons(plan: HistoryPlan, start: int, end: int) -> Iterator[str]:
    """The sentences of the most frequent reasons, and how many others there are."""
    codes = plan.reasons[start:end]
    common = Counter(codes.tolist()).most_common()
    for code, _ in common[:MOST_REASONS]:
        yield plan.reason(start + int((codes == code).argmax())).sentence
    if others := len(common) - MOST_REASONS if len(common) > MOST_REASONS else 0:
        yield f"And {others} other reason{'s' * (others > 1)}."


def _summary(summary: Summary) -> str:
    note = f" {one_line(summary.note, 300)}" if summary.note else ""
    fate = f"sent in their place · {summary.tokens:,} tokens · written by {one_line(summary.by, 60)}.{note}"
    return (
        f'<li class="hl-said hl-summarized hl-made"><div class="hl-who"><b>summary</b> of '
        f"{count_of(summary.covers, 'message')}</div>{_text(summary.text, TEXT, LINES)}"
        f"{_fate(Action.SUMMARIZED, fate)}</li>"
    )


# -- one message


def _bubble(drawn: _Drawn, i: int, *, chosen: bool) -> str:
    message, action = drawn.plan.history.conversation[i], Action(int(drawn.actions[i]))
    kind = message.role if message.role in KINDS else "other"
    name = f" <bdi>{escape(one_line(message.name, 40))}</bdi>" if message.name else ""
    here = ' aria-current="true"' if chosen else ""
    mark = f" · <b>{BADGE}</b>" if i in drawn.starred else ""
    return (
        f'<li class="hl-said hl-by-{kind} hl-{action.name.lower()}"{here}>'
        f'<div class="hl-who"><b>{escape(one_line(message.role, 30))}</b>{name} <span>{i + 1:,}</span>{mark}</div>'
        f"{_body(drawn.plan, message, i)}{_fate(action, _why(drawn, i, action))}</li>"
    )


def _body(plan: HistoryPlan, message: Message, i: int) -> str:
    """The text as sent (shortened, if a stage shortened it), then a line per tool call."""
    text = next((cut.texts[i] for cut in reversed(plan.shortened) if i in cut.messages), message.content)
    limits = (RESULT, RESULT_LINES) if message.role == "tool" else (TEXT, LINES)
    parts = [_text(text, *limits)] if text else []
    parts += [_call(call.name, call.arguments) for call in message.tool_calls]
    parts += [f'<div class="hl-call">[{escape(one_line(media, 20))}]</div>' for media in message.media]
    return _thinking(message) + ("".join(parts) or f'<div class="hl-call">{left_out(message) or "(empty)"}</div>')


def _thinking(message: Message) -> str:
    """The model's thinking before it said this, folded."""
    if not (thought := unsent_thinking(message)):
        return ""
    return (
        f'<details class="hl-hidden"><summary>Thinking, not sent again</summary>{_text(thought, TEXT, LINES)}</details>'
    )


def _call(name: str, arguments: str) -> str:
    shown = escape(f"→ {one_line(name, 60)}({one_line(arguments, CALL)})")
    return f'<div class="hl-call"><bdi>{shown}</bdi>{_hidden(len(arguments) - CALL)}</div>'


def _text(text: str, most: int, lines: int) -> str:
    """The beginning of a text, and how much of it is hidden."""
    ends = [at for at, character in enumerate(text[:most]) if character == "\n"]
    length = ends[lines - 1] if len(ends) >= lines else most
    return (
        f'<div class="hl-text" dir="auto">{escape(multiline(text[:length], length))}</div>{_hidden(len(text) - length)}'
    )


def _hidden(characters: int) -> str:
    return f'<div class="hl-hidden">… {characters:,} more characters</div>' if characters > 0 else ""


def _why(drawn: _Drawn, i: int, action: Action) -> str:
    tokens = f"{drawn.tokens[i]:,} tokens"
    if action == Action.KEPT:
        return tokens
    if action == Action.TRUNCATED:
        tokens = f"{drawn.sent_tokens[i]:,} of {tokens}"
    return f"{tokens} · {drawn.plan.reason(i).sentence}"


def _fate(action: Action, words: str) -> str:
    name, look = action.name.lower(), LOOKS[action]
    return f'<div class="hl-fate">{look.mark(name)} {look.word} · {escape(words)}</div>'
