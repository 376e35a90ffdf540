"""`historylab export`: settings as a file for another tool, complete and validated."""

from __future__ import annotations

import argparse

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
        write_text(arguments.out, text)
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
