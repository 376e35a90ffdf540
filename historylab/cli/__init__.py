"""Subcommands, one file each: `add_to(commands)` adds the parser, `run(arguments)` gives the exit code."""
