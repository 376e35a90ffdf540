"""A developer and a coding agent at a billing service: parallel reads, long test logs, rules set at the start."""

from __future__ import annotations

from dataclasses import dataclass

from historylab.conversation.conversation import Conversation
from historylab.generators.base import Calls, Dice, Lines, Script, Seed, Turns, check_size
from historylab.registry import register

AREAS = ("billing", "invoices", "tax", "ledger", "refunds", "coupons", "exports")
NOUNS = ("proration", "rounding", "schedule", "currency", "adjustment", "statement", "balance", "renewal", "grace")
VERBS = ("apply", "split", "collect", "settle", "freeze", "merge", "project", "reconcile")
CASES = ("on_a_leap_day", "when_the_plan_changes_twice", "with_a_zero_total", "across_time_zones", "after_a_refund")
BRANCHES = ("release/2.14", "fix/late-proration", "feat/split-invoices", "chore/drop-py310")
ERRORS = (
    "AssertionError: assert Decimal('14.99') == Decimal('15.00')",
    "KeyError: 'EUR'",
    "TypeError: can't compare offset-naive and offset-aware datetimes",
    "ValueError: period ends before it starts",
)
REQUESTS = (
    "{noun} is wrong {case}; find out why.",
    "Please make `{verb}_{noun}` work {case}.",
    "The nightly run failed in {area} again. Have a look at {path}.",
    "Rename `{verb}_{noun}` so that it says what it does, and run the tests of {area}.",
    "Could {path} be simpler? Don't change what it returns.",
)
CLOSINGS = (
    "`{verb}_{noun}` compared a rounded amount with an exact one. Both are exact now, and the tests of {area} pass.",
    "The cause was in {path}: the period was closed before the {noun} was added. I moved two lines, nothing else.",
    "Done in {path}. I added a test for it, `test_{verb}_{noun}_{case}`, which failed before and passes now.",
    "{path} returns early now; I left the rest as it was, because {area} uses all of it.",
)
CODE = (
    "def {verb}_{noun}(invoice: Invoice, *, on: date) -> Money:",
    '    """The {noun} of an invoice on a day, in the invoice\'s own currency."""',
    "    if not invoice.lines:",
    "        return Money.zero(invoice.currency)",
    "    days = (on - invoice.period.start).days",
    "    share = Decimal(days) / Decimal(invoice.period.days)",
    "    total = sum((line.amount for line in invoice.lines), Money.zero(invoice.currency))",
    "    return (total * share).rounded(to=invoice.currency.minor_unit)",
    "",
    "",
    "class {Noun}{Verb}Error(BillingError):",
    '    """Raised where the {noun} cannot be {verb}d, for instance {words}."""',
    "",
    "",
    "def _{noun}_lines(account: Account) -> Iterator[Line]:",
    "    for subscription in account.subscriptions:",
    "        if subscription.state is not State.ACTIVE:",
    "            continue",
    "        yield from subscription.{noun}.lines(since=account.closed_until)",
    "",
    "",
)


@dataclass(frozen=True)
class Brief:
    """Rules the developer states at the start and may ask for later."""

    branch: str
    ticket: str
    untouchable: str
    failing: str

    def asked_again(self, dice: Dice) -> tuple[str, str]:
        """A question about an early rule, and its answer."""
        return dice.pick(
            (
                ("Which branch did I ask you to work on?", f"`{self.branch}`."),
                ("Which file did I say you must not touch?", f"`{self.untouchable}`; I have not touched it."),
                ("What was the ticket number for the commit message?", f"{self.ticket}."),
                ("Which test was failing when we started?", f"`{self.failing}`."),
            )
        )


