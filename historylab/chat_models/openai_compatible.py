"""`openai_compatible`: a model behind any server that speaks Chat Completions, through the `openai` package.

Key and address come from its server at each request (see environment.py); neither is ever shown, logged or part of an
error. Only the messages of a request are sent.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import Field

from historylab.chat_models.base import Reply
from historylab.chat_models.completions import Draft, Unreadable, read_completion
from historylab.chat_models.connections import ClientConnections
from historylab.chat_models.context_length import read_too_long
from historylab.chat_models.environment import ENVIRONMENT, ModelServer
from historylab.chat_models.refusals import (
    connection_error,
    status_error,
    timeout_error,
    too_long_error,
    unusable_reply_error,
)
from historylab.errors import InstrumentError, MissingLibrary, needs
from historylab.registry import register

T = TypeVar("T")

DRIPPING = 5.0  # time limit of a streamed answer as a multiple of the timeout, however steadily it arrives
DISPENSABLE = ("temperature", "max_completion_tokens", "max_tokens", "stream_options")
"""Parameters that are omitted if the model or the server doesn't accept them."""

Timeout = Annotated[float, Field(gt=0, le=600, description="seconds to wait for the server")]
Retries = Annotated[int, Field(ge=0, le=5, description="tries again after a timeout, a 429 or a failure of the server")]


