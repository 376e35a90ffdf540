"""The channel of a local radio station: five people and three agents, who answer where they are mentioned.

Messages carry what toolpack-agents stores: the author's id, name and kind, mentions, scope, and a time. Every agent's
messages have the role assistant; the projection `point_of_view` tells agents apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.generators.base import Dice, Seed, Turns, Words, lengthen
from historylab.registry import register

CHANNEL = "#morning-show"
OPENED = datetime(2026, 3, 2, 7, 40, tzinfo=UTC)
PEOPLE = {"u-nadia": "Nadia", "u-oskar": "Oskar", "u-lwazi": "Lwazi", "u-hanne": "Hanne", "u-priya": "Priya"}
AGENTS = {"rota": "Rota", "archivist": "Archivist", "studio": "Studio"}
HANDLES = {f"@{name.lower()}": author for author, name in {**PEOPLE, **AGENTS}.items()}

TOPICS = (
    "the tram strike",
    "the flood wall",
    "the school canteens",
    "the brass museum",
    "the winter market",
    "the night buses",
    "the beekeepers' court case",
    "the new swimming bath",
    "the bell of St. Anne",
    "the allotment dispute",
)
SLOTS = ("the six o'clock news", "the breakfast call-in", "the quarter-to-nine feature", "the traffic block")
GEAR = ("the blue headset", "line four", "the outside-broadcast van", "the echo in booth B", "the backup mixer")
ASKED = {
    "rota": (
        (
            "who has {slot} tomorrow?",
            "{person} has {slot} tomorrow; {other} is the stand-in.",
            "{person}, unless {gear} is still away. @studio, is it?",
            "{gear} is back, so {person} can have {slot}.",
        ),
        (
            "can you swap me out of {slot}?",
            "Done: {other} takes {slot}, and {person} knows.",
            "Only for somebody who knows {topic}. @archivist, who covered it?",
            "{other} did, for {k} minutes in {slot}.",
        ),
        (
            "who is still free for {topic}?",
            "Only {person}, and not before {slot} is over.",
            "{person}, if the piece goes into {slot}. @studio, is there room for it?",
            "There are {k} minutes left in {slot}.",
        ),
    ),
    "archivist": (
        (
            "when did we last have {topic} on air?",
            "{person} had {topic} in {slot}, {n} days ago, for {k} minutes.",
            "{n} days ago in {slot}; my tape doesn't say by whom. @rota, do you know?",
            "{person} was down for {slot} on that day.",
        ),
        (
            "is there any old tape about {topic}?",
            "Two tapes: {k} minutes by {person}, and a vox pop from {slot}.",
            "One reel that I can't read any more. @studio, could you copy it?",
            "I copied what was left of {topic}: {k} minutes, the rest is noise.",
        ),
        (
            "how many letters came about {topic}?",
            "{n} letters, most of them after {slot}. {person} has them.",
            "They came to whoever had {slot} on that day. @rota, who was it?",
            "It was {person}, and {other} as the stand-in.",
        ),
    ),
    "studio": (
        (
            "is {gear} working again?",
            "{gear} has worked since {person} changed the cable. I measured it {k} times.",
            "Since {slot} I can't reach {gear}. @rota, who had it last?",
            "{person} did, and went off duty after {slot}.",
        ),
        (
            "why was {slot} so quiet?",
            "A limiter was left on before {slot}; the level was {k} decibels too low.",
            "I only see today's levels. @archivist, how does {slot} sound on tape?",
            "{slot} is {k} decibels below the day before.",
        ),
        (
            "can we record {topic} in booth B?",
            "Booth B is free for {n} minutes; {gear} stays outside.",
            "Booth B is free if nobody is down for it. @rota, is anybody?",
            "{other} has booth B until {slot}; after that it is yours.",
        ),
    ),
}
"""Per agent: a question, its answer, or how it is passed on, and what the other agent then says."""

CHAT = (
    "who took the last coffee from the newsroom?",
    "I'll be ten minutes late, the bridge is up again",
    "{person}, your voice was lovely in {slot}, my mother rang to say so",
    "I still think {topic} deserves more than {k} minutes",
    "if anyone finds a green umbrella, it's mine",
    "note to all: {gear} is not a coat hook",
    "not {topic} again, the listeners will think we have nothing else",
    "please, please close the door of booth B",
    "just met the mayor, off the record she hates {topic}",
    "who parked in front of {gear}?",
)
THREAD = (
    "for {topic} I'd start with the sound, not with the minister",
    "two minutes on {topic} are enough, the rest goes online",
    "could you ask {person} about {topic}? they know the family",
    "I cut {topic} down to the voices, have a listen",
)
PADDING = (
    "Tell me if that is wrong, and I'll mend the sheet.",
    "The list on the wall says the same, for once.",
    "I have told nobody else yet.",
    "There is a little more about it in the folder of last week.",
    "It may change after the conference at noon.",
    "That is as much as I can say from here.",
    "Whoever goes on air first should look at it again.",
    "Nothing else hangs on it today.",
    "I'll say so here as soon as I hear anything different.",
)
FURTHER = (
    "On {topic} {person} asked me the same.",
    "For {slot} it makes no difference, {gear} or not.",
    "If {other} would rather have {topic}, that can be changed until the evening.",
    "Mind that {slot} is {k} minutes shorter this week.",
    "I would keep {gear} away from it, as {person} found out.",
)
GUESTS = ("Ottoline Marsh", "Bartosz Wilk", "Efua Quaye", "Signe Lindqvist")
SONGS = ("“Paper Boats”", "“The Long Quay”", "“Rust and Honey”", "“Half Past Rain”")


@dataclass(frozen=True)
class EditorRules:
    """The rules of Nadia, the editor, stated at the start and asked for later."""

    guest: str
    phone: str
    embargo: str
    song: str

    def asked_again(self, dice: Dice) -> tuple[str, str]:
        """A question about an early rule, and its answer."""
        return dice.pick(
            (
                ("who did Nadia say is Friday's guest?", f"{self.guest}."),
                ("which number has the call-in line?", f"{self.phone}, as Nadia wrote."),
                ("until when is the harbour story embargoed?", f"Until {self.embargo}."),
                ("which song must we not play this week?", f"{self.song}, because of the court case."),
            )
        )


class RoomScript:
    """The messages so far, with a clock."""

    def __init__(self, dice: Dice, words: int):
        self.dice, self.words, self.clock = dice, words, OPENED
        self.messages = [
            Message(
                "system",
                f"You are an agent in {CHANNEL}, the channel of a radio station's newsroom. Rota knows who works when, "
                "Archivist what was said and broadcast before, Studio the technology. Answer where you are mentioned.",
            )
        ]

    def say(self, author: str, text: str, scope: str = "channel") -> None:
        """A message of a person or an agent, a while after the last one."""
        agent = author in AGENTS
        self.clock += timedelta(seconds=self.dice.between(4, 40) if agent else self.dice.between(20, 1500))
        self.messages.append(
            Message(
                "assistant" if agent else "user",
                text,
                f"m{len(self.messages):05d}",
                AGENTS.get(author) or PEOPLE[author],
                timestamp=self.clock.isoformat(),
                metadata={
                    "participant": author,
                    "participantKind": "agent" if agent else "user",
                    "mentions": [named for handle, named in HANDLES.items() if handle in text],
                    "scope": scope,
                    "channelName": CHANNEL,
                },
            )
        )

    def answer(self, agent: str, text: str) -> None:
        """An agent's message, of about the length asked for."""
        further = partial(_fill, self.dice, FURTHER)
        self.say(agent, lengthen(self.dice, self.words, text, PADDING, further))

    def ask(self) -> None:
        """A person asks an agent, who answers or passes it on to another."""
        dice, agent, author = self.dice, self.dice.pick([*AGENTS]), self.dice.pick([*PEOPLE])
        names = _names(dice, author)
        question, answer, passed_on, reply = (_sentence(text.format(**names)) for text in dice.pick(ASKED[agent]))
        self.say(author, f"@{agent} {question[:1].lower()}{question[1:]}")
        if dice.below(2):
            self.answer(agent, answer)
        else:
            self.say(agent, passed_on)
            self.answer(next(other for other in AGENTS if f"@{other}" in passed_on), reply)

    def chat(self) -> None:
        """A person says something to nobody in particular, or to a colleague in a thread."""
        one, other = self.dice.several([*PEOPLE], 2)
        if self.dice.below(3):
            self.say(one, _fill(self.dice, CHAT, one))
        else:
            self.say(one, f"@{PEOPLE[other].lower()} {_fill(self.dice, THREAD, one, other)}", "thread")


