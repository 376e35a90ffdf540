"""`historylab proxy` refuses, before it listens, what would be unsafe or can't work; tests/proxy runs it."""

from __future__ import annotations

import pytest
from command_line import run

ASKED = ("proxy", "--upstream", "http://127.0.0.1:9", "--port", "0")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "HISTORYLAB_PROXY_TOKEN"),
        (("--token", "short"), "8 characters"),
        (("--settings", "none.json"), "none.json cannot be read"),
        (("--upstream", "models.example"), "isn't the address of an upstream"),
        (("--upstream", "https://key@models.example"), "holds a key"),
        (("--record", "kept", "--redact", "("), "no regular expression"),
        (("--redact", "4711"), "give --record"),
        (("--record", f"{'x' * 300}.db"), "cannot hold a recording: File name too long"),
        (("--record", "nobody.db/kept"), "cannot hold a recording: Not a directory"),
        (("--record", "nobody.db"), "not a database"),
        (("--record", "ftp://kept"), "no store begins with ftp://"),
        (("--keep-days", "-1"), "--keep-days"),
        (("--mode", "watch"), "invalid choice"),
    ],
)
def test_a_mistake_in_asking_is_named(tmp_path, monkeypatch, capsys, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nobody.db").write_text("notes " * 99)
    code, out, err = run(capsys, *ASKED, *options)
    assert (code, out) == (2, "") and said in err and "Traceback" not in err
