"""Our own components in the browser: each is a folder of scripts, joined with what it uses of the shared ones into one
module.

Streamlit sends an element whole whenever anything of it changes: script, style and markup, too. So these are an element
of their own, which stays as it is, and the one that draws asks for them by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from historylab.figures.browser import SHARED, text_to_send

BEGINS = "export default "
ITS_SCRIPT = 'const script = ((globalThis.historylabScripts ??= {{}})["{name}"] ??= Promise.withResolvers());\n'
KEPT = """const style = new CSSStyleSheet();
style.replaceSync({css});
const show = (() => {{
{code}
}})();
script.resolve((given) => {{
  const place = given.parentElement, root = place.getRootNode();
  if (!root.adoptedStyleSheets.includes(style)) {{
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, style];
    place.append(document.createRange().createContextualFragment({html}));
  }}
  return show(given);
}});
export default function () {{}}
"""
DRAWS = """export default function (given) {
  let end = null, gone = false;
  script.promise.then((draw) => { if (!gone) end = draw(given); });
  return () => { gone = true; end?.(); };
}
"""


def component(folder: Path, scripts: Sequence[str]) -> ComponentRenderer:
    """The component in `folder`, named like it: NAME.html and NAME.css if it draws, its scripts after the shared.

    A key that begins with "data " is of one that has nothing to show.
    """
    return _after(*_script_and_component(folder, scripts))


def component_beside(folder: Path, scripts: Sequence[str]) -> ComponentRenderer:
    """The same beside another one of it on the page, which brings the script."""
    return _script_and_component(folder, scripts)[1]


@cache
def _script_and_component(folder: Path, scripts: Sequence[str]) -> tuple[ComponentRenderer, ComponentRenderer]:
    name, own = folder.name, st.components.v2.component
    html, css = (json.dumps(_text(folder / f"{name}.{kind}")) for kind in ("html", "css"))
    code = "".join(text_to_send(folder / f"{script}.js") for script in scripts)
    code = "".join(text_to_send(path) for path in SHARED if _is_used(path, code)) + code
    its_script, returned = ITS_SCRIPT.format(name=name), code.replace(BEGINS, "return ")
    kept = own(f"historylab.{name}_script", js=its_script + KEPT.format(html=html, css=css, code=returned))
    return kept, own(f"historylab.{name}", js=its_script + DRAWS)


def _is_used(shared: Path, code: str) -> bool:
    names = re.findall(r"^(?:async )?(?:const|function) (\w+)", shared.read_text("utf-8"), re.MULTILINE)
    return re.search(rf"\b(?:{'|'.join(names)})\b", code) is not None


def _text(path: Path) -> str:
    return text_to_send(path) if path.exists() else ""


def _after(kept: ComponentRenderer, draw: ComponentRenderer) -> ComponentRenderer:
    """Draws with the script in a hidden place before it."""

    @wraps(draw)
    def both(**given: Any) -> Any:
        kept(key=f"script {given['key']}")
        return draw(**given)

    return both
