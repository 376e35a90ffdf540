"""What another site's page sends to the server is refused before Streamlit sees it, and nobody outside is asked."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import pytest
from server_process import SPY, playground

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "A" * 22 + "==",
}
STREAM, UPLOAD = "/_stcore/stream", "/_stcore/upload_file/session/file"
ROUTES = (
    "/",
    "/compare",
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/media/0.html",
    "/component/any/index.html",
    "/_stcore/bidi-components/any/index.js",
    "/_stcore/agent/openapi.json",
    "/static/js/index.js",
    "/favicon.png",
)
FOREIGN_ORIGINS = (
    "http://evil.example",
    "https://evil.example:443",
    "http://127.0.0.1:9",  # another port of this machine
    "http://localhost:9",
    "http://127.0.0.1",
    "http://127.0.0.1.evil.example",
    "http://evil.example@127.0.0.1",
    "null",
    "",
    "file://",
    "chrome-extension://abcdef",
    "http://[::1",
)
FOREIGN_HOSTS = ("rebound.example", "rebound.example:8501", "127.0.0.1.evil.example", "evil@127.0.0.1", "0.0.0.0", "")

pytestmark = pytest.mark.slow  # real servers


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """A file with a line for each address the server called."""
    return tmp_path_factory.mktemp("spy") / "calls.txt"


@pytest.fixture(scope="module")
def url(calls):
    with playground(script=(SPY, calls)) as url:
        yield url


def status(url: str, path: str, method: str = "GET", **headers: str) -> int:
    """What the server answers, as the browser's page would be answered; underscores in names stand for hyphens."""
    own = urlsplit(url)
    sent = {"Host": own.netloc, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection = http.client.HTTPConnection(own.hostname, own.port, timeout=20)
    try:
        connection.request(method, path, headers={**sent, **(UPGRADE if path == STREAM else {})})
        return connection.getresponse().status
    finally:
        connection.close()


def test_another_sites_page_gets_nothing_and_nobody_outside_is_asked(url, calls):
    for origin in FOREIGN_ORIGINS:
        for path in (*ROUTES, STREAM):
            assert status(url, path, Origin=origin) == 403, (origin, path)
        for path in (UPLOAD, "/media/0.html", "/_stcore/metrics"):
            assert status(url, path, "OPTIONS", Origin=origin, Access_Control_Request_Method="PUT") == 403, origin
        for method in ("PUT", "DELETE"):
            assert status(url, UPLOAD, method, Origin=origin) == 403, origin
        assert status(url, "/_stcore/agent/interact", "POST", Origin=origin) == 403, origin
    assert calls.read_text() == ""


def test_a_name_that_is_not_the_servers_is_not_answered(url, calls):
    for host in FOREIGN_HOSTS:
        for path in (*ROUTES, STREAM):
            assert status(url, path, Host=host) == 403, (host, path)
            assert status(url, path, Host=host, Origin=f"http://{host}") == 403, (host, path)
        assert status(url, UPLOAD, "PUT", Host=host) == 403, host
    assert calls.read_text() == ""


def test_its_own_pages_work_by_every_name_of_this_machine(url, calls):
    port = urlsplit(url).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
        assert status(url, STREAM, Host=host, Origin=f"http://{host}") == 101
        assert status(url, "/_stcore/health", Host=host, Origin=f"http://{host}") == 200
        assert status(url, "/", Host=host) == 200
    assert calls.read_text() == ""


def test_a_link_on_another_site_opens_and_a_picture_or_script_of_ours_does_not_load_there(url):
    for site in ("cross-site", "same-site"):
        assert status(url, "/?budget=700", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate") == 200
        for mode in ("no-cors", "cors"):
            assert status(url, "/favicon.png", Sec_Fetch_Site=site, Sec_Fetch_Mode=mode) == 403
    assert status(url, "/favicon.png", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="no-cors") == 200


def test_an_origin_that_the_operator_names_is_let_in_without_asking_outside(tmp_path):
    """A proxy that speaks to the server under its own address: the browser's origin is another."""
    calls = tmp_path / "calls.txt"
    listed = {
        "STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS": "https://lab.example",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": "127.0.0.1 lab.example",
    }
    with playground(env=listed, script=(SPY, calls)) as url:
        assert status(url, STREAM, Origin="https://lab.example") == 101
        assert status(url, STREAM, Host="lab.example", Origin="https://lab.example") == 101
        assert status(url, "/", Host="lab.example") == 200
        assert status(url, STREAM, Origin="https://other.example") == 403
        assert status(url, "/", Host="localhost") == 403
    assert calls.read_text() == ""
