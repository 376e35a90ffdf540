"""The reader's theme, light or dark, and the actions' colours as CSS variables for it."""

from __future__ import annotations

from functools import cache

import streamlit as st

from historylab.wording.palette import (
    ACCENT,
    ALARM,
    CONFIGURATIONS,
    FAINT,
    FALLS_SHORT,
    GRID,
    INK,
    KINDS,
    LOOKS,
    PAGE,
    TRIED,
    Look,
)

OF_CHARTS = {"page": PAGE, "ink": INK, "faint": FAINT, "grid": GRID, "tried": TRIED, "falls-short": FALLS_SHORT}
"""The colours of our Plotly figures besides those of configurations, by the name of their variable."""


def action_colours() -> str:
    """`--hl-kept` … and `--hl-faint`, `--hl-alarm`: for this theme and, should it change, the other.

    Streamlit doesn't run the page again when the reader's system turns dark, but it says so to the browser; what it
    draws outside of the app's own element, dialogs for one, knows only these.
    """
    dark = getattr(st.context.theme, "type", None) == "dark"
    now = "".join(f"--hl-{name}:{colours[dark]};" for name, colours in _colours().items())
    both = "".join(f"--hl-{name}:light-dark({','.join(colours)});" for name, colours in _colours().items())
    scheme = f"color-scheme:{'dark' if dark else 'light'};"
    return f":root{{{scheme}{now}}}@supports (color:light-dark(red,red)){{:root{{{both}}}}}"


@cache
def _colours() -> dict[str, tuple[str, str]]:
    """Per variable the colour in light and in dark."""
    named = {action.name.lower(): look for action, look in LOOKS.items()}
    named |= {**OF_CHARTS, "alarm": ALARM, "accent": ACCENT}
    named |= _letters()
    named |= {f"kind-{name}": look for name, look in KINDS.items()}
    fills = {name: (look.light, look.dark) for name, look in named.items()}
    return fills | {f"on-{name}": (look.ink(False), look.ink(True)) for name, look in named.items()}


@cache
def chart_colours() -> str:
    """The rules by which Plotly's drawings have the theme's colours: figures are made in the light ones alone.

    Plotly takes no variables and writes every colour into the drawing, where it would stay when the theme changes.
    """
    return "".join(
        f'.js-plotly-plot [style*="{painted}: {_css_rgb(look.light)}"]{{{painted}:var(--hl-{name})!important}}'
        for name, look in {**OF_CHARTS, **_letters()}.items()
        for painted in ("fill", "stroke")
    )


def _letters() -> dict[str, Look]:
    return {f"only-{look.word}": look for look in CONFIGURATIONS}


def _css_rgb(colour: str) -> str:
    """The colour as browsers write it in a style: "rgb(35, 39, 44)"."""
    return f"rgb({', '.join(map(str, bytes.fromhex(colour[1:])))})"
