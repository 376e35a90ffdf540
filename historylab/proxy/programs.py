"""Programs in front of which a proxy is put: where their requests go, and how each is told to send them elsewhere.

| program | what it reads | where that is said |
|---|---|---|
| `claude` | `ANTHROPIC_BASE_URL`; the `env` of its settings files comes first | code.claude.com/docs/en/llm-gateway |
| `codex` | `openai_base_url` of its config, no variable | openai/codex: `codex-rs/model-provider-info/src/lib.rs` |
| `opencode` | `provider.NAME.options.baseURL` of its config | opencode.ai/docs/providers |
| `gemini` | `GOOGLE_GEMINI_BASE_URL`, with a key alone | google-gemini/gemini-cli: `contentGenerator.ts` |
| `aider` | LiteLLM's `OPENAI_API_BASE`, `ANTHROPIC_API_BASE`, `GEMINI_API_BASE` | docs.litellm.ai/docs/providers |
| any other | all those variables: they are those of the providers' own clients and of LiteLLM | |
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from historylab.errors import SettingsError

Variables: TypeAlias = Mapping[str, str]
"""The variables of an environment, by name."""


@dataclass(frozen=True)
class Provider:
    """An API's own `url`, and the variables that name a base URL for it, each with what follows the address there."""

    name: str
    url: str
    variables: tuple[tuple[str, str], ...]

    def named_in(self, environment: Variables) -> str:
        """The base URL that the environment names; "" for none."""
        return next((url for name, _ in self.variables if (url := environment.get(name, "").strip())), "")


OPENAI = Provider("openai", "https://api.openai.com/v1", (("OPENAI_BASE_URL", "/v1"), ("OPENAI_API_BASE", "/v1")))
ANTHROPIC = Provider("anthropic", "https://api.anthropic.com", (("ANTHROPIC_BASE_URL", ""), ("ANTHROPIC_API_BASE", "")))
GOOGLE = Provider(
    "google",
    "https://generativelanguage.googleapis.com",
    (("GOOGLE_GEMINI_BASE_URL", ""), ("GEMINI_API_BASE", "/v1beta")),
)
Addresses: TypeAlias = Mapping[Provider, str]
"""The address of the proxy for each provider."""


@dataclass(frozen=True)
class Program:
    """A program's way to be told of proxies: by variables, its own `arguments`, or `more` variables of its own.

    `upstream`: where its own files send its requests, "" if they don't say; `refusal`: why they can't pass a proxy.
    """

    providers: tuple[Provider, ...] = (OPENAI, ANTHROPIC, GOOGLE)
    arguments: Callable[[Addresses, Variables], Sequence[str]] = lambda _addresses, _environment: ()
    more: Callable[[Addresses, Variables], Variables] = lambda _addresses, _environment: {}
    upstream: Callable[[Variables], str] = lambda _environment: ""
    refusal: Callable[[Variables], str] = lambda _environment: ""


@dataclass(frozen=True)
class Target:
    """The target of requests; `exact` where the version of the API is not to be added to the URL."""

    url: str
    exact: bool = False


def program_of(command: str) -> Program:
    """The program that a command starts, by its file's name; one that nothing is known of is told by all variables."""
    return PROGRAMS.get(PureWindowsPath(command).stem.lower(), Program())


def targets_of(program: Program, environment: Variables, given: str | None) -> dict[Provider, Target]:
    """Targets of the requests to each provider: as `given`, as the program or the environment says, or to itself.

    Raises SettingsError where they can't pass a proxy.
    """
    if refusal := program.refusal(environment):
        raise SettingsError(refusal)
    return {provider: _target(provider, program, environment, given) for provider in program.providers}


def _target(provider: Provider, program: Program, environment: Variables, given: str | None) -> Target:
    if given:
        return Target(given)
    url = program.upstream(environment) or provider.named_in(environment) or provider.url
    return Target(url, exact=provider is OPENAI and urlsplit(url).path not in ("", "/"))


def tell(program: Program, addresses: Addresses, environment: Variables) -> tuple[Sequence[str], dict[str, str]]:
    """The arguments to put before a program's own, and its environment, so that its requests go to the proxies."""
    named = {name: addresses[p] + rest for p in program.providers for name, rest in p.variables}
    told = {**environment, **named, **program.more(addresses, environment)}
    if any(environment.get(name) for name in PROXY_VARIABLES):
        told |= {name: _with_loopback(environment.get(name, "")) for name in ("NO_PROXY", "no_proxy")}
    return program.arguments(addresses, environment), told


PROXY_VARIABLES = tuple(f(f"{kind}_proxy") for kind in ("http", "https", "all") for f in (str.lower, str.upper))
"""Variables that send a program's requests through a proxy of the network, ours too, unless told otherwise."""


def _with_loopback(hosts: str) -> str:
    listed = [host.strip() for host in hosts.split(",") if host.strip()]
    return ",".join(listed if "127.0.0.1" in listed or "*" in listed else [*listed, "127.0.0.1"])


