"""An agent at one long task: it moves museum catalogues, page by page, with large results, errors and retries.

Cursors, record numbers and batches of earlier results are used in later calls, so that retention has references to
look for. A failed result has `metadata["is_error"]`; the next round makes the same call again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.generators.base import Calls, Dice, FailedResult, Lines, Script, Seed, Turns, check_size
from historylab.registry import register

Rounds = Annotated[
    int, Field(ge=1, le=1000, title="Rounds", description="How often the agent calls tools before it answers a task.")
]
Use = tuple[str, dict[str, Any], str]
"""A tool call's name, arguments and result."""

HOUSES = ("Tollhouse", "Ropewalk", "Saltern", "Lacework", "Millrace", "Signal Box", "Herring Loft")
OBJECTS = ("brass sextant", "lace pillow", "salt rake", "net needle", "tin lantern", "clay pipe", "toll ledger",
           "oak block", "glass float", "copper kettle", "signal flag", "rope gauge")  # fmt: skip
MAKERS = ("unknown maker", "Aldous & Sons", "M. Teague", "Widow Harker", "the Quay Foundry", "J. Lindholm")
PLACES = ("loft, shelf {n}", "store B, drawer {n}", "showcase {n}", "on loan, crate {n}")
WITNESSES = ("the caretaker", "a school class", "Ms. Okonjo", "an insurer", "two volunteers", "the fire brigade")
FLAWS = ("no date", "two makers", "a photograph of another object", "a price in shillings", "an empty place")
ERRORS = (
    "429 Too Many Requests: retry after {n} seconds",
    "504 Gateway Timeout: no answer from the catalogue within 30 seconds",
    "connection reset while reading {n} kB",
    "409 Conflict: the page is being written by another session",
)
RETRIES = (
    "That failed for a passing reason; once more.",
    "An error of the server, not of the call. I'll repeat it.",
    "",
)
TASKS = (
    "Now the same for the {house}, please. Same rules.",
    "Go on with the {house}. If a record has {flaw}, leave it as it is.",
    "Next is the {house}; its catalogue is the oldest, so look at every page.",
    "The {house} complained that {flaw} came up again. Go through its catalogue once more.",
)
DONE = (
    "The {house} is through. Pages read: {pages}; records written: {written}; calls repeated after an error: {failed}. "
    "Most of what I left out has {flaw}.",
    "Finished with the {house}, {pages} of its pages. Records written: {written}. I repeated {failed} failed calls; "
    "records with {flaw} are listed in the log.",
)


@dataclass(frozen=True)
class CuratorRules:
    """The rules that the curator states at the start and may ask for later."""

    batch: str
    skipped: str
    limit: int
    contact: str

    def asked_again(self, dice: Dice) -> tuple[str, str]:
        """A question about an early rule, and its answer."""
        return dice.pick(
            (
                ("With which name do all batches begin?", f"With `{self.batch}`."),
                ("Which record did I say you must leave out?", f"{self.skipped}; I have not written it."),
                ("How many records may one batch have at most?", f"{self.limit}."),
                ("Whom did I want to be told about loans?", f"{self.contact}."),
            )
        )


