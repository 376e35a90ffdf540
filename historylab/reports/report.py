"""A report to pass on: one request of a timeline as a single HTML file that loads nothing.

It holds the conversation's text, escaped, so it is as private as the conversation. A content security policy in the
file allows its own script, by its hash, and no request of any kind; without scripts the map is a still picture. It
follows the reader's light or dark theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from historylab._version import __version__
from historylab.costs.amounts import count_of
from historylab.figures.map_svg import map_svg
from historylab.figures.svg_file import svg_colours, svg_rules
from historylab.figures.token_svg import kinds_drawn, token_svg
from historylab.planning.context_fill import strictest_limit
from historylab.planning.replay import Timeline
from historylab.recall.retention import Retention, retention
from historylab.recordings.as_sent import is_foreign
from historylab.recordings.post_mortem import post_mortem
from historylab.reports.live_map import map_parts, map_template, script, script_hash
from historylab.reports.message_list import mark, report_messages
from historylab.reports.settings_table import settings_table
from historylab.reports.shown import Shown
from historylab.tuning.compare import are_aligned, changed_values
from historylab.wording.as_sent import unknown_sentence, untrimmed_sentence, untrimmed_word
from historylab.wording.context import context_fill_sentence, counted_by, kind_in_words, used_tokens
from historylab.wording.costs import cost_finding
from historylab.wording.cuts import changes_in_words
from historylab.wording.findings import token_finding
from historylab.wording.headline import headline_sentence
from historylab.wording.losses import ESTIMATES, RECALL_UNKNOWN, facts_in_short, lost_facts
from historylab.wording.must_remember import GLYPH, must_remember_status
from historylab.wording.over_budget import cause_in_words
from historylab.wording.palette import ALARM, CONFIGURATIONS, LOOKS
from historylab.wording.phrases import capitalize_first
from historylab.wording.post_mortem import post_mortem_sentence
from historylab.wording.rules import rules_status
from historylab.wording.trimmers import foreign_line
from historylab.wording.untrusted import escape, one_line
from historylab.wording.verdict import count_actions, sent_line

POLICY = "default-src 'none'; script-src {script}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def report(shown: Sequence[Shown], number: int) -> str:
    """The report on request `number` (from 0), under one to four configurations, and as it was sent."""
    timeline = shown[0].timeline
    title = one_line(timeline.conversation.title, 90)
    size = f"{count_of(len(timeline.conversation), 'message')}, {count_of(len(timeline.plans), 'request')}"
    several = "" if len(shown) == 1 else " several"
    body = "".join(
        (
            f'<p class="meta"><bdi>{escape(title)}</bdi> · {size} · request {number + 1:,}</p>{_cuts(timeline)}',
            f"<h1>{_title(shown)}</h1>{_choice(shown)}" if several else "",
            f'<div class="scenes{several}">{_scenes(shown, number)}</div>',
            f'<section class="beside"><h2>What became of each message</h2>{_lists(shown, number)}</section>',
            f"<section><h2>Settings</h2>{settings_table(shown)}</section>",
        )
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(script=script_hash())}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: HistoryLab report</title><style>{_colours()}{_style()}</style></head>"
        f'<body data-request="{number}"><main>{body}<footer class="meta">Made by HistoryLab {__version__}. '
        f"{ESTIMATES} This file holds text of the conversation; it loads nothing from elsewhere.</footer></main>"
        f'{map_template()}<script type="module">{script()}</script></body></html>\n'
    )


def _cuts(timeline: Timeline) -> str:
    """A sentence on what the cuts that were really made took; nothing where there were none."""
    said = post_mortem_sentence(post_mortem(timeline.original))
    return f'<p class="cuts">{escape(said)}</p>' if said else ""


# -- several configurations


def _title(shown: Sequence[Shown]) -> str:
    settings = [one for one in shown if not is_foreign(one.timeline)]
    compared, trimmers = count_of(len(settings), "setting"), sum(one.timeline.run is not None for one in shown)
    beside = [count_of(trimmers, "trimmer")] * bool(trimmers)
    beside += ["what was sent"] * (len(settings) + trimmers < len(shown))
    if not settings:
        return f"{' and '.join(beside)} compared"
    return f"{compared} beside {' and '.join(beside)}" if beside else f"{compared} compared"


def _choice(shown: Sequence[Shown]) -> str:
    """Which configuration's picture is shown, and what each of them changes."""
    base = next((one for one in shown if not is_foreign(one.timeline)), shown[0]).timeline.settings.values()
    choices = []
    for one in shown:
        changes = changed_values(base, one.timeline.settings.values())
        if is_foreign(one.timeline):
            words = foreign_line(one.timeline)
        elif one.letter != "A" and not changes:
            words = "The same as A"
        else:
            words = capitalize_first(changes_in_words(changes)) if changes else "These settings"
        checked = " checked" if one is shown[0] else ""
        choices.append(
            f'<label><input type="radio" name="shown" value="{one.letter}"{checked}>'
            f'<b class="letter {one.letter}">{one.letter}</b> {escape(words)}</label>'
        )
    return f'<fieldset class="choice"><legend>Shown</legend>{"".join(choices)}</fieldset>'


def _lists(shown: Sequence[Shown], number: int) -> str:
    """One list for all; where a setting rewrites the conversation, one for each."""
    if are_aligned([one.timeline for one in shown]):
        return report_messages(shown, number)
    return "".join(
        f'<h3><b class="letter {one.letter}">{one.letter}</b></h3>'
        f"{report_messages([one], min(number, len(one.timeline.plans) - 1))}"
        for one in shown
    )


