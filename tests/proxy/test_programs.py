"""Where a program's requests go, and what it is told so that they go to a proxy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from historylab.errors import SettingsError
from historylab.proxy.programs import ANTHROPIC, GOOGLE, OPENAI, Target, program_of, targets_of, tell

HERE = {OPENAI: "http://127.0.0.1:1", ANTHROPIC: "http://127.0.0.1:2", GOOGLE: "http://127.0.0.1:3"}


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(file: Path, said: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(said if isinstance(said, str) else json.dumps(said))


def targets(home: Path, command: str, given: str | None = None, **environment: str) -> dict[str, str]:
    found = targets_of(program_of(command), {"HOME": str(home), **environment}, given)
    return {provider.name: target.url for provider, target in found.items()}


def told(home: Path, command: str, **environment: str) -> tuple[list[str], dict[str, str]]:
    arguments, variables = tell(program_of(command), HERE, {"HOME": str(home), **environment})
    return list(arguments), variables


def test_any_program_is_told_by_the_variables_of_every_provider(home):
    arguments, variables = told(home, "./my-agent", OPENAI_API_KEY="k")
    assert arguments == [] and variables == {
        "HOME": str(home),
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "OPENAI_API_BASE": "http://127.0.0.1:1/v1",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:2",
        "ANTHROPIC_API_BASE": "http://127.0.0.1:2",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:3",
        "GEMINI_API_BASE": "http://127.0.0.1:3/v1beta",
    }


def test_requests_go_where_the_environment_says_else_to_the_provider(home):
    found = targets(home, "my-agent", ANTHROPIC_BASE_URL="http://gateway:4000")
    assert found == {
        "openai": "https://api.openai.com/v1",
        "anthropic": "http://gateway:4000",
        "google": "https://generativelanguage.googleapis.com",
    }
    assert set(targets(home, "my-agent", "http://given", OPENAI_BASE_URL="http://named/v1").values()) == {
        "http://given"
    }


def test_a_base_url_without_a_version_is_taken_as_its_clients_take_it(home):
    found = targets_of(program_of("x"), {"HOME": str(home), "OPENAI_BASE_URL": "https://gateway/models"}, None)
    assert found[OPENAI] == Target("https://gateway/models", exact=True)
    bare = targets_of(program_of("x"), {"HOME": str(home), "OPENAI_BASE_URL": "http://127.0.0.1:8900"}, None)
    assert bare[OPENAI] == Target("http://127.0.0.1:8900")


def test_a_proxy_of_the_network_is_not_asked_for_this_machine(home):
    assert "NO_PROXY" not in told(home, "x")[1]
    variables = told(home, "x", HTTPS_PROXY="http://proxy:3128", NO_PROXY="intern")[1]
    assert (variables["NO_PROXY"], variables["no_proxy"]) == ("intern,127.0.0.1", "127.0.0.1")


def test_claude_code_is_told_by_anthropics_variable_alone(home):
    assert list(targets(home, "/opt/bin/claude")) == ["anthropic"] == list(targets(home, "C:\\npm\\claude.cmd"))
    assert "OPENAI_BASE_URL" not in told(home, "claude")[1]


def test_claude_code_is_refused_where_other_settings_come_first(home):
    with pytest.raises(SettingsError, match="CLAUDE_CODE_USE_BEDROCK is set in the environment"):
        targets(home, "claude", CLAUDE_CODE_USE_BEDROCK="1")
    write(home / ".claude" / "settings.json", {"env": {"ANTHROPIC_BASE_URL": "http://gateway"}})
    with pytest.raises(SettingsError, match=r"settings\.json sets ANTHROPIC_BASE_URL"):
        targets(home, "claude")


def test_codex_is_told_by_an_option(home):
    arguments, _ = told(home, "codex")
    assert arguments == ["-c", 'openai_base_url="http://127.0.0.1:1/v1"']
    assert targets(home, "codex") == {"openai": "https://api.openai.com/v1"}


def test_a_chatgpt_login_of_codex_goes_to_chatgpt_and_nowhere_else(home):
    write(home / ".codex" / "auth.json", {"OPENAI_API_KEY": None, "tokens": {"access_token": "t"}})
    assert targets(home, "codex", OPENAI_BASE_URL="http://gateway/v1") == {
        "openai": "https://chatgpt.com/backend-api/codex"
    }
    assert "features.enable_request_compression=false" in told(home, "codex")[0]
    assert targets(home, "codex", CODEX_API_KEY="k") == {"openai": "https://api.openai.com/v1"}


def test_codex_keeps_the_base_url_of_its_config(home):
    write(home / ".codex" / "config.toml", 'openai_base_url = "https://gateway/v1"')
    assert targets(home, "codex", OPENAI_BASE_URL="http://other/v1") == {"openai": "https://gateway/v1"}


@pytest.mark.parametrize(
    ("config", "why"), [('model_provider = "azure"', "azure"), ('cli_auth_credentials_store = "keyring"', "keyring")]
)
def test_codex_is_refused_where_its_requests_cannot_pass(home, config, why):
    write(home / ".codex" / "config.toml", config)
    with pytest.raises(SettingsError, match=why):
        targets(home, "codex")


def test_opencode_is_told_by_its_config_which_keeps_what_it_says_already(home):
    config = {"model": "m", "provider": {"openai": {"options": {"apiKey": "k"}}}}
    said = json.loads(told(home, "opencode", OPENCODE_CONFIG_CONTENT=json.dumps(config))[1]["OPENCODE_CONFIG_CONTENT"])
    assert said["model"] == "m"
    assert said["provider"] == {
        "openai": {"options": {"apiKey": "k", "baseURL": "http://127.0.0.1:1/v1"}},
        "anthropic": {"options": {"baseURL": "http://127.0.0.1:2/v1"}},
        "google": {"options": {"baseURL": "http://127.0.0.1:3/v1beta"}},
    }
    with pytest.raises(SettingsError, match="no JSON object"):
        told(home, "opencode", OPENCODE_CONFIG_CONTENT="{")


def test_gemini_cli_passes_with_a_key_and_is_refused_with_a_login(home):
    with pytest.raises(SettingsError, match="none is chosen"):
        targets(home, "gemini")
    write(home / ".gemini" / "settings.json", {"security": {"auth": {"selectedType": "oauth-personal"}}})
    with pytest.raises(SettingsError, match="oauth-personal"):
        targets(home, "gemini")
    write(home / ".gemini" / "settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
    assert targets(home, "gemini") == {"google": "https://generativelanguage.googleapis.com"}
