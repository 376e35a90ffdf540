"""The playground in a container: built and started where Docker answers, elsewhere what its files say is tried here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from server_process import playground

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COPIED = [name for line in re.findall(r"^COPY (?!--)(.+) \S+$", DOCKERFILE, re.M) for name in line.split()]
IGNORED = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]


def command(instruction: str) -> list[str]:
    """Its words; the health check's stands indented."""
    return json.loads(re.search(rf"^{instruction} (\[.*\])$", DOCKERFILE, re.M)[1])


def test_everything_copied_is_there_and_nothing_else_is_sent_to_docker():
    assert [name for name in COPIED if not (ROOT / name).exists()] == []
    sent = [line[1:] for line in IGNORED if line.startswith("!")]
    assert IGNORED[0] == "*"
    assert {name.partition("/")[0] for name in sent} == set(COPIED)


def test_whatever_the_wheel_is_made_of_is_copied():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    parts = [*build["packages"], *build["force-include"]]
    assert [part for part in parts if part.partition("/")[0] not in COPIED] == []


def test_the_image_runs_as_nobody_special_and_answers_this_machine_only():
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.M) == ["historylab"]
    assert 'STREAMLIT_SERVER_ALLOWED_HOSTS="localhost 127.0.0.1 ::1"' in DOCKERFILE
    assert not re.search(r"(?i)secret|token|password|api_key", DOCKERFILE)
    service = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["playground"]
    assert service["build"] == "."
    assert service["ports"] == ["127.0.0.1:8501:8501"]
    assert [volume.rpartition(":")[2] for volume in service["volumes"]] == ["ro"]
    assert service["environment"] == {"HISTORYLAB_OPEN": "${HISTORYLAB_OPEN:-}"}


@pytest.mark.slow
def test_its_command_serves_the_playground_and_its_health_check_knows_whether_it_does():
    assert command("ENTRYPOINT") == ["historylab"]
    host, address, *rest = command("CMD")
    assert (host, rest) == ("--host", ["--headless"])
    allowed = {"STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost 127.0.0.1 ::1", "HISTORYLAB_OPEN": ""}
    with playground(host, address, env=allowed) as url:
        assert healthy(url) == 0
    assert healthy(url) == 1


def healthy(url: str) -> int:
    """What the image's health check ends with, asked at this address."""
    _, option, code = command("  CMD")
    port = url.rstrip("/").rpartition(":")[2]
    return subprocess.run(
        [sys.executable, option, code.replace("8501", port)], check=False, capture_output=True
    ).returncode


@pytest.fixture
def container() -> Iterator[str]:
    """A running container of a fresh image, by its id."""
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        pytest.skip("no Docker daemon answers: the tests above try what the files say, nothing is built")
    subprocess.run([docker, "build", "--quiet", "--tag", "historylab:test", str(ROOT)], check=True)
    run = [docker, "run", "--detach", "--rm", "--read-only", "--tmpfs", "/tmp", "--health-interval", "1s"]
    started = subprocess.run([*run, "historylab:test"], check=True, capture_output=True, text=True).stdout.strip()
    yield started
    subprocess.run([docker, "stop", "--time", "2", started], check=True, capture_output=True)


@pytest.mark.slow
def test_it_is_built_and_becomes_healthy(container):
    asked = ["docker", "inspect", "--format", "{{.State.Health.Status}} {{.Config.User}}", container]
    for _ in range(60):
        said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
        if said[0] != "starting":
            break
        time.sleep(1)
    assert said == ["healthy", "historylab"]
