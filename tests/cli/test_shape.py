"""`--shape FILE`, formerly `--mapping`: files in no known format are shown and swept as a saved shape says."""

from __future__ import annotations

import json

from historylab.cli.main import main


def test_a_saved_shape_is_used_by_show_and_sweep(tmp_path, capsys):
    (tmp_path / "m.json").write_text('{"items": "log", "role": "who", "text": "said"}')
    log = [{"who": "visitor", "said": "Hello?"}, {"who": "bot", "said": "Hello!"}] * 2
    (tmp_path / "chat.json").write_text(json.dumps({"log": log}))
    assert main(["show", str(tmp_path / "chat.json")]) == 1
    told = capsys.readouterr().err
    assert '(4 items: who, said)? Then save { "role": "who", "text": "said", "items": "log" } as shape.json' in told
    files = [str(tmp_path / "chat.json"), "--mapping", str(tmp_path / "m.json")]
    assert main(["show", *files]) == 0
    assert "Shape: 4 records, 4 messages" in capsys.readouterr().out
    files[1] = "--shape"
    assert main(["sweep", *files, "--grid", "length=1,2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 2
