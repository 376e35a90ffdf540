"""Requests and answers as logs and batches wrap them, unwrapped into one object: the body, with the answer beside it.

    {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": […]}}    a batch's input
    {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": […]}}}                    and its output
    {"custom_id": "a", "params": {"messages": […]}}   {"custom_id": "a", "result": {"message": {…}}}  Anthropic's
    {"request": {"messages": […]}, "response": {"choices": […]}}                                      a log's row
    {"choices": […]}                                                                                  an answer alone

All of them become `{"messages": […], …, "response": {…}}`; what an answer alone was asked is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message
from historylab.conversation.recorded import PARAMETERS, PROVIDER, TOOLS
from historylab.conversation.usage import MODEL
from historylab.formats.apis.streams import Stream
from historylab.formats.base import NOTHING, Report
from historylab.formats.files.content import Content
from historylab.formats.messages.bodies import join_bodies
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.flat_messages import CONVERSATION_IDS
from historylab.formats.messages.kept_records import with_fields
from historylab.formats.messages.observed import conversations_in
from historylab.formats.messages.provider_cuts import with_provider_cuts
from historylab.formats.messages.record_groups import Grouping, RecordGroup
from historylab.formats.messages.secrets_beside import without_secrets
from historylab.formats.messages.usage import to_usage

REQUESTS, RESPONSES = ("request", "body", "params"), ("response", "result")
ANSWER = "response"
WRAPPING = {"method", "url", "status_code", "request_id"}  # of a batch's lines, besides `custom_id`
TIMES = ("timestamp", "created_at", "created", "createTime", "time")
USAGES = ("usage", "usageMetadata", "usage_metadata")
NO_ANSWER = "a logged response left out, as it is no answer of this API"
TITLES = ("title", "name", "custom_id")

OF_A_REQUEST = frozenset(
    (
        *("temperature", "top_p", "top_k", "seed", "n", "stop", "stop_sequences", "presence_penalty"),
        *("frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "prediction", "modalities"),
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_tool_calls", "truncation"),
        *("reasoning", "reasoning_effort", "verbosity", "thinking", "think", "output_config", "response_format"),
        *("tool_choice", "parallel_tool_calls", "function_call", "toolConfig", "tool_config", "mcp_servers"),
        *("stream", "stream_options", "background", "include", "service_tier", "betas", "web_search_options"),
        *("prompt_cache_key", "prompt_cache_retention", "cachedContent", "cached_content", "context_management"),
        *("safetySettings", "safety_settings", "keep_alive", "format"),
    )
)
"""Fields of a body that say how the model was asked."""


@dataclass(frozen=True)
class Api:
    """A provider's API, as far as its requests and answers differ from another's.

    `holder`: the key under which a body has its messages. `read` makes messages of their records; `prompts` are the
    fields beside these that hold more of them, which `prompt` gives. `choices` gives the messages of an answer, once
    per choice, `answer_item` its first item as an app repeats it (None without one); `of_answer`: fields of an answer
    that are read. `body` rewrites an unwrapped object before it is read. `own`: fields beside the records that stay as
    they are, unreported. `left_out`: fields that are named and not kept; `missing`: what a field says is missing.
    """

    holder: str
    is_answer: Callable[[dict[str, Any]], bool]
    read: Callable[[list[tuple[str, Any]], Report], list[Message]]
    choices: Callable[[dict[str, Any], str, Report], list[list[Message]]]
    of_answer: Set[str]
    answer_item: Callable[[Mapping[str, Any]], Any] = lambda answer: None
    is_record: Callable[[Any], bool] = lambda value: isinstance(value, dict) and "role" in value
    prompts: tuple[str, ...] = ("system",)
    prompt: Callable[[Any], Any] = lambda given: (
        isinstance(given, str | list) and [{"role": "system", "content": given}]
    )
    provider: str = ""
    stream: Stream | None = None
    body: Callable[[dict[str, Any]], dict[str, Any]] = lambda value: value
    own: Set[str] = frozenset(("title", "name"))
    left_out: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def grouping(self) -> Grouping:
        """Finds the messages of its bodies in a file, and those that stand alone."""
        return Grouping((self.holder,), self.is_record)

    def values(self, values: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The values of a file with bodies and answers unwrapped and streams joined, at the top and in lists."""
        values = self.stream.join_streamed(values) if self.stream else values
        return [(at, list(map(self._one, v)) if isinstance(v, list) else self._one(v)) for at, v in values]

    def recognise(
        self, content: Content, claim: Callable[[list[Any], list[dict[str, Any]]], float], answered: float = 0.9
    ) -> float:
        """Rate how surely a file is of this API: by an answer in it, or as its records and the objects in it claim."""
        values = self.values(content.values)
        objects = objects_in(values)
        if any(ANSWER in value and self._is_answered(value) for value in objects):
            return answered
        records = self.sample(values)
        return claim(records, objects) if records else 0

    def sample(self, values: list[tuple[str, Any]]) -> list[Any]:
        """The first records among the unwrapped values; none where most of what stands there is something else."""
        found = self.grouping.sample(values)
        records = [record for record in found if self.is_record(record)]
        return records if len(records) * 2 >= len(found) else []

    def reads(self, items: list[Any]) -> bool:
        """Whether all of these are messages: no bodies, no answers or pieces of one, of no conversation by name."""
        return all(
            self.grouping.is_record(item)
            and self._one(item) == item
            and not (self.stream and self.stream.answer_of(item) is not None)
            and item.keys().isdisjoint(CONVERSATION_IDS)
            for item in items
        )

    def read_list(self, items: list[Any], report: Report, where: str) -> list[Message]:
        """The messages of a list of nothing else, such as logs have."""
        records = [(f"{where}[{i}]", item) for i, item in enumerate(items)]
        return pair_by_order(self.read(records, report))

    def read_answer(self, answer: dict[str, Any], where: str, report: Report) -> list[list[Message]]:
        """The messages of an answer, once per choice, the first with the fields that aren't read."""
        left = report.leave(answer, self.of_answer, where)
        return [with_fields(messages, left) for messages in self.choices(answer, where, report)]

    def conversations(self, values: list[tuple[str, Any]], report: Report) -> Iterator[Conversation]:
        """Every list of messages as a conversation; those that go on from each other are put together as a log."""
        return without_secrets(self._conversations(values, report), report)

    def _conversations(self, values: list[tuple[str, Any]], report: Report) -> Iterator[Conversation]:
        requests, bodies = list[Exchange](), list[Exchange]()
        for group in self.grouping.groups(self.values(values), report):
            if self._is_answered(group.beside):
                requests += self._requests(group)
            else:
                bodies.append(self._body_alone(group, report.apart()))
        alone, joined = join_bodies(bodies, report)
        for body in alone:
            report.add(body.report, "")
            yield with_provider_cuts(Conversation(pair_by_order(list(body.messages)), body.title, body.about))
        yield from joined
        yield from conversations_in(requests, report)

    def _body_alone(self, group: RecordGroup, report: Report) -> Exchange:
        """A list of messages without an answer."""
        messages, about = self._messages(group, report), self._about(group, report)
        return Exchange(
            messages,
            conversation=_name_in(group.beside),
            about=about,
            started=_time(group.beside),
            title=_title(group.beside),
            where=group.where,
            report=report,
        )

    def _messages(self, group: RecordGroup, report: Report) -> list[Message]:
        """The messages of a body: a prompt that stands beside the others comes first."""
        first: list[tuple[str, Any]] = []
        for name in self.prompts:
            if (given := group.beside.get(name)) and (said := self.prompt(given)):
                del group.beside[name]
                first += [(f"{group.where} {name}".strip(), each) for each in said]
        for name in filter(group.beside.get, self.missing):
            report.warn(self.missing[name], group.where)
        return self.read([*first, *group.records], report)

    def _one(self, value: Any) -> Any:
        return self.body(_unwrap(value, self.holder, self.is_answer)) if isinstance(value, dict) else value

    def _is_answered(self, holder: Mapping[str, Any]) -> bool:
        return isinstance(answer := holder.get(ANSWER), dict) and self.is_answer(answer)

    def _requests(self, group: RecordGroup) -> Iterator[Exchange]:
        """The request of a logged answer; one more for every other choice there was, before it."""
        answer = group.beside[ANSWER]
        report = Report()
        messages, about = self._messages(group, report), self._about(group, report)
        choices = self.read_answer(answer, f"{group.where} {ANSWER}".strip(), report) or [[]]
        model = answer.get(MODEL, answer.get("modelVersion", answer.get("model_version", about.get(MODEL))))
        for choice in (*choices[1:], choices[0]):
            first = choice is choices[0]
            yield Exchange(
                messages,
                choice,
                conversation=_name_in(group.beside),
                usage=_usage(answer) if first else None,
                about=about | ({MODEL: model} if isinstance(model, str) else {}),
                started=_time(group.beside),
                ended=_time(answer),
                title=_title(group.beside),
                where=group.where,
                report=report if first else None,
            )

    def _about(self, group: RecordGroup, report: Report) -> dict[str, Any]:
        """The fields beside the messages, as metadata: how the model was asked becomes `parameters`."""
        about: dict[str, Any] = {}
        asked: dict[str, Any] = {}
        for name, value in group.beside.items():
            if name in self.own or name in CONVERSATION_IDS:
                about[name] = value
            elif name in self.left_out or name == ANSWER:
                if name != ANSWER or not self._is_answered(group.beside):
                    report.warn(self.left_out.get(name, NO_ANSWER), group.where)
            else:
                report.keep(name, group.where)
                (asked if name in OF_A_REQUEST else about)[name] = value
        for config in ("generationConfig", "generation_config", "options"):
            if isinstance(held := about.get(config), Mapping) and self.provider:
                asked |= held
                del about[config]
        if asked:
            given = about.get(PARAMETERS)
            about[PARAMETERS] = {**(given if isinstance(given, Mapping) else {}), **asked}
        if TOOLS not in about and isinstance(about.get("functions"), list):
            about[TOOLS] = about.pop("functions")
        if self.provider:
            about.setdefault(PROVIDER, self.provider)
        return about


