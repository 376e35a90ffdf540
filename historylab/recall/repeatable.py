"""Calls that can be repeated: made again they would tell the same, as far as the call shows.

So would all but those that visibly change something, by the name of the tool, the command, or a statement of SQL, and
those whose answer is another one each time. To read, to list, to run tests or a build tells again. The lists may be
added to.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from historylab.conversation.message import ToolCall
from historylab.summarizers.values import argument_values

ABOUT = frozenset({"details", "diff", "history", "info", "list", "log", "status"})
READING = ABOUT.union(
    ("read", "get", "ls", "search", "grep", "rg", "glob", "find", "view", "cat", "head", "tail", "show", "fetch"),
    ("look", "lookup", "retrieve", "describe", "query"),
)
"""First words of the names of tools that only read, and of commands; with ABOUT also last ones: order_status."""
NOUNS_TOO = frozenset({"book", "comment", "copy", "issue", "mark", "order", "post", "set", "update", "upload"})
CHANGING = NOUNS_TOO.union(
    ("add", "append", "apply", "assign", "buy", "cancel", "change", "charge", "clear", "close", "commit"),
    ("create", "delete", "deploy", "drop", "edit", "enroll", "exchange", "insert", "install", "kill", "make", "merge"),
    ("migrate", "modify", "move", "pay", "publish", "push", "put", "refund", "register", "remove", "rename"),
    ("replace", "reserve", "reset", "return", "save", "schedule", "send", "sign", "spawn", "submit", "transfer"),
    ("undo", "upgrade", "write"),
)
"""Words in the names of tools that change something: get_or_create; get_order only reads, as it begins with get."""
PASSING = frozenset({"clock", "date", "generate", "now", "price", "quote", "random", "roll", "time", "uuid", "weather"})
"""Words in the names of tools that say something else each time."""
EDITING = frozenset({"edit", "insert", "patch", "replace", "write"})
"""Words in the names of tools that edit a file."""
PROGRAMS = READING.union(("awk", "cd", "du", "echo", "file", "nl", "open", "pwd", "stat", "tree", "wc"))
"""Programs whose next words are what they read, and no command of theirs."""
CHANGING_PROGRAMS = frozenset[str]().union(
    ("chmod", "chown", "cp", "dd", "ln", "mkdir", "mv", "patch", "pkill", "rm", "rmdir", "rsync", "scp", "tee"),
    ("touch", "truncate", "unzip", "wget"),
)
GIT_CHANGING = frozenset[str]().union(
    ("am", "checkout", "cherry-pick", "clean", "clone", "init", "mv", "pull", "rebase", "restore", "revert", "rm"),
    ("stash", "switch", "tag", "worktree"),
)
GIT_KEEPS = frozenset({"add", "commit", "push", "tag"})
"""Subcommands of git that change something without touching the files."""
PASSING_PROGRAMS = frozenset({"date", "mktemp", "shuf", "uptime", "uuidgen"})
LOOKING_PROGRAMS = PROGRAMS.union(("column", "cut", "diff", "jq", "less", "sed", "sort", "tr", "uniq", "which"))
"""Programs that show what is there, as long as nothing in the command changes it."""
BEFORE_PROGRAMS = frozenset({"command", "env", "exec", "nohup", "sudo", "then", "do", "else", "xargs"})
WRITING_OPTIONS = {
    "find": {"-delete"},
    "sed": {"-i", "--in-place"},
    "curl": {"-d", "--data", "--data-raw", "--json", "-F", "-T", "POST", "PUT", "PATCH", "DELETE"},
}
RUNS = frozenset({"-exec", "-execdir", "-ok"})
"""Options of find that are followed by a command."""
LONGEST = 2_000  # characters of a command that are looked at
JOINS = re.compile(r"[|&;()]+")
QUIET = re.compile(r"\d?>>? ?/dev/null|\d?>&\d")
HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1(.*?)\n.*?(?:\n\s*\2\b|\Z)", re.DOTALL)
SQL = re.compile(
    r"\b(?:insert\s+into|update\s+\w+\s+set|delete\s+from|(?:create|drop|alter)\s+(?:table|index|view))\b", re.I
)
FILE = re.compile(r'"(?:file_?|notebook_?)?(?:path|name)"\s*:')
CHANCE = re.compile(r"\"run_in_background\": ?true|\$RANDOM|/dev/u?random|\buuid4?\(|\brandom\.|\brand\b|Math\.random")
WORDS = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*")
NAMESPACE = re.compile(r"__|[./:]")


@lru_cache(maxsize=4096)
def can_be_repeated(name: str, arguments: str) -> bool:
    """Tell whether that call, made again, would tell the same: it changes nothing, and its answer is no passing one."""
    if changes_something(name, arguments) or CHANCE.search(arguments):
        return False
    command = _command(name, arguments)
    if command is not None:
        return not any(PASSING_PROGRAMS.intersection(_program(words)[:1]) for words in _parts(command))
    words = _words(name)
    return PASSING.isdisjoint(words) or words[0] in READING


@lru_cache(maxsize=4096)
def changes_something(name: str, arguments: str) -> bool:
    """Tell whether the call shows that it changes something: by its command if it has one, else by the tool's name."""
    if SQL.search(arguments):
        return True
    command = _command(name, arguments)
    if command is not None:
        return not command.strip() or any(map(_changes, _parts(command)))
    words = _words(name)
    reads = bool(words) and (words[0] in READING or words[-1] in ABOUT)
    return not (CHANGING - NOUNS_TOO if reads else CHANGING).isdisjoint(words)


