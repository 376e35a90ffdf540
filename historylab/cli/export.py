"""`historylab export`: settings as a file for another tool, complete and validated."""

from __future__ import annotations

import argparse
import re
from pathlib import PurePath
from shlex import quote

from historylab.cli.base import (
    Subparsers,
    add_parser,
    add_settings,
    print_file,
    print_json,
    print_note,
    settings_from,
    write_text,
)

TARGETS = (
    "dotenv (the default), shell, docker_compose, configmap (Kubernetes), json, agentdock; or as code: python, "
    "langchain, langchain_agents, langgraph, openai_agents, pydantic_ai, litellm, anthropic_sdk; or a provider's own "
    "context management: anthropic_api, openai_api"
)


def add_to(commands: Subparsers) -> None:
    parser = add_parser(commands, "export", "Write settings as a .env file, shell commands, JSON, …", run)
    parser.add_argument("--target", default="dotenv", metavar="NAME", help=TARGETS)
    parser.add_argument("--only-changed", action="store_true", help="leave out what is at its default")
    parser.add_argument("--out", metavar="FILE", help="write to this file instead of the screen")
    add_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print or write the export."""
    from historylab.exporters.base import differences, export

    settings = settings_from(arguments)
    text = export(settings, arguments.target, only_changed=arguments.only_changed)
    told = differences(settings, arguments.target)
    for difference in told:
        print_note(str(difference))
    if arguments.out:
        write_text(arguments.out, _by_its_name(text, arguments.target, arguments.out))
    elif arguments.json:
        not_carried = [{"settings": d.settings, "instead": d.instead} for d in told]
        found = {
            "target": arguments.target,
            "text": text,
            "settings": settings.model_dump(),
            "not_carried": not_carried,
        }
        print_json(found)
    else:
        print_file(text)
    return 0


def _by_its_name(text: str, target: str, path: str) -> str:
    """The text with the file called as it is written, in the sentence that says how to use it."""
    from historylab.exporters.base import USE
    from historylab.registry import member

    attributes = member("exporter", target).attributes
    use, usual = attributes.get("use", USE), attributes["file_name"]
    given = quote("".join(c if c.isprintable() else "�" for c in path))
    here = given if "/" in path else f"./{given}"  # without a folder a shell's `.` looks along its PATH
    named = use.replace(f"./{usual}", here).replace(usual, given)
    if usual.endswith(".py") and (module := PurePath(path).stem).isidentifier():  # as it is imported
        named = re.sub(rf"\b{PurePath(usual).stem}\b", module, named)
    return text.replace(use, named, 1)
