"""The `historylab` command and its subcommands, one file each.

A subcommand is a module with two functions, listed in `main.COMMANDS`:

* `add_to(commands)` adds the subcommand's parser to what `add_subparsers()` returned (`base.add_parser` sets `run`),
* `run(arguments)` does the work with the parsed arguments and returns the exit code: 0 for success. It raises a
  HistoryLabError for anything the user can fix; `main` prints it and exits with 1, or with 2 for wrong usage.

Only `run` imports numpy, pandas or rich, so that --help and --version answer at once.
"""