def _json(file: Path) -> Mapping[str, Any]:
    """A program's file; empty if it isn't there or is no JSON object."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _folder(environment: Variables, variable: str, name: str) -> Path:
    """The folder in which a program keeps its files."""
    return Path(environment.get(variable) or Path(environment.get("HOME") or Path.home()) / name)


def _claude_settings(environment: Variables) -> Iterator[Path]:
    yield _folder(environment, "CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    yield from (Path(".claude", name) for name in ("settings.json", "settings.local.json"))


def _claude_refusal(environment: Variables) -> str:
    """Claude Code asks other clouds by other variables, and prefers what its settings files set."""
    for place, variables in (("the environment", environment), *_claude_variables(environment)):
        cloud = next((name for name in CLAUDE_CLOUDS if variables.get(name) not in (None, "", "0", "false")), "")
        if cloud:
            return f"{cloud} is set in {place}, and then Claude Code asks no base URL: its requests can't pass"
        if variables is not environment and "ANTHROPIC_BASE_URL" in variables:
            return f"{place} sets ANTHROPIC_BASE_URL, which Claude Code puts first: move it to the environment"
    return ""


def _claude_variables(environment: Variables) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for file in _claude_settings(environment):
        yield str(file), _object(_json(file).get("env"))


CLAUDE_CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
CHATGPT = "https://chatgpt.com/backend-api/codex"
"""The address to which Codex sends requests under a ChatGPT login; its token is for no other server."""


def _codex_config(environment: Variables) -> Mapping[str, Any]:
    try:
        return tomllib.loads((_folder(environment, "CODEX_HOME", ".codex") / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _has_chatgpt_login(environment: Variables) -> bool:
    login = _json(_folder(environment, "CODEX_HOME", ".codex") / "auth.json")
    return bool(login.get("tokens")) and not login.get("OPENAI_API_KEY") and not environment.get("CODEX_API_KEY")


def _codex_upstream(environment: Variables) -> str:
    named = _codex_config(environment).get("openai_base_url")
    return named if isinstance(named, str) and named else CHATGPT if _has_chatgpt_login(environment) else ""


def _codex_arguments(addresses: Addresses, environment: Variables) -> Sequence[str]:
    """Under a ChatGPT login Codex compresses its requests, and a compressed one can be neither read nor trimmed."""
    plain = ("-c", "features.enable_request_compression=false") if _has_chatgpt_login(environment) else ()
    return ("-c", f'openai_base_url="{addresses[OPENAI]}/v1"', *plain)


def _codex_refusal(environment: Variables) -> str:
    config = _codex_config(environment)
    provider = config.get("model_provider", "openai")
    if provider != "openai":
        return f"Codex' config.toml names the model provider {provider!r:.60}, whose requests can't pass: choose openai"
    kept = config.get("cli_auth_credentials_store") in ("keyring", "auto")
    there = (_folder(environment, "CODEX_HOME", ".codex") / "auth.json").exists()
    if kept and not there and not environment.get("CODEX_API_KEY"):
        return "Codex keeps its login in a keyring, so where it is valid can't be told: set CODEX_API_KEY"
    return ""


def _opencode_more(addresses: Addresses, environment: Variables) -> Variables:
    """Its config as the environment has it, with other base URLs, all of which name the version."""
    try:
        config = _object(json.loads(environment.get(OPENCODE_CONFIG) or "{}"))
    except ValueError:
        raise SettingsError(f"{OPENCODE_CONFIG} is no JSON object") from None
    providers = {**_object(config.get("provider"))}
    for provider, address in addresses.items():
        own = _object(providers.get(provider.name))
        url = address + ("/v1beta" if provider is GOOGLE else "/v1")
        providers[provider.name] = {**own, "options": {**_object(own.get("options")), "baseURL": url}}
    return {OPENCODE_CONFIG: json.dumps({**config, "provider": providers})}


OPENCODE_CONFIG = "OPENCODE_CONFIG_CONTENT"


def _gemini_refusal(environment: Variables) -> str:
    """Gemini CLI has a base URL under one auth type alone; its login asks a server that has other paths."""
    file = _folder(environment, "GEMINI_CLI_HOME", "") / ".gemini" / "settings.json"
    chosen = _object(_object(_json(file).get("security")).get("auth")).get("selectedType")
    if chosen == "gemini-api-key":
        return ""
    found = f"it is {chosen!r:.60}" if chosen else "none is chosen"
    return f"Gemini CLI's requests pass with a key alone: choose “Use Gemini API Key” under /auth ({found} in {file})"


PROGRAMS: Mapping[str, Program] = {
    "claude": Program((ANTHROPIC,), refusal=_claude_refusal),
    "codex": Program((OPENAI,), _codex_arguments, upstream=_codex_upstream, refusal=_codex_refusal),
    "opencode": Program(more=_opencode_more),
    "gemini": Program((GOOGLE,), refusal=_gemini_refusal),
}
