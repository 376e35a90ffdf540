"""Two people at one server: nothing of what one opened, chose or agreed to reaches the other."""

from __future__ import annotations

import json
import re

import pytest
from browser_pages import SECONDS, headline, no_drawer, opened, upload

from historylab.formats.load import load

pytestmark = pytest.mark.browser

SECRET = "SESAME-4711"
NAME = "of-one-alone.json"


def private_file() -> bytes:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"{SECRET} {i} " + "and more " * 20} for i in range(21)]
    return json.dumps({"title": f"{SECRET}-title", "messages": said}).encode()


def test_one_session_learns_nothing_of_anothers_file(page, browser, home):
    asked: list[str] = []
    listen = lambda request: asked.append(request.url)  # noqa: E731
    page.on("request", listen)
    opened(page, home + "/?budget=70707")
    upload(page, NAME, private_file())
    headline(page, "of 21 messages|all 21 messages")
    no_drawer(page)
    page.remove_listener("request", listen)
    uploads = [url for url in asked if "/upload_file/" in url]
    assert uploads
    assert SECRET not in page.url

    context = browser.new_context()
    context.add_cookies([{"name": "historylab-kept", "value": "1", "url": home}])  # so that it is asked for a token
    other = context.new_page()
    other.add_init_script('sessionStorage.setItem(\'historylab\', \'{"token": "a guess", "name": "one.json"}\')')
    other.set_default_timeout(SECONDS * 1000)
    digest = load(private_file())[0].digest
    for guess in (digest, f"sample:{digest}", f"sample:../{NAME}"):
        other.goto(f"{home}/?conv={guess}")
        headline(other, "messages sent")
        assert SECRET not in other.content()
        assert not re.search("70,?707|71k", other.content())
    served = {url for url in asked if url.startswith(home) and "/static/" not in url}
    for url in served | {f"{home}/_stcore/{name}" for name in ("metrics", "host-config", "health")}:
        assert SECRET not in other.request.get(url).text(), url
    session = re.search(r"/upload_file/([^/]+)/", uploads[0])[1]
    assert session not in other.request.get(f"{home}/_stcore/metrics").text()
    other.get_by_text("“one.json” is no longer held here").wait_for()
    other.context.close()

    another = page.context.new_page()  # nor has another tab of the same browser
    another.goto(home)
    another.locator("h1").wait_for()
    assert SECRET not in another.content()
    another.close()
