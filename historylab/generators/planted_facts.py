"""The planning of a festival: facts said once, look-alikes beside them, and later the questions that need the facts.

`metadata["evidence"]` names per question the message that asks it (`at`) and the one that answers it, so that retention
says which facts a setting would have lost. `answer` is the value itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.generators.base import Dice, Script, Seed, Turns, Words, lengthen
from historylab.registry import register

Facts = Annotated[
    int, Field(ge=1, le=24, title="Facts", description="Facts asked for later; at most one in four turns.")
]


@dataclass(frozen=True)
class Kind:
    """A kind of fact. Of its eight subjects half may be asked about; the others are look-alikes."""

    statement: str
    question: str
    answer: str
    subjects: tuple[str, ...]
    value: Callable[[Dice], str]


PLACES = ("boat shed", "generator container", "cash office", "drinks tent", "first-aid cabin", "tool trailer",
          "ticket booth", "pump house")  # fmt: skip
CREWS = ("sound engineer", "water rescue", "electrician", "stage manager", "lighting crew", "night watch",
         "fire warden", "site nurse")  # fmt: skip
ACTS = ("brass band", "stilt walk", "shadow theatre", "ferry choir", "fire juggler", "accordion trio",
        "silent disco", "poetry slam")  # fmt: skip
STALLS = ("dumpling stall", "oyster cart", "waffle van", "pottery table", "cider press", "book barrow",
          "soup kitchen", "candle maker")  # fmt: skip
PEOPLE = ("Femke", "Idris", "Solveig", "Mateusz", "Anouk", "Ravi", "Bettina", "Chidi")
FOODS = ("celery", "mustard", "sesame", "lupin", "cashews", "shellfish", "rye", "aubergine")
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"

KINDS = (
    Kind(
        "the code of the {subject} is {value} since this morning",
        "what is the code of the {subject}?",
        "The {subject} opens with {value}.",
        PLACES,
        lambda dice: str(dice.between(2100, 9899)),
    ),
    Kind(
        "if anything happens that concerns the {subject}, the number to ring is {value}",
        "which number do I ring for the {subject}?",
        "For the {subject} it is {value}.",
        CREWS,
        lambda dice: f"0471 55 {dice.between(1000, 9999)}",
    ),
    Kind(
        "the {subject} signed; the booking has the reference {value}",
        "what was the booking reference of the {subject}?",
        "The {subject} is booked under {value}.",
        ACTS,
        lambda dice: f"LF-{dice.pick(LETTERS)}{dice.between(100, 999)}{dice.pick(LETTERS)}",
    ),
    Kind(
        "we settled on €{value} with the {subject}, travel included",
        "how much did we settle on with the {subject}?",
        "You settled on €{value} with the {subject}.",
        ACTS,
        lambda dice: f"{dice.between(1, 8)},{dice.between(10, 99)}5",
    ),
    Kind(
        "the {subject} gets pitch {value} and no other, I promised it",
        "which pitch did I promise the {subject}?",
        "You promised the {subject} pitch {value}.",
        STALLS,
        lambda dice: f"{dice.pick(LETTERS)}-{dice.between(11, 98)}",
    ),
    Kind(
        "the {subject} may drive in at {value}, not a minute earlier",
        "from what time may the {subject} drive in?",
        "The {subject} may drive in from {value}.",
        STALLS,
        lambda dice: f"{dice.between(5, 11):02d}:{dice.between(11, 58)}",
    ),
    Kind(
        "{subject} can't eat {value}, not even a trace of it",
        "what was it that {subject} can't eat?",
        "{subject} can't eat {value}.",
        PEOPLE,
        lambda dice: dice.pick(FOODS),
    ),
)
ASIDES = (
    "Sorry for the jumble, I'm writing this on the ferry.",
    "It took three calls to get that settled.",
    "{person} wanted it differently, but I put my foot down.",
    "No need to pass it on yet.",
    "The {place} is a separate matter, we'll come to that.",
    "I have it from {person}, who never gets these things wrong.",
    "And before I forget: the {stall} asked for more bunting, of all things.",
)
NOTED = (
    "Noted, thank you.",
    "Good to know; I've added it to the plan.",
    "All right, that's settled then.",
    "Understood. I'll keep it in mind and won't spread it.",
    "Got it. That makes things easier for {person}.",
)
TALK = (
    ("Should the {act} play before or after sunset?", "After it: the {act} lives from the lanterns."),
    ("{person} finds the {place} shabby. Do we paint it?", "A coat of white will do; {person} can keep the brushes."),
    ("How many volunteers does the {stall} need?", "Two for the {stall}, and a third on the Saturday."),
    ("What if it rains while the {act} is on?", "Then the {act} moves into the marquee, and the {stall} closes early."),
    ("Is the {crew} content with the plan of the site?", "The {crew} asked for a wider lane behind the {place}."),
    ("Can you draft a thank-you note for {person}?", "“Dear {person}, without you the {place} would still be empty.”"),
    ("Someone left the {place} open again.", "I'll put a reminder on the door and ask {person} to look twice a day."),
    ("Where would you put the {stall}?", "Near the {place}, but far enough from the {act} to hear oneself think."),
    ("The {act} wants to bring friends. Do we mind?", "As long as the {crew} knows who they are, I see no harm in it."),
    ("Does {person} know how to reach us on the day?", "By radio, like the {crew}; I'll see that {person} gets one."),
)
PADDING = (
    "The volunteers meet at the jetty, as last year, and everybody gets soup before the gates open.",
    "I would leave some slack in the evening, because the lanterns always take longer than one thinks.",
    "The council wants to see the plan of the site once more, without the changes marked.",
    "If you like I can turn this into a list for the morning briefing.",
    "Nothing else on the list depends on it, so there is time to sleep on it.",
    "The weather service expects wind from the lake, hardly any rain.",
    "Last year the same question came up far too late, so it is good that you ask.",
    "I have put it under open points and will come back to it when the crews have answered.",
    "The neighbours across the bay were told, and nobody has complained so far.",
    "We can decide that on the spot; the crews are used to it.",
    "It costs nothing but a little goodwill.",
    "The lanterns themselves arrive on the last evening before we open.",
    "I would not promise it to anyone yet.",
    "Should that change, I'll tell you first thing in the morning.",
)
FURTHER = (
    "{person} could look after that together with the {crew}.",
    "The {stall} and the {act} would both be glad of an early answer.",
    "Between the {place} and the jetty the path is narrow, so nothing should be left standing there.",
    "If the {crew} objects, the {act} can swap with the people after them.",
    "I'd ask {person} first, who knew the {stall} long before we did.",
)


@dataclass(frozen=True)
class Fact:
    """A fact about one subject, with a value that no other fact has."""

    kind: Kind
    subject: str
    value: str

    def fill(self, template: str) -> str:
        """The template with subject and value."""
        return template.format(subject=self.subject, value=self.value)


@register("generator", title="Planted facts")
def planted_facts(*, turns: Turns = 60, facts: Facts = 8, words: Words = 45, seed: Seed = 0) -> Conversation:
    """Facts said once among look-alikes; later questions need them, and retention says which were lost by then."""
    dice = Dice(seed)
    asked, alike = _facts(dice, min(facts, max(1, turns // 4)) if turns > 1 else 0)
    planted = dict(zip(dice.several(range(turns // 2), 2 * len(asked)), asked + alike, strict=False))
    later = dice.several(range(turns - max(1, turns // 3), turns - 1), len(asked) - 1)
    needed = dict(zip([turns - 1, *later], asked, strict=False))
    script = Script(
        "You are the planning assistant of the Lanternfest, three days of music and food by a lake. The organiser "
        "tells you things once; keep them, because they will be needed. Never guess a code, a number or a price."
    )
    told: dict[Fact, int] = {}
    evidence: list[dict[str, Any]] = []
    for turn in range(turns):
        last = turn == turns - 1
        if fact := needed.get(turn):
            answer = _ask(script, fact, "One last thing: " if last else "By the way, ")
            evidence.append(_gold(script, fact, told[fact]))
        elif fact := planted.get(turn):
            answer = _look_up(script, dice, fact) if dice.below(4) == 0 else _tell(script, dice, fact)
            told[fact] = len(script.messages) - 1
        else:
            answer = _talk(script, dice)
        if not last:
            script.assistant(lengthen(dice, words, answer, PADDING, lambda: dice.pick(FURTHER).format(**_names(dice))))
    return Conversation(script.messages, f"planted facts, {turns} turns, seed {seed}", {"evidence": evidence})


def _facts(dice: Dice, count: int) -> tuple[list[Fact], list[Fact]]:
    """So many facts that will be asked for, of all kinds in turn, and as many look-alikes of the same kinds."""
    subjects = {kind: dice.several(kind.subjects, len(kind.subjects)) for kind in dice.several(KINDS, len(KINDS))}
    values: set[str] = set()
    found = []
    for kind in [*subjects] * (count // len(KINDS) + 1):
        for _ in range(2):
            while (value := kind.value(dice)) in values:
                pass
            values.add(value)
            found.append(Fact(kind, subjects[kind].pop(), value))
    return found[: 2 * count : 2], found[1 : 2 * count : 2]


def _tell(script: Script, dice: Dice, fact: Fact) -> str:
    before, after = (aside.format(**_names(dice)) for aside in dice.several(ASIDES, 2))
    script.user(f"{before} {_sentence(fact.fill(fact.kind.statement))} {after}")
    return dice.pick(NOTED).format(**_names(dice))


def _look_up(script: Script, dice: Dice, fact: Fact) -> str:
    """The fact stands in a note that the assistant reads and does not repeat."""
    person, number = dice.pick(PEOPLE), len(script.messages)
    script.user(f"Is {person}'s note there, number {number}? Keep it in mind, I don't need it read out.")
    aside = dice.pick(ASIDES).format(**_names(dice))
    note = f"Note {number}, by {person}\n\n{aside}\n{_sentence(fact.fill(fact.kind.statement))}"
    script.call("", ("read_note", {"number": number}, note))
    return f"Yes, {person}'s note is there, and I have read all of it."


def _ask(script: Script, fact: Fact, opening: str) -> str:
    script.user(opening + fact.fill(fact.kind.question))
    return fact.fill(fact.kind.answer)


def _gold(script: Script, fact: Fact, told: int) -> dict[str, Any]:
    """The evidence for the question that was just asked."""
    return {
        "question": fact.fill(fact.kind.question),
        "answer": fact.value,
        "at": len(script.messages) - 1,
        "messages": [told],
    }


def _talk(script: Script, dice: Dice) -> str:
    question, answer = dice.pick(TALK)
    names = _names(dice)
    script.user(question.format(**names))
    return answer.format(**names)


def _names(dice: Dice) -> dict[str, str]:
    kinds = {"place": PLACES, "crew": CREWS, "act": ACTS, "stall": STALLS, "person": PEOPLE}
    return {kind: dice.pick(names) for kind, names in kinds.items()}


def _sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