class Repository:
    """Invented files of an invented project, deterministic for a seed."""

    def __init__(self, dice: Dice):
        self.dice = dice
        self.code = [line.format(**self.words()) for _ in range(40) for line in CODE]
        self.written = [line for line in self.code if line]
        self.tests = {area: [f"{self.test(area)} PASSED" for _ in range(60)] for area in AREAS}

    def words(self) -> dict[str, str]:
        """A random value for every placeholder in the texts above."""
        area, noun, verb, case = (self.dice.pick(of) for of in (AREAS, NOUNS, VERBS, CASES))
        words = {"area": area, "noun": noun, "verb": verb, "case": case, "words": case.replace("_", " ")}
        return {**words, "Noun": noun.title(), "Verb": verb.title(), "path": f"src/{area}/{noun}.py"}

    def test(self, area: str) -> str:
        """The name of a test."""
        words = {**self.words(), "area": area}
        return "tests/{area}/test_{noun}.py::test_{verb}_{case}".format(**words)

    def read(self, path: str, lines: int) -> tuple[str, dict[str, str], str]:
        """A call of read_file: numbered lines from somewhere in the project's code."""
        text = self._some(self.code, lines)
        return "read_file", {"path": path}, "\n".join(f"{i:5d}  {line}" for i, line in enumerate(text, 1))

    def search(self, word: str, lines: int) -> tuple[str, dict[str, str], str]:
        """A call of search: path, line number and line."""
        path = self.words()["path"]
        hits = [f"{path}:{12 + 7 * i}:{line}" for i, line in enumerate(self._some(self.written, lines))]
        return "search", {"pattern": word}, "\n".join(hits)

    def run(self, area: str, lines: int, failing: str = "") -> tuple[str, dict[str, str], str]:
        """A call of run_tests: one line per test, the failure, and the totals."""
        log = self._some(self.tests[area], lines)
        total = f"{len(log)} passed in {self.dice.between(2, 48)}.{self.dice.below(100):02d}s"
        if failing:
            log += [f"{failing} FAILED", f"E   {self.dice.pick(ERRORS)}"]
            total = "1 failed, " + total
        return "run_tests", {"path": f"tests/{area}"}, "\n".join([*log, f"== {total} =="])

    def edit(self, path: str) -> tuple[str, dict[str, str], str]:
        """A call of edit_file, with its short result."""
        start = self.dice.below(len(self.code) - 4)
        old, new = "\n".join(self.code[start : start + 2]), "\n".join(self.code[start + 2 : start + 4])
        return "edit_file", {"path": path, "old": old, "new": new}, f"1 edit in {path} (+2 −2)"

    def _some(self, pool: list[str], lines: int) -> list[str]:
        start = self.dice.below(len(pool))
        text = pool[start : start + lines]
        while len(text) < lines:
            text += pool[: lines - len(text)]
        return text


@register("generator", title="Coding agent")
def coding_agent(*, turns: Turns = 12, output_lines: Lines = 60, calls: Calls = 3, seed: Seed = 0) -> Conversation:
    """A developer and a coding agent, with parallel calls, long tool outputs and rules set at the start."""
    check_size(turns, output_lines, f"{turns} turns")
    dice = Dice(seed)
    repository = Repository(dice)
    brief = Brief(
        branch=dice.pick(BRANCHES),
        ticket=f"BILL-{dice.between(200, 4999)}",
        untouchable=f"migrations/00{dice.between(10, 99)}_{dice.pick(NOUNS)}.py",
        failing=repository.test(dice.pick(AREAS)),
    )
    script = Script(
        "You are a coding agent in the repository of a billing service. Read before you edit, run the tests after you "
        "edit, keep changes small, and say plainly what you did."
    )
    for turn in range(turns - 1):
        if turn and dice.below(6) == 0:
            _recall(script, dice, brief)
        else:
            _task(script, repository, brief, output_lines, calls, first=turn == 0)
    script.user(f"One question before you commit. {brief.asked_again(dice)[0]}" if turns > 1 else _rules(brief))
    return Conversation(script.messages, f"coding agent, {turns} turns, seed {seed}")


def _rules(brief: Brief) -> str:
    return (
        f"We work on branch {brief.branch}, for ticket {brief.ticket}. Never touch {brief.untouchable}: it has already "
        f"run in production. First of all, {brief.failing} fails; find out why."
    )


def _task(script: Script, repository: Repository, brief: Brief, lines: int, calls: int, *, first: bool) -> None:
    """A request, a look around in parallel, an edit, the tests, and what was done."""
    dice, words = repository.dice, repository.words()
    area = brief.failing.split("/")[1] if first else words["area"]
    failing = brief.failing if first else dice.pick(("", repository.test(area)))
    script.user(_rules(brief) if first else dice.pick(REQUESTS).format(**{**words, "case": words["words"]}))
    looks = [
        repository.read(words["path"], lines),
        repository.search(f"{words['verb']}_{words['noun']}", max(1, lines // 3)),
        *(repository.read(repository.words()["path"], lines) for _ in range(calls - 2)),
    ]
    script.call(f"I'll look at {words['path']} and who uses it.", *looks[: dice.between(1, calls)])
    script.call("", repository.run(area, lines, failing))
    script.call("I see it. A small edit, then the tests again.", repository.edit(words["path"]))
    if failing and dice.below(3) == 0:
        script.call("", repository.run(area, lines, failing))
        script.call("Not quite: the caller needs the same change.", repository.edit(repository.words()["path"]))
    script.call("", repository.run(area, lines))
    script.assistant(dice.pick(CLOSINGS).format(**{**words, "area": area}))


def _recall(script: Script, dice: Dice, brief: Brief) -> None:
    question, answer = brief.asked_again(dice)
    script.user(question)
    script.assistant(answer)
