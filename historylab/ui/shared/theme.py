"""The reader's theme, light or dark, and the actions' colours as CSS variables for it."""

from __future__ import annotations

from functools import cache

import streamlit as st

from historylab.wording.palette import ALARM, CONFIGURATIONS, FAINT, INK, KINDS, LOOKS, PAGE


def is_dark() -> bool:
    """Whether the page is drawn dark, as far as the browser says."""
    return getattr(st.context.theme, "type", None) == "dark"


def action_colours() -> str:
    """`--hl-kept` … and `--hl-faint`, `--hl-alarm`: for this theme and, should it change, the other.

    Streamlit doesn't run the page again when the reader's system turns dark, but it says so to the browser; what it
    draws outside of the app's own element, dialogs for one, knows only these.
    """
    dark = is_dark()
    now = "".join(f"--hl-{name}:{colours[dark]};" for name, colours in _colours().items())
    both = "".join(f"--hl-{name}:light-dark({','.join(colours)});" for name, colours in _colours().items())
    scheme = f"color-scheme:{'dark' if dark else 'light'};"
    return f":root{{{scheme}{now}}}@supports (color:light-dark(red,red)){{:root{{{both}}}}}"


@cache
def _colours() -> dict[str, tuple[str, str]]:
    """Per variable the colour in light and in dark."""
    named = {action.name.lower(): look for action, look in LOOKS.items()}
    named |= {"page": PAGE, "ink": INK, "faint": FAINT, "alarm": ALARM}
    named |= {f"only-{look.word}": look for look in CONFIGURATIONS}
    named |= {f"kind-{name}": look for name, look in KINDS.items()}
    fills = {name: (look.light, look.dark) for name, look in named.items()}
    return fills | {f"on-{name}": (look.ink(False), look.ink(True)) for name, look in named.items()}
