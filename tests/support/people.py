"""People who talk to one app through recorders at the same time, in chats that begin alike and are answered alike."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

from recorded_chats import MOMENTS, lines_in

from historylab import Settings, Trimmer
from historylab.conversation.exchange import Exchange
from historylab.recordings.exchange import line_time
from historylab.recordings.owners import Owners
from historylab.recordings.recorder import Recorder

GREETINGS = ("Hi", "Hello?")
TOLD = ("credential", "user", "session", "words", "nothing")
"""What tells the people of a trial apart; "words": how they begin."""


@dataclass
class Person:
    """One person in one chat."""

    name: str
    told: str
    greeting: str
    rng: Random
    said: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)  # their ids

    def next_body(self) -> tuple[dict[str, Any], bool]:
        """The next request, and whether it fails: a question, a retry, an edit, or the answer asked for again."""
        step, asked = self.rng.random(), [k for k, item in enumerate(self.said) if item["role"] == "user"]
        may_regenerate = len(asked) > 1 or self.told == "session"
        if self.said and self.said[-1]["role"] == "user":
            pass  # it failed: once more
        elif step < 0.12 and len(asked) > 1:
            del self.said[asked[-1] :]
            self.said.append({"role": "user", "content": f"{self.name}, edited {self.rng.random()}"})
        elif step < 0.2 and self.said and may_regenerate:
            while self.said[-1]["role"] == "assistant":
                self.said.pop()
        else:
            turn = len(asked)
            mine = f"{self.name} {turn} {self.rng.random()}"
            self.said.append({"role": "user", "content": self.greeting if turn == 0 else mine})
        body = {"model": "gpt-5.5", "messages": [{"role": "system", "content": "Be brief."}, *self.said]}
        body |= {"user": self.name} if self.told == "user" else {}
        body |= {"metadata": {"session_id": self.name}} if self.told == "session" else {}
        return json.loads(json.dumps(body)), self.rng.random() < 0.1

    def take(self, answer: dict[str, Any]) -> None:
        """Keep the answer, and write the arguments of its calls anew."""
        again = json.loads(json.dumps(answer))
        for call in again.get("tool_calls", ()):
            given = json.loads(call["function"]["arguments"])
            call["function"]["arguments"] = json.dumps(given, separators=(",", ":"))
        self.said.append(again)
        results = ({"role": "tool", "tool_call_id": call["id"], "content": "1"} for call in again.get("tool_calls", ()))
        self.said += results

    @property
    def credentials(self) -> list[str]:
        return [f"Bearer {self.name if self.told == 'credential' else 'one for all'}"]


def _answer(messages: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """The same answer to the same question."""
    if number % 4 == 1:
        function = {"name": "find", "arguments": json.dumps({"query": "v", "most": number})}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    return {"role": "assistant", "content": f"answer {number} to {len(messages)}"}


@dataclass
class Outcome:
    """What became of the chats of a trial."""

    mixed: int = 0  # conversations with requests of several people
    unsaid: int = 0  # of them, those no line of which says that they may be
    chats: int = 0
    torn: int = 0  # chats whose requests are in several conversations


def interleave(store: Any, seed: int, told: str, *, requests: int = 24) -> Outcome:
    """Several people ask in turns through two workers, which are begun anew at times."""
    rng, owners = Random(f"{seed} {told}"), Owners(b"of the trial")
    greeting = rng.choice(GREETINGS)
    people = []
    for k in range(rng.randint(2, 4)):
        words = f"{greeting} I am {k}" if told == "words" else greeting
        people.append(Person(f"p{k}", told, words, Random(f"{seed} {k}")))
    workers = [_worker(store), _worker(store)]
    for _ in range(requests):
        if rng.random() < 0.05:
            at = rng.randrange(2)
            workers[at][0].close()
            workers[at] = _worker(store)
        person = rng.choice(people)
        recorder, trimmer = workers[0] if rng.random() < 0.7 else workers[1]
        body, fails = person.next_body()
        fails = fails and len(person.requests) > 0  # a first request that fails begins no chat
        answer = None if fails else _answer(body["messages"], len(body["messages"]))
        response = {"choices": [{"message": answer}]} if answer else {}
        now = next(MOMENTS)
        exchange = Exchange(
            api="chat_completions",
            app="desk",
            body=body,
            owner=owners.owner_of(person.credentials, (), body),
            started=line_time(now),
            ended=line_time(now + 0.5),
            response=response,
            status=200 if answer else 500,
            chat=trimmer.decide(body).chat,
        )
        assert recorder.record(exchange, 30)
        person.requests.append(exchange.id)
        if answer:
            person.take(answer)
    for recorder, _ in workers:
        recorder.close()
    return _judge(lines_in(store), people)


def _worker(store: Any) -> tuple[Recorder, Trimmer]:
    settings = Settings(policy="all", counter="chars/4")
    return Recorder(store, keep_days=None), Trimmer(settings, format="chat_completions")


def _judge(lines: list[dict[str, Any]], people: list[Person]) -> Outcome:
    of = {line["id"]: line["conversation"] for line in lines}
    whose = {id: person.name for person in people for id in person.requests}
    said = {line["conversation"] for line in lines if line.get("ambiguous")}
    mixed = {name for name in of.values() if len({whose[id] for id, held in of.items() if held == name}) > 1}
    chats = [person for person in people if person.requests]
    torn = [person for person in chats if len({of[id] for id in person.requests}) > 1]
    return Outcome(len(mixed), len(mixed - said), len(chats), len(torn))
