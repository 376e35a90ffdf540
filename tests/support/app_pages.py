"""Pages run without a browser, and what they say."""

from __future__ import annotations

import json
import re
from functools import cache
from html import unescape
from pathlib import Path

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from historylab.formats.samples import DEFAULT_SAMPLE
from historylab.wording.settings import GROUPS

ROOT = Path(__file__).parents[2]
SECONDS = 120  # on a machine busy with other things

# Every AppTest would look through all installed packages for components, which takes as long as to draw a page.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def screen(path: str = "app.py", **link: str) -> AppTest:
    """The page, run once, as a link with those parameters opens it; without any, on the plain sample, unchanged."""
    app = AppTest.from_file(str(ROOT / path), default_timeout=SECONDS)
    for name, value in (link or {"conv": f"sample:{DEFAULT_SAMPLE}"}).items():
        app.query_params[name] = value
    return shown(app.run())


def landing() -> AppTest:
    """The playground as an address without anything opens it."""
    return shown(AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).run())


def opening(app: AppTest, way: str) -> AppTest:
    """The same with the drawer "Open a conversation" on that way."""
    app.session_state["way"], app.session_state["historylab"].wanted = way, "open"
    return shown(app.run())


def uploaded(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """The same with these files given in the drawer: (name, bytes) of each."""
    given = [(name, data, "application/octet-stream") for name, data in files]
    return shown(opening(app, "Upload").file_uploader(key="upload").set_value(given).run())


def pasted(app: AppTest, text: str) -> AppTest:
    """The same with this text pasted in the drawer."""
    app = opening(app, "Paste").text_area(key="pasted").set_value(text).run()
    return shown(app.button(key="open-pasted").click().run())


def unfolded(app: AppTest, *groups: str) -> AppTest:
    """The same with those groups of settings unfolded, as a click leaves them; without any, all of them."""
    for group in groups or GROUPS:
        app.session_state[f"group {group}"] = True
    return shown(app.run())


def on_tab(app: AppTest, label: str) -> AppTest:
    """The same with that tab of the request open, as a click leaves it."""
    app.session_state["side"] = label
    return shown(app.run())


def next_conversation(app: AppTest) -> AppTest:
    """The same with the next conversation of what is open."""
    return shown(app.button(key="entry-after").click().run())


def request_field(app: AppTest):
    """The field with the number of the request shown."""
    return next(field for field in app.number_input if field.label.startswith("Request, "))


def shown(app: AppTest) -> AppTest:
    """The same, if it ran without an exception."""
    assert not app.exception, [e.value for e in app.exception]
    return app


def text(app: AppTest) -> str:
    """Everything written as HTML on the screen, without its tags."""
    return untagged(" ".join(e.proto.body for e in app.get("html")))


def untagged(html: str) -> str:
    """The text of HTML; what is marked within a sentence leaves no space."""
    return re.sub(
        r"<style>.*?</style>|<[^>]+>",
        " ",
        re.sub(r"</?dfn[^>]*>|<(?:span|b) data-(?:used|share|at|sees)=[^>]*>([^<]+)</(?:span|b)>", r"\1", html),
        flags=re.DOTALL,
    )


def hovers(app: AppTest) -> str:
    """Everything told on hover or focus."""
    html = " ".join(e.proto.body for e in app.get("html"))
    return " ".join(re.findall(r'(?:title|aria-description)="([^"]*)"', html))


def rows(app: AppTest, key: str) -> list[list[str]]:
    """The cells of our own table of that key."""
    return _given_to(app, key)["rows"]


def sentence(app: AppTest) -> str:
    """The settings as a sentence, beside the page."""
    return "".join(part["text"] for part in _given_to(app, "settings sentence")["parts"])


def _given_to(app: AppTest, key: str) -> dict:
    (component,) = (e.proto for e in app.get("bidi_component") if e.proto.id.endswith(f"-{key}"))
    return json.loads(component.json)


def sources(app: AppTest) -> dict[str, str]:
    """Per setting on screen the word that says where its value came from."""
    html = " ".join(e.proto.body for e in app.get("html"))
    return dict(re.findall(r'data-setting="([^"]+)" data-source="([^"]+)"', html))


def told(app: AppTest, label: str) -> str:
    """What the label of a row of settings tells on hover and focus."""
    html = " ".join(e.proto.body for e in app.get("html"))
    return unescape(re.findall(rf'aria-description="([^"]*)">{label}<', html)[-1])


def verdict(app: AppTest) -> str:
    """The headline, the number of messages sent, and the strip under them."""
    bodies = (e.proto.body for e in app.get("html"))
    return " ".join(untagged(body) for body in bodies if re.search("hl-(verdict|count|cell|forgot)", body))


def cells(app, row: str) -> list[str]:
    """Per configuration the text of a row's cell: a value, and how it differs from the first's."""
    html = next(e.proto.body for e in app.get("html") if "hl-compare" in e.proto.body)
    rows = re.findall("<tr.*?</tr>", html)
    found = next(each for each in rows if row in re.sub(r"<[^>]+>", "", each))
    texts = re.findall(r'<b class="hl-letter[^>]*>.</b>(.*?)</td>', found)
    return [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in texts]


def names(app) -> list[str]:
    """The letter and name of each that is compared."""
    bodies = [e.proto.body for e in app.get("html")]
    return [" ".join(untagged(body).split()) for body in bodies if body.startswith('<div class="hl-lane">')]
