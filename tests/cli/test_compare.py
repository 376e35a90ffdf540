"""`historylab compare`: the table and the sentences of the Compare page, what was really sent first."""

from __future__ import annotations

import json

import pytest
from command_line import run

from historylab import Settings, as_sent, export, load, replay
from historylab.costs.proposal import adopt_recorded
from historylab.tuning.compare import measure_figures
from historylab.wording.comparison import compare_in_rows


@pytest.fixture
def env(tmp_path):
    """Writes settings as an exported .env and gives its path."""

    def write(name: str, **settings: object) -> str:
        path = tmp_path / f"{name}.env"
        path.write_text(export(Settings(**settings), "dotenv", only_changed=True), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def asked(compacted, env):
    whole, short = env("whole", policy="all", budget=60_000), env("short", policy="all", budget=20_000)
    return ("compare", compacted, "--as-sent", "--settings", whole, "--settings", short)


def test_it_prints_the_figures_of_each_and_how_they_differ_from_what_was_sent(capsys, compacted, asked):
    conversation = load(compacted)[0]
    settings = [adopt_recorded(Settings(policy="all", budget=budget), conversation) for budget in (60_000, 20_000)]
    timelines = [as_sent(conversation), *(replay(conversation, each) for each in settings)]
    code, out, _ = run(capsys, *asked)
    assert code == 0
    for row, cells in compare_in_rows(list(map(measure_figures, timelines))):
        (line,) = (line for line in out.splitlines() if line.strip().startswith(row.title))
        assert [cell.shown for cell in cells if cell.shown not in line] == []
        assert [cell.delta for cell in cells if cell.delta not in line] == []


def test_its_sentences_say_what_each_does_beside_what_was_really_sent(capsys, asked):
    out = run(capsys, *asked)[1]
    assert "A sends 16% more tokens than what was really sent, loses 3 fewer facts and costs 6% more." in out
    assert "B sends 9% fewer tokens than what was really sent, but loses 4 more facts" in out
    assert "7 of 18 requests don't send the same messages." in run(capsys, *asked[:5])[1]


def test_json_has_a_row_for_each_and_the_sentences(capsys, asked):
    told = json.loads(run(capsys, *asked, "--json")[1])
    assert next(iter(told)) == "version"
    assert [(row["letter"], row["as_sent"]) for row in told["rows"]] == [("S", True), ("A", False), ("B", False)]
    assert [row["figures"]["facts_lost"] for row in told["rows"]] == [3, 0, 7]
    assert told["rows"][0]["settings"] is None
    assert len(told["sentences"]) == 3


def test_two_files_of_settings_are_compared_without_what_was_sent(capsys, sample, env):
    whole, short = env("whole", policy="all"), env("short", policy="lastN", length=2)
    out = run(capsys, "compare", sample, "--settings", whole, "--settings", short)[1]
    assert "tokens than A" in out
    assert "really sent" not in out


@pytest.mark.parametrize("what", ["one thing", "five files", "nothing says what was sent"])
def test_too_few_too_many_and_what_nobody_knows_are_mistakes(capsys, sample, compacted, env, what):
    path = ("--settings", env("a"))
    given = {"one thing": (compacted, "--as-sent"), "five files": (sample, *5 * path)}.get(
        what, (sample, "--as-sent", *path)
    )
    code, out, err = run(capsys, "compare", *given)
    assert (code, out) == (2, "")
    assert err.count("historylab: ") == 1
