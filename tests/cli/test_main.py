"""The command: what it answers at once, what it refuses in one line, and the server it starts."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import urllib.request
from urllib.parse import urlsplit

import pytest
from server_process import SECONDS_TO_STOP, playground, start

from historylab._version import __version__
from historylab.cli import main
from historylab.ui.server import serve


def run(capsys, *arguments: str) -> tuple[int, str]:
    """Exit code and what was printed, errors included."""
    try:
        code = main.main(arguments)
    except SystemExit as exit:
        code = exit.code
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"historylab {__version__}\n")


def test_help_names_every_option(capsys):
    code, text = run(capsys, "--help")
    assert code == 0
    for option in (
        "--host",
        "--port",
        "--headless",
        "--template",
        "--record",
        "--trimmer",
        "--trimmer-option",
        "--debug",
        "--strict-environment",
        "--version",
    ):
        assert option in text


def test_help_and_version_load_nothing_heavy():
    code = "import sys; from historylab.cli import main; main._parser(); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"streamlit", "numpy", "pandas", "pydantic", "plotly", "openai"} & set(loaded)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--host", "no.such.host.invalid"), 1, "no.such.host.invalid"),
        (("--host", "192.0.2.1"), 1, "no address of this machine"),
        (("--host", ""), 1, "no address of this machine"),
        (("--port", "65536"), 2, "0 to 65535"),
        (("--port", "eighty"), 2, "'eighty' is no port"),
        (("--template", "no-such-file.json"), 2, "no-such-file.json"),
        (("--template", "pyproject.toml"), 2, "pyproject.toml"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(capsys, monkeypatch, root, arguments, code, words):
    monkeypatch.chdir(root)
    got, text = run(capsys, "--headless", *arguments)
    assert (got, words in text) == (code, True), text
    assert text.splitlines()[-1].startswith("historylab: ")


def test_a_busy_port_is_one_line(capsys):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        code, text = run(capsys, "--headless", "--port", port)
    assert code == 1
    assert text.count("\n") == 1
    assert f"port {port} on 127.0.0.1 is already in use" in text


def test_the_template_is_handed_on_as_an_absolute_path(monkeypatch, tmp_path):
    (tmp_path / "agent.json").write_text(json.dumps({"chatSettings": {"historyPolicy": "all"}}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HISTORYLAB_TEMPLATE", "")
    monkeypatch.setattr(serve, "serve", lambda *_, **__: None)
    assert main.main(["--template", "agent.json"]) == 0
    assert main.os.environ["HISTORYLAB_TEMPLATE"] == str(tmp_path / "agent.json")


@pytest.mark.parametrize(("given", "said"), [((), None), (("--strict-environment",), "true")])
def test_the_playgrounds_environment_may_be_made_strict(monkeypatch, given, said):
    monkeypatch.setenv("HISTORYLAB_STRICT_ENVIRONMENT", "")  # so that it is taken back
    monkeypatch.delenv("HISTORYLAB_STRICT_ENVIRONMENT")
    monkeypatch.setattr(serve, "serve", lambda *_, **__: None)
    assert main.main(given) == 0
    assert main.os.environ.get("HISTORYLAB_STRICT_ENVIRONMENT") == said


@pytest.fixture(scope="module")
def url():
    with playground() as url:
        yield url


@pytest.mark.slow
def test_it_answers_on_the_loopback_address_only(url):
    assert urlsplit(url).hostname == "127.0.0.1"
    assert urllib.request.urlopen(url).status == 200
    assert urllib.request.urlopen(f"{url}/_stcore/health").read() == b"ok"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", urlsplit(url).port), timeout=5)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/favicon.png"])
def test_every_answer_carries_the_security_headers(url, path):
    headers = urllib.request.urlopen(url + path).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in policy["script-src"]
    assert "sha256-" in policy["script-src"]


@pytest.mark.slow
@pytest.mark.feature("A14")
def test_agentdocks_path_leads_to_the_playground_with_everything_the_link_says(url):
    answer = urllib.request.urlopen(f"{url}/chat?agent=demo&historyPolicy=lastN&historyLength=0")
    assert answer.status == 200
    assert answer.url == f"{url}/?agent=demo&historyPolicy=lastN&historyLength=0&system=agentdock"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/chat?next=//evil.example", "//evil.example/chat", "/chat?a=%0d%0aSet-Cookie:x=1"])
def test_it_leads_nowhere_else(url, path):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.headers["Location"].startswith("./?")
    assert answer.headers["Set-Cookie"] is None
    assert answer.headers["X-Frame-Options"] == "DENY"
    connection.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_all_it_says_at_the_start_is_where_it_is_and_ctrl_c_ends_it_without_a_word():
    process = start()
    said = [process.stdout.readline()]
    while "http://" not in said[-1] and process.poll() is None:
        said.append(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=SECONDS_TO_STOP)
    assert (process.returncode, "Traceback" in rest) == (0, False), rest
    assert "restart" not in "".join(said)


def test_the_shipped_config_gives_way_to_streamlit_variables(monkeypatch, root):
    assert serve.shipped_config(root)["server.maxUploadSize"] == 20
    monkeypatch.setenv("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "5")
    assert "server.maxUploadSize" not in serve.shipped_config(root)


def test_streamlits_variables_count_as_they_do_under_streamlit_run(monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "5")
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "lab.example 127.0.0.1")
    monkeypatch.setenv("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "false")
    assert serve.streamlit_variables() == {
        "server.maxUploadSize": 5,
        "server.allowedHosts": ["lab.example", "127.0.0.1"],
        "browser.gatherUsageStats": False,
    }
    monkeypatch.setenv("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "many")
    with pytest.raises(serve.CannotListen, match="STREAMLIT_SERVER_MAX_UPLOAD_SIZE='many' is no int"):
        serve.streamlit_variables()


def test_every_shipped_value_is_one_streamlit_knows(root):
    from streamlit import config

    assert serve.shipped_config(root).keys() <= config.get_config_options().keys()
    assert serve.shipped_config(root)["browser.gatherUsageStats"] is False


def test_only_asked_for_hosts_are_answered():
    assert "server.allowedHosts" not in serve.launch_config("127.0.0.1", 0, headless=True)
    assert "192.0.2.1" in serve.launch_config("192.0.2.1", 0, headless=True)["server.allowedHosts"]
    assert serve.launch_config("0.0.0.0", 0, headless=True)["server.allowedHosts"] == []


def test_the_hosts_a_streamlit_variable_names_are_the_ones_answered_on_every_address(monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "lab.example")
    for host in ("127.0.0.1", "192.0.2.1", "0.0.0.0"):
        assert "server.allowedHosts" not in serve.launch_config(host, 0, headless=True)