# -- one configuration: verdict, map, chart


def _scenes(shown: Sequence[Shown], number: int) -> str:
    parts = map_parts(shown, number)
    return "".join(_scene(one, number, part, alone=len(shown) == 1) for one, part in zip(shown, parts, strict=True))


def _scene(shown: Shown, number: int, part: str, *, alone: bool) -> str:
    timeline = shown.timeline
    number = min(number, len(timeline.plans) - 1)
    return (
        f'<section class="scene" data-letter="{shown.letter}">{_verdict(shown, number, tag="h1" if alone else "h2")}'
        f'<figure class="map" {part}>{map_svg(timeline, number, f"map-{shown.letter}")}</figure>'
        f'<div class="answer" hidden></div>{_chart(timeline, number)}</section>'
    )


def _verdict(shown: Shown, number: int, tag: str) -> str:
    timeline = shown.timeline
    found = shown.retained or retention(timeline, stars=[star.mark for star in shown.starred])
    counts = count_actions(timeline.plans[number])
    unknown = unknown_sentence(timeline, number)
    unknown = f'<p class="stale">{ALARM.glyph} {escape(unknown)}</p>' if unknown else ""
    legend = "".join(
        f'<span{"" if counts[action] else " class=none"} title="{escape(look.meaning)}">{mark(action)}'
        f'{look.word} <b data-count="{look.word}">{counts[action]:,}</b></span>'
        for action, look in LOOKS.items()
    )
    return (
        f"<{tag}>{escape(headline_sentence(found, shown.cost))}</{tag}>"
        f'<p class="said">{sent_line(timeline, number)}</p>{unknown}'
        f'<div class="chips">{_fill_line(timeline, number)}{_loss_line(shown, found, number)}{_costs(shown)}</div>'
        f'<div class="legend">{legend}</div>'
    )


def _fill_line(timeline: Timeline, number: int) -> str:
    """The tokens the request takes of its limit, by kind; why, where they are too many."""
    amount = f"{used_tokens(timeline, number):,} of {strictest_limit(timeline):,} tokens"
    said, over = context_fill_sentence(timeline, number), timeline.plans[number].over_budget
    if cause := timeline.over_budget_cause(number):
        said = f"{said} {cause_in_words(cause)}"
    amount = f"{ALARM.glyph} {amount}" if over else amount
    return _chip("What the model sees", amount, said, counted_by(timeline), alarm=over, stale=True)


def _loss_line(shown: Shown, found: Retention, number: int) -> str:
    """The facts that later answers needed and no longer had, the messages that must be remembered, and rules."""
    held = must_remember_status(shown.timeline, number, shown.starred)
    marked = f"{GLYPH} {held.sentence}" if held.sentence else ""
    rules = rules_status(shown.timeline, number).sentence
    if shown.timeline.original.recorded.textless:
        amount, lost, about = "Facts unknown", 0, RECALL_UNKNOWN
    else:
        facts = lost_facts(found)
        amount, lost, about = " ".join(facts_in_short(facts)), facts.lost, ""
    said = " ".join(filter(None, (marked, rules)))
    return _chip("What it lost that mattered", amount, said, about, alarm=bool(lost or held.lost or rules), stale=True)


def _costs(shown: Shown) -> str:
    finding = cost_finding(shown.timeline, shown.cost)
    said = f"{finding.effect}{finding.why}. {untrimmed_sentence(shown.timeline, shown.cost)}".rstrip()
    return _chip("What it costs", capitalize_first(finding.amounts), said, finding.cache)


def _chip(title: str, amount: str, said: str, about: str, *, alarm: bool = False, stale: bool = False) -> str:
    """A number with its sentence; `stale` where both are about the reported request alone."""
    over, then = " over" if alarm else "", " stale" if stale else ""
    return (
        f'<section class="chip{then}"><p class="name">{title}</p><p class="amount{over}">{escape(amount)}</p>'
        f'<p>{escape(said)}</p><p class="meta">{escape(about)}</p></section>'
    )


def _chart(timeline: Timeline, number: int) -> str:
    kinds = "".join(
        f'<span><i style="background:var(--kind-{kind})"></i>{kind_in_words(timeline, kind)}</span>'
        for kind in kinds_drawn(timeline)
    )
    side = "late" if number > len(timeline.plans) // 2 else ""  # where a narrow screen begins to show it
    return (
        f'<div class="legend">{kinds}<span>┄ {untrimmed_word(timeline)}</span></div>'
        f'<figure class="chart {side}" tabindex="0">{token_svg(timeline, number)}</figure>'
        f'<p class="meta">{escape(token_finding(timeline))}</p>'
    )


# -- looks


@cache
def _colours() -> str:
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in {**svg_colours(dark=dark), **_letters(dark=dark)}.items())
        for dark in (False, True)
    )
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _letters(*, dark: bool) -> dict[str, str]:
    """The colours of the configurations' letters."""
    inks = {f"on-{look.word}": look.ink(dark) for look in CONFIGURATIONS}
    return {look.word: look.colour(dark) for look in CONFIGURATIONS} | inks


@cache
def _style() -> str:
    return Path(__file__).with_name("report.css").read_text("utf-8") + svg_rules()
