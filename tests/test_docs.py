"""The documents say what is there: links lead somewhere, examples run, the settings page is current."""

from __future__ import annotations

import logging
import re
import shlex
import shutil
import sys
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from framework_apps import finished
from sketches import conv

from historylab import Settings, export, plan_history, registry, resolve_settings, sweep
from historylab.cli import main
from historylab.cli.pytest_plugin import check_history
from historylab.costs.caches.base import open_cache
from historylab.formats.reference import formats_page
from historylab.planning import reasons
from historylab.planning.strategies.base import Context
from historylab.registry import members
from historylab.settings.reference import settings_page
from historylab.trimmers.reference import trimmers_page, versions_driven
from historylab.tuning import measures
from historylab.tuning.constraints import read_constraints
from historylab.wording.costs import cache_titles

ROOT = Path(__file__).resolve().parents[1]
GUIDES = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md")), *GUIDES]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files_that_are_there(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert missing == []


def headings(page: Path) -> set[str]:
    """The anchors of its headings, as GitHub makes them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_into_a_page_lead_to_a_heading_of_it(page):
    links = re.findall(r"\]\(([^)#\s:]*\.md)?#([^)\s]+)\)", page.read_text())
    assert [f"{to}#{anchor}" for to, anchor in links if anchor not in headings(page.parent / to if to else page)] == []


@pytest.fixture(scope="module")
def there() -> set[str]:
    """Every folder and file by any end of its path ("held.py", "recall/held", "recall"), and every test by its name."""
    found = (f for room in ("historylab", "pages", "tests", "benchmarks") for f in (ROOT / room).rglob("*.*"))
    files = [ROOT / "app.py", *(f for f in found if f.suffix in (".py", ".js", ".css"))]
    paths = {path.relative_to(ROOT).parts for f in files for path in (f, f.with_suffix(""), f.parent)}
    tests = re.findall(r"def (test_\w+)", "\n".join(f.read_text("utf-8") for f in files if f.name.startswith("test_")))
    return {"/".join(path[i:]) for path in paths for i in range(len(path))} | set(tests)


ROOMS = sorted((ROOT / "historylab").rglob("__init__.py"))


@pytest.mark.parametrize("page", [*GUIDES, *ROOMS], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_the_files_and_tests_that_a_page_or_a_room_names_are_there(page, there):
    named = re.findall(r"`([\w./-]+\.(?:py|js|css)|test_\w+|[a-z_]+(?:/[a-z_]+)+)`", page.read_text())
    assert set(named) - there == set()


def test_the_settings_page_is_what_the_definitions_say():
    assert (ROOT / "docs" / "settings.md").read_text() == settings_page(), (
        "write it anew: python -m historylab.settings.reference > docs/settings.md"
    )


def test_the_formats_page_is_what_the_members_say():
    assert (ROOT / "docs" / "formats.md").read_text() == formats_page(), (
        "write it anew: python -m historylab.formats.reference > docs/formats.md"
    )
    assert [name for name in members("format") if f"`{name}`" not in formats_page()] == []


def test_the_trimmers_page_is_what_the_members_say():
    assert (ROOT / "docs" / "trimmers.md").read_text() == trimmers_page(versions_driven(ROOT / "pyproject.toml")), (
        "write it anew: python -m historylab.trimmers.reference > docs/trimmers.md"
    )


def test_the_example_on_the_trimmers_page_prints_what_it_says(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    example, _ = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "trimmers.md").read_text(), re.S)
    exec(example, {})
    said = re.findall(r"^print\(.*\)  # (.*?): ", example, re.M)
    assert capsys.readouterr().out.split() == said


def test_the_readme_names_every_pruner():
    (row,) = re.findall(r"^\| `pruner` \|.*$", (ROOT / "README.md").read_text(), re.M)
    assert [name for name in members("pruner") if f"`{name}`" not in row] == []


class Client:
    """Of any API, asked in a loop or not: it keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[dict] = []
        self.chat = self.completions = self.messages = self

    def create(self, **body) -> Client:
        self.sent.append(body)
        return self

    def __await__(self):
        yield from ()
        return self


def test_the_examples_in_the_readme_run_and_print_what_they_say(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)

    names = {"messages": [{"role": "user", "content": "hello"}], "client": Client()}
    for example in EXAMPLES:
        exec(example, names)
    assert names["messages"] == [{"role": "user", "content": "hello"}]
    said = re.findall(r"^print\(.*\)  # (.*)$", "\n".join(EXAMPLES), re.M)
    printed = capsys.readouterr().out.splitlines()
    assert [comment.startswith(line) for comment, line in zip(said, printed, strict=True)] == [True] * 3


def test_the_examples_on_the_page_about_production_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logging.getLogger("historylab.decisions"), "level", logging.NOTSET)
    client = Client()
    names = {"client": client, "async_client": client, "anthropic_client": client}
    for example in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "production.md").read_text(), re.S):
        exec(example, names)
    said = [{"role": "user", "content": "hello"}]
    names["answer"](said)
    finished(names["answer_in_a_loop"](said))
    assert client.sent[0] == names["body"]
    assert [body["messages"] for body in client.sent[1:]] == [said, said]
    assert (tmp_path / "chats.db").exists()