@register("chat_model", "openai_compatible")
class OpenAICompatible:
    """A model behind any Chat Completions server: OpenAI's, or the one OPENAI_BASE_URL names."""

    def __init__(self, model: str, server: ModelServer = ENVIRONMENT, *, timeout: Timeout = 60.0, retries: Retries = 1):
        self.name, self.server = model, server
        self._connections = ClientConnections(public_only=server.public_only)
        self._timeout, self._retries = timeout, retries
        self._client: tuple[str, Any] | None = None  # with the fingerprint of its environment
        self._refused: set[str] = set()  # parameters this model or server doesn't accept

    def __repr__(self) -> str:
        return f"<OpenAICompatible {self.name!r}>"

    @property
    def key(self) -> str:
        return f"openai_compatible:{self.name}:{self.server.fingerprint()}"

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        return self._with_safe_errors(
            lambda: read_completion(_plain_value(self._create(messages, _wishes(max_tokens, temperature, tools))))
        )

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Iterator[str | Reply]:
        wishes = {**_wishes(max_tokens, temperature, tools), "stream": True, "stream_options": {"include_usage": True}}
        pieces = self._pieces(messages, wishes)
        while (piece := self._with_safe_errors(lambda: next(pieces, None))) is not None:
            yield piece

    def stop(self) -> None:
        """End the requests that are in progress, in whatever thread, and make no more."""
        self._connections.end()

    def _pieces(self, messages: Sequence[Mapping[str, Any]], wishes: Mapping[str, Any]) -> Iterator[str | Reply]:
        draft, longest = Draft(), DRIPPING * self._timeout
        until = time.monotonic() + longest
        with self._create(messages, wishes) as chunks:
            for chunk in chunks:
                if time.monotonic() > until:
                    raise timeout_error(self._asked, longest)
                if text := draft.take(_plain_value(chunk)):
                    yield text
        if not draft.finish_reason:
            raise Unreadable("it broke off" if any(draft.text) else "there is nothing in it")
        yield draft.reply()

    def _create(self, messages: Sequence[Mapping[str, Any]], wishes: Mapping[str, Any]) -> Any:
        """Send the request; repeat it without each parameter that the server rejects."""
        create, messages = self._open().chat.completions.create, _sendable(messages)
        import openai

        while True:
            parameters = {name: value for name, value in map(self._spell, wishes.items()) if name not in self._refused}
            try:
                return create(model=self.name, messages=messages, **parameters)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as problem:
                complaint = f"{problem.param} {_words(problem.body)}"
                culprit = next((name for name in DISPENSABLE if name in parameters and name in complaint), None)
                if culprit is None:
                    raise
                self._refused.add(culprit)

    def _spell(self, wish: tuple[str, Any]) -> tuple[str, Any]:
        """OpenAI's newer models accept only `max_completion_tokens`, most other servers only `max_tokens`."""
        name, value = wish
        if name != "max_tokens":
            return wish
        spellings = ("max_tokens", "max_completion_tokens")
        preferred = reversed(spellings) if self.server.is_openai else spellings
        return next((s for s in preferred if s not in self._refused), name), value

    def _open(self) -> Any:
        """The package's client, created again when the environment changes."""
        self.server.check_address()
        url, key = self.server.base_url, self.server.api_key()
        made_for = self.server.fingerprint(key, str(os.getpid()))  # a forked process must not share connections
        if self._client is None or self._client[0] != made_for:
            with needs("openai", "asking a model"):
                import openai

            # The messages go to the server that was named, never to another one it redirects to.
            hooks = {"request": [self._connections.watch]}
            straight = openai.DefaultHttpxClient(follow_redirects=False, event_hooks=hooks)
            client = openai.OpenAI(
                api_key=key, base_url=url, timeout=self._timeout, max_retries=self._retries, http_client=straight
            )
            self._client = made_for, client
        return self._client[1]

    @property
    def _asked(self) -> str:
        return f"asked {self.name!r} for an answer"

    def _with_safe_errors(self, ask: Callable[[], T]) -> T:
        """The result of `ask()`. Errors are replaced outside the handler, because the original holds the key."""
        try:
            return ask()
        except (InstrumentError, MissingLibrary, TypeError, AttributeError, NameError):  # already replaced, or a bug
            raise
        except Exception as problem:  # the package passes network and JSON errors through
            error = self._error(problem)
        raise error

    def _error(self, problem: Exception) -> InstrumentError:
        import openai

        if isinstance(problem, openai.APITimeoutError):
            return timeout_error(self._asked, self._timeout)
        if isinstance(problem, openai.APIStatusError):
            status, words, wait = problem.status_code, _words(problem.body), _wait(problem.response.headers)
            too_long = read_too_long(status, words, problem.body)
            return status_error(self._asked, status, words, wait, self.server.known_secrets(), too_long)
        connecting = isinstance(problem, openai.APIConnectionError)
        if isinstance(problem, Unreadable | openai.OpenAIError | ValueError) and not connecting:
            return self._unusable(problem)
        cause = problem.__cause__ if connecting else problem
        return connection_error(self._asked, cause, private=self._connections.refused)

    def _unusable(self, problem: Exception) -> InstrumentError:
        """The error for a response that is none, or for one in a stream."""
        if found := read_too_long(0, str(problem)):
            return too_long_error(self._asked, 0, found)
        broken = isinstance(problem, json.JSONDecodeError)
        found_there = "it is broken JSON" if broken else str(problem)
        return unusable_reply_error(self._asked, found_there, self.server.known_secrets())


def _wishes(max_tokens: int | None, temperature: float | None, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The parameters that were given."""
    wishes = {"max_tokens": max_tokens, "temperature": temperature, "tools": list(tools) or None}
    return {name: value for name, value in wishes.items() if value is not None}


def _sendable(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages with lone surrogates, which UTF-8 cannot encode, replaced by question marks."""
    sendable: list[dict[str, Any]] = json.loads(json.dumps(list(messages), ensure_ascii=False).encode(errors="replace"))
    return sendable


def _plain_value(answer: Any) -> Any:
    """The package's object as plain dicts and lists; a response not labelled JSON stays text."""
    return answer.model_dump(warnings=False) if hasattr(answer, "model_dump") else answer


def _words(body: Any) -> str:
    """The server's own message in an error's body."""
    found = body.get("message") or body.get("error") or body.get("detail") if isinstance(body, Mapping) else body
    return found if isinstance(found, str) else ""


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait, at most an hour."""
    try:
        return min(3600.0, float(headers.get("retry-after") or "")) or None
    except ValueError:
        return None