def objects_in(values: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The objects at the top of a file, or in a list there."""
    items = (item for _, value in values for item in (value if isinstance(value, list) else [value]))
    return [item for item in items if isinstance(item, dict)]


def _title(holder: Mapping[str, Any]) -> str:
    return next((title for key in TITLES if isinstance(title := holder.get(key), str) and title), "")


def _usage(answer: dict[str, Any]) -> dict[str, int] | None:
    return to_usage(next((answer[name] for name in USAGES if isinstance(answer.get(name), dict)), answer))


def _time(given: Mapping[str, Any]) -> str | None:
    return next((time for name in TIMES if name in given and (time := iso_time(given[name]))), None)


def _name_in(holder: Mapping[str, Any]) -> str:
    """The name of the conversation, session or thread that a body is of; empty without one."""
    return next((str(holder[name]) for name in CONVERSATION_IDS if _is_name(holder.get(name))), "")


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and value not in NOTHING


def _unwrap(row: dict[str, Any], holder: str, is_answer: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    if is_answer(row):
        return {holder: row.get(holder) or [], ANSWER: row}
    if "role" in row:  # a message, as most objects are
        return row
    asked, body = (None, row) if holder in row else _body_in(row, holder)
    answers = ((key, _answer_in(row.get(key), is_answer)) for key in RESPONSES)
    key, answer = next(((key, found) for key, found in answers if found), (None, None))
    if answer is None and (body is None or body is row):
        return row
    wrapping = {key} if body is row else {key, asked, *WRAPPING, "id" if "custom_id" in row else key}
    beside = {name: value for name, value in row.items() if name not in wrapping and (name, value) != ("error", None)}
    return {**beside, holder: [], **(body or {})} | ({ANSWER: answer} if answer else {})


def _body_in(row: dict[str, Any], holder: str) -> tuple[str | None, dict[str, Any] | None]:
    for key in REQUESTS:
        found = unpack_json(row.get(key))
        inner = unpack_json(found.get("body")) if isinstance(found, dict) and holder not in found else found
        if isinstance(inner, dict) and holder in inner:
            return key, inner
    return None, None


def _answer_in(given: Any, is_answer: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
    found = unpack_json(given)
    if not isinstance(found, dict):
        return None
    inner = (found, unpack_json(found.get("body")), found.get("message"))
    return next((one for one in inner if isinstance(one, dict) and is_answer(one)), None)