@lru_cache(maxsize=4096)
def only_reads(name: str, arguments: str) -> bool:
    """Tell whether the call does nothing but read or list: to run tests or a build is more than that."""
    if changes_something(name, arguments) or CHANCE.search(arguments):
        return False
    command = _command(name, arguments)
    if command is not None:
        return all(map(_looks, _parts(command)))
    words = _words(name)
    return bool(words) and (words[0] in READING or words[-1] in ABOUT)


def _looks(part: Sequence[str]) -> bool:
    """Tell whether a part of a shell command shows something: "cat a", "git log", "gh issue view 7"."""
    words = _program(part)
    program, said = (words[0].rpartition("/")[2], words[1:]) if words else ("cd", words)
    spoken = list(_after_options(said))[:2]
    return program in LOOKING_PROGRAMS or not READING.isdisjoint(spoken)


@lru_cache(maxsize=4096)
def may_change_files(name: str, arguments: str) -> bool:
    """Tell whether the call changes something that files show: not one that commits them, or only reads."""
    command = _command(name, arguments)
    if command is None or not command.strip():
        return changes_something(name, arguments)
    return any(_changes(part) and not _keeps_files(part) for part in _parts(command))


def _keeps_files(part: Sequence[str]) -> bool:
    words = _program(part)
    return words[:1] == ["git"] and next(iter(_after_options(words[1:])), "") in GIT_KEEPS


def edits_file(name: str, arguments: str) -> bool:
    """Tell whether a tool edits a file: what it shows of that can be read there again, though not by the same call."""
    return not EDITING.isdisjoint(_words(name)) and FILE.search(arguments) is not None


def _changes(part: Sequence[str]) -> bool:
    """Tell whether a part of a shell command changes something: "rm a", "bd create x", "git -C a push", "cat a > b"."""
    if any(word.startswith(">") or word in ("<>", ">|") for word in part):
        return True
    words = _program(part)
    if not words:
        return False
    program, options = words[0].rpartition("/")[2], words[1:]
    if program in CHANGING_PROGRAMS or not WRITING_OPTIONS.get(program, set()).isdisjoint(options):
        return True
    if program in PROGRAMS:
        runs = [place for place, word in enumerate(options) if program == "find" and word in RUNS]
        return any(_changes(options[place + 1 :]) for place in runs)
    if program == "git":
        return next(iter(_after_options(options)), "") in GIT_CHANGING | CHANGING
    spoken = [NAMESPACE.split(word)[-1] for word in takewhile(lambda word: not word.startswith("-"), options[:3])]
    own = () if program == "make" else _words(program)
    return not CHANGING.isdisjoint((*own, *spoken)) and READING.isdisjoint(spoken[:2])


def _after_options(words: Sequence[str]) -> Iterator[str]:
    """The words after git's own options, of which -C and -c take a value."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in ("-C", "-c"):
            yield word
        before = word


def _program(part: Sequence[str]) -> list[str]:
    """The words of a part from the program on, without what stands before it: "FOO=1 sudo cat a"."""
    words = [word for word in part if word not in ("$", "<", "<<<", "{", "}", "!")]
    while words and (words[0] in BEFORE_PROGRAMS or re.match(r"\w+=", words[0])):
        del words[0]
    if words[:1] == ["timeout"]:
        del words[:2]
    return words


def _parts(command: str) -> Iterator[list[str]]:
    """The words of each part of a shell command; what it feeds a program as text is no part."""
    text = HERE.sub(r"\3\n", QUIET.sub(" ", command))[:LONGEST].replace("`", ";").replace("\n", " ; ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quotation that doesn't end
        words = JOINS.sub(" ; ", text).split()
    part: list[str] = []
    for word in [*words, ";"]:
        if not JOINS.fullmatch(word):
            part.append(word)
        elif part:
            yield part
            part = []


def _command(name: str, arguments: str) -> str | None:
    """The command that a shell or an editor is given under `command` or `cmd`, as text or as a list of words."""
    if "command" not in arguments and "cmd" not in arguments:
        return None
    given = argument_values(ToolCall("", name, arguments))
    words = [value for path, value in given if path.partition(".")[0] in ("command", "cmd")]
    if len(words) < 2:
        return words[0] if words else None
    return words[-1] if words[-2] in ("-c", "-lc") else shlex.join(words)


def _words(name: str) -> list[str]:
    """The words of a tool's name, without what it belongs to: "mcp__files__readFile" is read, file."""
    return [word.lower() for word in WORDS.findall(NAMESPACE.split(name)[-1])]
