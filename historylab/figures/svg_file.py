"""What our SVG stands on: its rules and colours on a page, and a picture as a file of its own.

A file has a legend, and its colours as numbers: programs that make slides know no CSS variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from historylab.figures.map_svg import map_svg
from historylab.figures.token_svg import LETTER, kinds_drawn, token_svg
from historylab.planning.replay import Timeline
from historylab.wording.context import kind_in_words
from historylab.wording.palette import ALARM, FAINT, INK, KINDS, LOOKS, PAGE, Look
from historylab.wording.untrusted import escape

LINES = {False: ("#D9D9D2", "#F2F2EE"), True: ("#3A414A", "#20252B")}
LEGEND = 30  # pixels below the picture
MARGIN = 12


def svg_colours(*, dark: bool) -> dict[str, str]:
    """Each colour by the name it has in a style sheet: `--kept`, `--on-kept`, `--kind-user`, …"""
    looks: dict[str, Look] = {"page": PAGE, "ink": INK, "faint": FAINT, "alarm": ALARM}
    looks |= {f"kind-{kind}": look for kind, look in KINDS.items()}
    looks |= {action.name.lower(): look for action, look in LOOKS.items()}
    line, soft = LINES[dark]
    colours = {"line": line, "soft": soft}
    for name, look in looks.items():
        colours |= {name: look.colour(dark), f"on-{name}": look.ink(dark)}
    return colours


@cache
def svg_rules() -> str:
    """The style sheet of the pictures, in the colours of their page."""
    return Path(__file__).with_name("svg.css").read_text("utf-8")


def map_file(timeline: Timeline, number: int) -> str:
    """The map as a file, with request `number` (from 0) marked."""
    there = {action for plan in timeline.plans for action in np.unique(plan.block_actions).tolist()}
    there |= {action for plan in timeline.plans if plan.shortened for action in np.unique(plan.actions).tolist()}
    legend = {action.name.lower(): look.badge for action, look in LOOKS.items() if action in there}
    return _file(map_svg(timeline, number), legend)


def token_file(timeline: Timeline, number: int) -> str:
    """The token chart as a file, with request `number` (from 0) marked."""
    legend = {f"kind-{kind}": kind_in_words(timeline, kind) for kind in kinds_drawn(timeline)}
    return _file(token_svg(timeline, number), legend)


def _file(svg: str, legend: Mapping[str, str]) -> str:
    wide, tall = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
    high = tall + LEGEND
    chips, x = [], 56.0
    for name, word in legend.items():
        chips.append(
            f'<rect x="{x:g}" y="{tall + 9:g}" width="11" height="11" rx="2" fill="var(--{name})"/>'
            f'<text x="{x + 17:g}" y="{tall + 19:g}">{escape(word)}</text>'
        )
        x += 36 + LETTER * len(word)
    opened, _, rest = svg.partition(">")
    inside, _, _ = rest.rpartition("</svg>")
    size = f'{wide + 2 * MARGIN:g}" height="{high + 2 * MARGIN:g}"'
    view = f'viewBox="{-MARGIN} {-MARGIN} {wide + 2 * MARGIN:g} {high + 2 * MARGIN:g}" width="{size}'
    opened = re.sub(r'viewBox="[^"]*"', view, opened)
    page = f'<rect x="{-MARGIN}" y="{-MARGIN}" width="{size} fill="var(--page)"/>'
    text = f'{opened} xmlns="http://www.w3.org/2000/svg"><style>{svg_rules()}</style>{page}{inside}{"".join(chips)}</svg>\n'
    colours = svg_colours(dark=False)
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], text)