@register("generator", title="Room with several agents")
def room(*, turns: Turns = 60, words: Words = 25, seed: Seed = 0) -> Conversation:
    """Five people and three agents in one channel, with names, mentions, threads and times: for filters and views."""
    dice = Dice(seed)
    rules = EditorRules(
        guest=dice.pick(GUESTS),
        phone=f"0300 {dice.between(200, 899)} {dice.between(100, 999)}",
        embargo=f"{dice.pick(('Wednesday', 'Thursday', 'Friday'))} at {dice.between(13, 18)}:30",
        song=dice.pick(SONGS),
    )
    made = RoomScript(dice, words)
    for turn in range(turns - 1):
        if turn == 0:
            made.say("u-nadia", _opening(rules))
            made.answer("archivist", "Filed, and I'll remember who said it.")
        elif dice.below(12) == 0:
            question, answer = rules.asked_again(dice)
            made.say(dice.pick([*PEOPLE]), f"@archivist {question}")
            made.answer("archivist", answer)
        elif dice.below(4) == 0:
            made.chat()
        else:
            made.ask()
    question = f"One question before I go on air, @archivist: {rules.asked_again(dice)[0]}"
    made.say(dice.pick([*PEOPLE]) if turns > 1 else "u-nadia", question if turns > 1 else _opening(rules))
    return Conversation(made.messages, f"room, {turns} turns, seed {seed}")


def _opening(rules: EditorRules) -> str:
    return (
        f"good morning all. @archivist keep this, please: Friday's guest is {rules.guest}, the number of the "
        f"call-in line is {rules.phone}, the harbour story is embargoed until {rules.embargo}, and {rules.song} is "
        "not to be played"
    )


def _names(dice: Dice, *present: str) -> dict[str, str]:
    """A random value for every placeholder in the texts above; people other than those present."""
    person, other = dice.several([name for author, name in PEOPLE.items() if author not in present], 2)
    words = {"topic": dice.pick(TOPICS), "slot": dice.pick(SLOTS), "gear": dice.pick(GEAR)}
    return {**words, "person": person, "other": other, "n": str(dice.between(13, 88)), "k": str(dice.between(3, 12))}


def _fill(dice: Dice, templates: Sequence[str], *present: str) -> str:
    return dice.pick(templates).format(**_names(dice, *present))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
