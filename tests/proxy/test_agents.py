"""The agents and libraries that are on this machine, thirty turns of tools each through the proxy, a strict API behind.

The newest releases, and more turns: `benchmarks/agents.py`, which installs them.
"""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, version

import pytest

from benchmarks.agents import AGENTS, LIBRARY, Client, measured
from benchmarks.clients.harness import Judged, judge, watched
from benchmarks.clients.libraries import LIBRARIES, RULE

pytestmark = pytest.mark.slow

TURNS = 30


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library(name, tmp_path):
    packages, talk = LIBRARIES[name]
    for package in packages.split():
        try:
            print(package, version(package.partition("[")[0]))
        except PackageNotFoundError:
            pytest.skip(f"{package} is not installed")
    settings = LIBRARY.replace(counter="chars/4")
    with watched(settings, tmp_path / "recording") as (url, seen):
        talk(url, TURNS)
    judged = judge(seen, settings, tmp_path / "recording", RULE.partition(":")[0])
    assert judged == Judged(requests=TURNS + 1, trimmed=judged.trimmed) and judged.trimmed > 9


@pytest.mark.parametrize("client", AGENTS, ids=lambda client: client.name)
def test_an_agent(client: Client):
    if not shutil.which(client.commands[0][0]):
        pytest.skip(f"{client.name} is not on the PATH")
    judged = measured(client, TURNS)
    assert judged.is_whole and judged.requests > TURNS and judged.trimmed, judged
