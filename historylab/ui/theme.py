"""Which of the two themes the reader sees, and the actions' colours as CSS variables for it."""

from __future__ import annotations

import streamlit as st

from historylab.figures.palette import ALARM, CONFIGURATIONS, FAINT, INK, LOOKS, PAGE


def is_dark() -> bool:
    """Whether the page is drawn dark, as far as the browser says."""
    return getattr(st.context.theme, "type", None) == "dark"


def action_colours() -> str:
    """`--hl-kept` … and `--hl-faint`, `--hl-alarm`, for the theme in use."""
    dark = is_dark()
    named = {action.name.lower(): look for action, look in LOOKS.items()}
    named |= {"page": PAGE, "ink": INK, "faint": FAINT, "alarm": ALARM}
    named |= {f"only-{look.word}": look for look in CONFIGURATIONS}
    colours = (f"--hl-{name}:{look.colour(dark)};--hl-on-{name}:{look.ink(dark)};" for name, look in named.items())
    return ":root{" + "".join(colours) + "}"
