"""A proxy as the command puts it together: it notes under which settings it sends, in the recording that it opens."""

from __future__ import annotations

import json
from contextlib import closing

import httpx2
import pytest
from proxy_process import write_settings
from proxy_server import chat, serving

from historylab.errors import SettingsError
from historylab.proxy.open import open_proxy
from historylab.recordings import open_recording
from historylab.settings.model import Settings

CHAT = "/v1/chat/completions"


def test_a_recording_says_when_the_proxy_began_and_under_which_settings_from_then_on(upstream, tmp_path):
    file = write_settings(tmp_path / "settings.json", Settings(budget=4000))
    proxy = open_proxy(upstream.url, settings=str(file), record=str(tmp_path / "kept"))
    with serving(proxy) as running:
        httpx2.post(f"{running.url}{CHAT}", json=chat("a"))
        write_settings(file, Settings(budget=500))
        httpx2.post(f"{running.url}{CHAT}", json=chat("a", "b", "c"))
    with closing(open_recording(tmp_path / "kept")) as store:
        lines = [json.loads(record.text) for record in store.read_records()]
    assert [(line["historylab"], line["settings"].get("budget")) for line in lines] == [
        *(("proxy", 4000), ("request", 4000), ("proxy", 500), ("request", 500)),
    ]
    assert lines[0]["settings_file"] == str(file) and lines[0]["upstream"] == upstream.origin
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0


def test_no_summary_on_disk_repeats_the_key_that_came_with_the_request(upstream, tmp_path):
    key = "our-team/key+1234"
    file = write_settings(tmp_path / "settings.json", Settings(policy="all", pruner="summarize", budget=300))
    with serving(open_proxy(upstream.url, settings=str(file), record=str(tmp_path / "kept"))) as running:
        said = (f"message {k} of the ferry to Kiel, with the key {key}" for k in range(41))
        headers = {"Authorization": f"Bearer {key}"}
        assert (
            "S"
            in httpx2.post(f"{running.url}{CHAT}", json=chat(*said), headers=headers).headers["historylab-decisions"]
        )
        assert f"key {key}" in upstream.bytes[-1].decode()
    assert key.encode() not in b"".join(file.read_bytes() for file in (tmp_path / "kept").iterdir())


def test_without_a_recording_nothing_is_written(upstream, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with serving(open_proxy(upstream.url)) as running:
        assert httpx2.post(f"{running.url}{CHAT}", json=chat("a")).status_code == 200
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [{"settings": "none.json"}, {"record": "/dev/null/kept"}, {"record": "here", "redact": ["("]}],
)
def test_what_cannot_be_opened_is_refused_at_the_start(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError):
        open_proxy("http://127.0.0.1:9", **options)
