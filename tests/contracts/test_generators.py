"""The contract of generators, for any options."""

from __future__ import annotations

import subprocess
import sys

import pytest

from historylab import registry
from historylab.generators.base import generate
from historylab.registry import members

every_generator = pytest.mark.parametrize("generator", members("generator").values(), ids=list(members("generator")))


@every_generator
@pytest.mark.parametrize("turns", [1, 2, 3, 30])
def test_it_has_its_turns_whole_calls_a_system_prompt_and_a_next_request(generator, turns):
    conversation = generate(generator.name, turns=turns, seed=7)
    assert len(conversation.turns) == turns
    assert conversation.columns.clean
    assert (conversation[0].role, conversation[-1].role) == ("system", "user")


def test_the_same_seed_makes_the_same_conversations_in_another_process():
    names = list(members("generator"))
    script = f"from historylab.generators.base import generate; print(*(generate(n, seed=3).digest for n in {names}))"
    command = [sys.executable, "-c", script]
    elsewhere = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "1"})
    assert elsewhere.stdout.split() == [generate(name, seed=3).digest for name in names]


@every_generator
def test_another_seed_makes_another_conversation(generator):
    assert len({generate(generator.name, seed=seed).digest for seed in range(5)}) == 5


def test_generators_come_in_the_order_of_their_files_whichever_was_asked_for_first(monkeypatch):
    files = [generator.target.__module__ for generator in members("generator").values()]
    monkeypatch.setitem(registry._members, "generator", dict(reversed(members("generator").items())))
    registry._import_folder.cache_clear()
    assert [generator.target.__module__ for generator in members("generator").values()] == sorted(files)


def test_an_option_means_the_same_wherever_it_is():
    meanings: dict[str, set[str]] = {}
    for generator in members("generator").values():
        assert {"turns", "seed"} < {option.name for option in generator.options}
        for option in generator.options:
            meanings.setdefault(option.name, set()).add(f"{option.schema['title']}: {option.help}")
    assert {name for name, said in meanings.items() if len(said) > 1} == set()


@every_generator
def test_every_option_has_help_a_bound_and_does_something(generator):
    for option in generator.options:
        assert option.help
        assert {"minimum", "maximum"} <= option.schema.keys()
        other = option.schema["minimum"] if option.default != option.schema["minimum"] else option.default + 1
        assert generate(generator.name, **{option.name: str(other)}) != generate(generator.name), option.name


@every_generator
def test_early_facts_are_asked_for_again_at_the_end(generator):
    assert generate(generator.name, turns=10).messages[-1].content.startswith("One ")