@pytest.fixture
def project(tmp_path, monkeypatch) -> Iterator[Path]:
    """A folder with the files that docs/check.md speaks of."""
    (tmp_path / "conversations").mkdir()
    for name in ("help-desk-tour.json", "theatre-trials.json"):
        shutil.copy(ROOT / "sample_conversations" / name, tmp_path / "conversations")
    for name in ("history.env", "before.env"):
        (tmp_path / name).write_text("HISTORYLAB_BUDGET=60000\n")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "history.py").write_text("def trim(messages):\n    return messages\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("app", "app.history"):
        sys.modules.pop(name, None)


def test_the_commands_and_the_test_on_the_page_about_checks_run(project, capsys):
    page = (ROOT / "docs" / "check.md").read_text()
    for command in re.findall(r"```sh\nhistorylab (.*)\n```", page):
        assert main.main(shlex.split(command)) == 0
        assert capsys.readouterr().out.startswith("Held: ")
    names: dict = {}
    for example in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(example, names)
    names["test_history"]()
    with warnings.catch_warnings(record=True):
        names["test_history_in_pytest"](check_history)


def test_the_workflow_on_the_page_about_checks_is_one_and_its_check_runs(project):
    page = (ROOT / "docs" / "check.md").read_text()
    steps = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.S)[1])["jobs"]["check"]["steps"]
    by_name = {step.get("name", step.get("uses")): step for step in steps}
    command = by_name["Check"]["run"].replace("$GITHUB_STEP_SUMMARY", "summary.md")
    assert main.main(shlex.split(command)[1:]) == 0
    assert "forgets as much, costs the same" in (project / "summary.md").read_text()
    assert (project / by_name["Keep the report"]["with"]["path"]).read_text().startswith("<?xml")


def example_under(heading: str) -> str:
    """The first Python example under that heading of the guide."""
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    return re.search(r"```python\n(.*?)```", guide.partition(f"\n## {heading}\n")[2], re.S)[1]


def test_the_pruner_in_the_guide_is_one(monkeypatch):
    settings = Settings(pruner="off", budget=1)
    plan = plan_history(conv("s u a u a"), settings)  # imports the stages, whose reasons are ours
    context = Context(plan.history, settings, None, None)
    monkeypatch.setattr(reasons, "_reasons", [*reasons._reasons])  # its reason is none of ours
    code = re.sub(r"^@register\(.*\)\n", "", example_under("Adding a pruner"), flags=re.M)
    names: dict = {}
    exec(code, names)
    assert names["newest_first"](plan, context, keep=2).sketch() == "PDDKK"


def test_the_measure_in_the_guide_is_a_column_of_a_sweep(monkeypatch):
    entry = eval(example_under("Adding a sweep measure"), vars(measures))
    monkeypatch.setattr(measures, "MEASURES", (*measures.MEASURES, entry))
    chats = [conv("s u a u a"), conv("u a(t) a u")]
    table = sweep(chats, [Settings()])
    assert table[entry.name].tolist() == [0, 1]
    assert measures.combine_rows(table.to_dict("records"))[entry.name] == 1


def test_the_cache_model_in_the_guide_is_one(monkeypatch):
    others = {name: member for name, member in registry.members("cache").items() if name != "hourly"}
    monkeypatch.setitem(registry._members, "cache", others)
    exec(example_under("Adding a cache model"), {"__name__": "guide"})
    assert open_cache("hourly").minimum == 2048
    assert cache_titles()["hourly"] == "Hourly cache"
    assert read_constraints("cheapest under hourly caching").cache == "hourly"
    assert "cost_hourly" in sweep([conv("u a u")], [Settings()])


def test_the_exporter_in_the_guide_is_one(monkeypatch):
    others = {name: member for name, member in registry.members("exporter").items() if name != "toml"}
    monkeypatch.setitem(registry._members, "exporter", others)
    exec(example_under("Adding an exporter"), {"__name__": "guide"})
    settings = Settings(model="漢字 😀", pin='"never*" \\', budget=5)
    assert resolve_settings(env={}, template=tomllib.loads(export(settings, "toml"))).settings == settings


@pytest.mark.parametrize("section", re.split(r"^## ", (ROOT / "docs" / "evidence.md").read_text(), flags=re.M)[1:])
def test_a_section_of_evidence_names_the_command_that_prints_it(section):
    commands = re.findall(r"`python (benchmarks/[\w/]+\.py)", section)
    assert commands or "|" not in section
    assert [name for name in commands if not (ROOT / name).is_file()] == []


def test_no_docstring_states_a_measurement_that_nobody_can_repeat():
    """A figure of evidence stays in docs/evidence.md, beside its command; a docstring says the direction."""
    docstring = re.compile(r'\s*"""(.*?)"""', re.S)  # every module opens with one
    measured = re.compile(r"\d+\.?\d* ?%|\d× |\btimes (more|less|as)\b|\w+fold\b|\d to 0?\.\d|faster|slower")
    found = {}
    for path in sorted((ROOT / "historylab").rglob("*.py")):
        about = opening[1] if (opening := docstring.match(path.read_text("utf-8"))) else ""
        if hit := measured.search(about):
            found[path.name] = hit[0]
    assert found == {}
