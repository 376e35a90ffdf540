"""Our own components in the browser: each is a folder of scripts, joined with the page's clock into one module.

Streamlit sends an element whole whenever anything of it changes, its script too. So a script of some size is, with the
style sheet, an element of its own, which stays as it is; the one that draws only asks for both by name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from historylab.figures.browser import CLOCK

SMALL = 4_000  # characters of a script that may go with every change of what it draws
BEGINS = "export default function"
ITS_SCRIPT = 'const script = ((globalThis.historylabScripts ??= {{}})["{name}"] ??= Promise.withResolvers());\n'
KEPT = """const style = new CSSStyleSheet();
style.replaceSync({css});
script.resolve({{ style, show: (() => {{
{code}
}})() }});
export default function () {{}}
"""
DRAWS = """export default function (given) {
  let end = null, gone = false;
  script.promise.then(({ style, show }) => {
    if (gone) return;
    const root = given.parentElement.getRootNode();
    if (!root.adoptedStyleSheets.includes(style)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, style];
    end = show(given);
  });
  return () => { gone = true; end?.(); };
}
"""
UNTIL_THEN, FROM_THEN = ":host { visibility: hidden; }", ":host { visibility: visible; }"


@cache
def component(folder: Path, scripts: Sequence[str]) -> ComponentRenderer:
    """The component in `folder`, named like it: NAME.html and NAME.css if it draws, and its scripts after the clock."""
    name, own = folder.name, st.components.v2.component
    html, css = (folder / f"{name}.{kind}" for kind in ("html", "css"))
    drawn, styled = (path.read_text("utf-8") if path.exists() else None for path in (html, css))
    code = "\n".join(path.read_text("utf-8") for path in (CLOCK, *(folder / f"{script}.js" for script in scripts)))
    if len(code) < SMALL:
        return own(f"historylab.{name}", html=drawn, css=styled, js=code)
    its_script, returned = ITS_SCRIPT.format(name=name), code.replace(BEGINS, "return function")
    sheet = json.dumps(f"{styled or ''}\n{FROM_THEN}")
    kept = own(f"historylab.{name}_script", js=its_script + KEPT.format(css=sheet, code=returned))
    return _after(kept, own(f"historylab.{name}", html=drawn, css=UNTIL_THEN, js=its_script + DRAWS))


def _after(kept: ComponentRenderer, draw: ComponentRenderer) -> ComponentRenderer:
    """Draws with the script in a hidden place before it."""

    @wraps(draw)
    def both(**given: Any) -> Any:
        with st.container(key=f"data script {given['key']}"):
            kept(key=f"script {given['key']}")
        return draw(**given)

    return both
