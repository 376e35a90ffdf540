"""A report to pass on: one request of a timeline as a single HTML file without scripts or external resources.

It holds the conversation's text, escaped, so it is as private as the conversation. A content security policy in the
file forbids scripts and requests of any kind. It follows the reader's light or dark theme.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from historylab._version import __version__
from historylab.costs.amounts import count_of
from historylab.figures.svg_file import svg_colours, svg_rules
from historylab.figures.token_svg import kinds_drawn, token_svg
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.reports.decisions import reason_sentences, unchanged_since
from historylab.settings.resolve import Resolution
from historylab.wording.findings import token_finding
from historylab.wording.message_text import speaker
from historylab.wording.must_remember import BADGE, GLYPH
from historylab.wording.palette import ALARM, KINDS, LOOKS
from historylab.wording.settings import SOURCE_WORDS, title_of, value_in_words
from historylab.wording.untrusted import escape, multiline, one_line
from historylab.wording.verdict import count_actions, verdict

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
MOST_MESSAGES = 3_000  # the newest; the file says so
PREVIEW = 280  # characters of a message shown before it is unfolded
LONGEST = 20_000  # characters of one message in the file
FOLDED = 3  # longer runs of lost messages with the same reason are folded into one line


def report(
    timeline: Timeline, number: int, resolution: Resolution | None = None, starred: Sequence[MustRemember] = ()
) -> str:
    """The report on request `number` (from 0).

    `resolution` says where the settings came from, `starred` which messages must be remembered.
    """
    title = one_line(timeline.conversation.title, 90)
    messages = _messages(timeline, number, {star.message for star in starred})
    body = "".join(
        (
            _verdict(timeline, number, title, starred),
            f"<h2>Tokens of every request</h2>{_chart(timeline, number)}",
            f"<h2>What became of each message</h2>{''.join(messages)}",
            f"<h2>Settings</h2>{_settings(timeline, resolution)}",
        )
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: HistoryLab report</title><style>{_colours()}{_style()}</style></head>"
        f'<body><main>{body}<footer class="meta">Made by HistoryLab {__version__}. '
        "This file holds text of the conversation; it loads nothing from elsewhere.</footer></main></body></html>\n"
    )


def _verdict(timeline: Timeline, number: int, title: str, starred: Sequence[MustRemember]) -> str:
    words, counts = verdict(timeline, number, starred), count_actions(timeline.plans[number])
    over = f' class="over">{ALARM.glyph} ' if words.over else ">"
    lost = ' class="over"' if words.remembered.lost else ""
    held = f"<span{lost}>{GLYPH} {escape(words.remembered.sentence)}</span>" if words.remembered.sentence else ""
    losses = "".join(f'<p class="lead">{line}</p>' for line in (held, escape(words.forgotten)) if line)
    size = f"{count_of(len(timeline.conversation), 'message')}, {count_of(len(timeline.plans), 'request')}"
    chips = "".join(
        f'<span{"" if counts[action] else " class=none"} title="{escape(look.meaning)}">{_mark(action)}'
        f"{look.word} <b>{counts[action]:,}</b></span>"
        for action, look in LOOKS.items()
    )
    return (
        f'<p class="meta"><bdi>{escape(title)}</bdi> · {size} · request {number + 1:,}</p>'
        f"<h1>{escape(words.seen)}</h1>"
        f'<p class="lead"><span{over}{escape(words.cost)}</span> {escape(words.decisions)}</p>{losses}'
        f'<div class="legend">{chips}</div>'
    )


def _chart(timeline: Timeline, number: int) -> str:
    kinds = "".join(
        f'<span><i style="background:var(--kind-{kind})"></i>{KINDS[kind].word}</span>'
        for kind in kinds_drawn(timeline)
    )
    side = "late" if number > len(timeline.plans) // 2 else ""  # where a narrow screen begins to show it
    return (
        f'<div class="legend">{kinds}<span>┄ untrimmed</span></div><figure class="{side}">{token_svg(timeline, number)}'
        f'</figure><p class="meta">{escape(token_finding(timeline))}</p>'
    )


# -- messages


def _messages(timeline: Timeline, number: int, starred: Container[int | None]) -> Iterator[str]:
    plan = timeline.plans[number]
    first = max(0, plan.size - MOST_MESSAGES)
    whys, begun = reason_sentences(plan), unchanged_since(timeline, number).tolist()
    actions = [Action(action) for action in plan.actions.tolist()]
    if first:
        yield f'<p class="meta">The newest {MOST_MESSAGES:,} of {plan.size:,} messages.</p>'
    if plan.summary:
        covered = count_of(plan.summary.covers, "message")
        about = f"Σ A summary of {covered}, written by {plan.summary.by}, is sent instead"
        text = escape(multiline(plan.summary.text, LONGEST))
        yield f'<details class="made"><summary>{escape(about)}</summary><pre>{text}</pre></details>'
    yield "<ol>"
    for (action, why, marked), run in groupby(range(first, plan.size), lambda i: (actions[i], whys[i], i in starred)):
        numbers = list(run)
        lines = [_message(timeline, plan, i, action, why, begun[i], marked=marked) for i in numbers]
        fold = action >= Action.SUMMARIZED and len(lines) > FOLDED and not marked
        yield _folded(numbers, action, why, lines) if fold else "".join(lines)
    yield "</ol>"


def _folded(numbers: list[int], action: Action, why: str, lines: list[str]) -> str:
    span = f"{numbers[0] + 1:,} – {numbers[-1] + 1:,}"
    return (
        f'<li class="{action.name.lower()}"><span class="number"></span>{_mark(action)}<div><details><summary>'
        f"{len(numbers):,} messages {LOOKS[action].word} ({span})</summary><ol>{''.join(lines)}</ol></details>"
        f'<div class="meta">{escape(why)}</div></div></li>'
    )


def _message(
    timeline: Timeline, plan: HistoryPlan, i: int, action: Action, why: str, begun: int, *, marked: bool
) -> str:
    message = timeline.conversation[i]
    calls = "\n".join(f"→ {call.name}({call.arguments})" for call in message.tool_calls)
    text = "\n".join(filter(None, (message.content, calls, " ".join(f"[{name}]" for name in message.media))))
    about = f"{f'{BADGE} · ' if marked else ''}{speaker(message)} · {int(plan.history.tokens[i]):,} tokens"
    if action != Action.KEPT:
        about += f" · {LOOKS[action].word} since {timeline.steps[begun].label}. {why}"
    return (
        f'<li class="{action.name.lower()}"><span class="number">{i + 1:,}</span>{_mark(action)}<div>'
        f'<div class="meta">{escape(about)}</div>{_text(text)}</div></li>'
    )


def _text(text: str) -> str:
    """Short text in full; of long text a preview that unfolds."""
    if len(text) <= PREVIEW:
        return f'<div class="text"><bdi>{escape(multiline(text, PREVIEW)) or "(empty)"}</bdi></div>'
    preview = f"<summary><bdi>{escape(one_line(text, PREVIEW))}</bdi></summary>"
    return f'<details class="text">{preview}<pre>{escape(multiline(text, LONGEST))}</pre></details>'


# -- settings


def _settings(timeline: Timeline, resolution: Resolution | None) -> str:
    """Settings set by any source, then those at their defaults, folded."""
    names = timeline.settings.values()
    if resolution is None:
        return _table(timeline, names, None)
    decided = [name for name in names if resolution.provenance[name].source != "default"]
    rest = [name for name in names if name not in decided]
    first = _table(timeline, decided, resolution) if decided else '<p class="meta">All are at their defaults.</p>'
    folded = _table(timeline, rest, resolution)
    return f"{first}<details><summary>{len(rest):,} at their defaults</summary>{folded}</details>"


def _table(timeline: Timeline, names: Iterable[str], resolution: Resolution | None) -> str:
    rows = "".join(
        f"<tr><td>{escape(title_of(name))} <code>{escape(name)}</code></td>"
        f"<td>{escape(value_in_words(name, timeline.settings.value(name)))}</td>"
        f"<td>{escape(_source(resolution, name)) if resolution else ''}</td></tr>"
        for name in names
    )
    source = "<th>From</th>" if resolution else "<th></th>"
    return f'<div class="table"><table><tr><th>Setting</th><th>Value</th>{source}</tr>{rows}</table></div>'


def _source(resolution: Resolution, name: str) -> str:
    origin = resolution.provenance[name]
    known = origin.name in ("", origin.source) or origin.source == "you"
    called = "" if known else f" ({one_line(origin.name, 60)})"
    return f"{SOURCE_WORDS[origin.source]}{called}"


# -- looks


def _mark(action: Action) -> str:
    name = action.name.lower()
    style = f"background:var(--{name});color:var(--on-{name})"
    return f'<i style="{style}" title="{LOOKS[action].word}">{LOOKS[action].glyph}</i>'


@cache
def _colours() -> str:
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in svg_colours(dark=dark).items()) for dark in (False, True)
    )
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


@cache
def _style() -> str:
    return Path(__file__).with_name("report.css").read_text("utf-8") + svg_rules()
