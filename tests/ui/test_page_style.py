"""The form of a page is in the document itself: nothing of it moves because a style came late."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from historylab.ui.server.page_style import PageStyle

PAGE = "<html><head></head><body>hello</body></html>"


def document(request):
    seen = 304 if "if-none-match" in request.headers else 200
    return HTMLResponse(PAGE, seen, headers={"etag": "1"})


@pytest.fixture
def client():
    routes = [Route("/", document), Route("/words", lambda _: PlainTextResponse("</head>"))]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(PageStyle)]), headers={"accept": "text/html"})


def test_a_document_has_it_in_its_head_however_it_was_asked_for(client):
    found = client.get("/", headers={"if-none-match": "1"})
    assert ".st-key-navigation" in found.text.partition("</head>")[0]
    assert int(found.headers["content-length"]) == len(found.content)
    assert "etag" not in found.headers


def test_whatever_else_is_answered_stays_as_it_is(client):
    assert client.get("/words").text == "</head>"
    assert client.get("/", headers={"accept": "*/*"}).text == PAGE