class Catalogue:
    """The catalogue of one house, read page by page: where the agent is, and what it still has to do."""

    def __init__(self, dice: Dice, rules: CuratorRules, lines: int, house: str):
        self.dice, self.rules, self.lines, self.house = dice, rules, lines, house
        self.cursor = ""
        self.records: dict[str, str] = {}  # of this page, by number
        self.unread: list[str] = []
        self.ready: list[str] = []
        self.pages = self.written = self.failed = 0

    def step(self, calls: int) -> tuple[str, list[Use]]:
        """The agent's next words, and the calls it makes: a page, some of its records, a check, a batch."""
        if self.unread:
            several = self.dice.between(1, calls)
            looks, self.unread = self.unread[:several], self.unread[several:]
            return "", [self.read(number) for number in looks]
        if self.ready and self.dice.below(3) == 0:
            return "", [self.check()]
        if self.ready:
            return "These are complete.", [self.write()]
        return f"Page {self.pages + 1} of the {self.house}.", [self.page(calls)]

    def page(self, calls: int) -> Use:
        """A page of records, a line each, and the cursor of the next."""
        dice, arguments = self.dice, {"house": self.house, **({"cursor": self.cursor} if self.cursor else {})}
        prefix = f"{self.house[0]}{self.house[-1]}".upper()
        numbers = [f"{prefix}-{dice.between(1000, 9999)}-{dice.between(10, 99)}" for _ in range(self.lines)]
        self.records = {number: f"{dice.pick(OBJECTS)}, {dice.pick(MAKERS)}" for number in numbers}
        self.unread = dice.several(numbers, dice.between(2, 2 * calls))
        self.cursor = f"cur_{dice.below(16**8):08x}"
        self.pages += 1
        rows = [f"{number} | {record} | {self.place()}" for number, record in self.records.items()]
        return "list_records", arguments, "\n".join([*rows, f"next: {self.cursor}"])

    def read(self, number: str) -> Use:
        """A record with its history, a line for every time somebody saw it."""
        dice = self.dice
        self.ready.append(number)
        years = sorted(dice.between(1893, 2022) for _ in range(self.lines))
        history = [f"  {year}: {self.place()}, seen by {dice.pick(WITNESSES)}" for year in years]
        head = [f"{number}: {self.records[number]}", f"checksum: {dice.below(16**8):08x}", "history:"]
        return "read_record", {"number": number}, "\n".join([*head, *history])

    def check(self) -> Use:
        """A log with a line per record of the page, of which some have a flaw."""
        dice = self.dice
        flaws = ["ok" if dice.below(9) else f"WARN {dice.pick(FLAWS)}" for _ in self.records]
        log = [f"{number} {flaw} ({dice.between(3, 480)} ms)" for number, flaw in zip(self.records, flaws, strict=True)]
        return "check_records", {"house": self.house, "numbers": self.ready[:]}, "\n".join(log)

    def write(self) -> Use:
        """A batch of the records that were read, with its short result."""
        batch = f"{self.rules.batch}-{self.house[:3].lower()}-{self.pages:03d}"
        numbers, self.ready = self.ready, []
        self.written += len(numbers)
        result = json.dumps({"batch": batch, "written": len(numbers), "receipt": f"rcp_{self.dice.below(16**8):08x}"})
        return "write_batch", {"batch": batch, "numbers": numbers}, result

    def place(self) -> str:
        return self.dice.pick(PLACES).format(n=self.dice.between(2, 60))


@register("generator", title="Tool loop")
def tool_loop(
    *, turns: Turns = 3, rounds: Rounds = 40, output_lines: Lines = 60, calls: Calls = 4, seed: Seed = 0
) -> Conversation:
    """An agent at one long task: many rounds of calls, some at once, with large results, errors and retries."""
    check_size(turns * rounds, max(output_lines, 10), f"{turns} turns of {rounds} rounds")
    dice = Dice(seed)
    rules = CuratorRules(
        batch=f"move-{dice.pick(('amber', 'heron', 'sable', 'cobalt', 'fennel'))}",
        skipped=f"{dice.pick(('XK', 'QV', 'ZD'))}-{dice.between(1000, 9999)}-{dice.between(10, 99)}",
        limit=dice.between(16, 48),
        contact=dice.pick(("Ms. Abara", "Dr. Faulhaber", "Mr. Pettersson", "Ms. Iyer")),
    )
    script = Script(
        "You are an agent that moves catalogues of small museums into a common one. Read a page, look at its records, "
        "write batches, and check them. Repeat a call that failed. Work until the task is done, then report."
    )
    for turn in range(turns - 1):
        if turn and dice.below(6) == 0:
            question, answer = rules.asked_again(dice)
            script.user(question)
            script.assistant(answer)
        else:
            _task(script, Catalogue(dice, rules, output_lines, dice.pick(HOUSES)), rounds, calls, first=turn == 0)
    if turns > 1:
        script.user(f"One more question about the rules. {rules.asked_again(dice)[0]}")
    else:
        script.user(_rules(rules, dice.pick(HOUSES)))
    return Conversation(script.messages, f"tool loop, {turns} turns of {rounds} rounds, seed {seed}")


def _rules(rules: CuratorRules, house: str) -> str:
    return (
        f"Please move the catalogue of the {house}. All batches begin with `{rules.batch}` and have at most "
        f"{rules.limit} records. Leave out {rules.skipped}, and tell {rules.contact} about loans. Take your time."
    )


def _task(script: Script, catalogue: Catalogue, rounds: int, calls: int, *, first: bool) -> None:
    """A request, so many rounds of calls, and a report. A call that fails is repeated in the next round."""
    dice = catalogue.dice
    names = {"house": catalogue.house, "flaw": dice.pick(FLAWS)}
    script.user(_rules(catalogue.rules, catalogue.house) if first else dice.pick(TASKS).format(**names))
    again: Use | None = None
    for left in reversed(range(rounds)):
        text, uses = (dice.pick(RETRIES), [again]) if again else catalogue.step(calls)
        again = dice.pick(uses) if left and dice.below(7) == 0 else None
        if again:
            catalogue.failed += 1
            failed = (*again[:2], FailedResult(dice.pick(ERRORS).format(n=dice.between(2, 90))))
            uses = [failed if use is again else use for use in uses]
        script.call(text, *uses)
    done = {**names, "pages": catalogue.pages, "written": catalogue.written, "failed": catalogue.failed}
    script.assistant(dice.pick(DONE).format(**done))
