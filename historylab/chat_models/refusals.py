"""Error messages for failed model requests, in one sentence: what was asked, what came back, what to do.

They never contain the key or the URL. Servers may quote the key they refuse, so their messages are shown only where
they help, shortened and with everything that looks like a key removed.
"""

from __future__ import annotations

import re

from historylab.chat_models.context_length import TooLong
from historylab.errors import ModelError

LONGEST_QUOTE = 200  # characters of a server's own message
PAUSE = 60.0  # seconds before retrying a server that was unreachable or refused the key
SECRET = re.compile(r"(?i)\b(?:sk|key|token|bearer|api[-_]key)[-_:= ]+[^\s\"',;)]+")
ADVICE = {
    400: "the server refused the request (400){quote}; change the model or shorten what is asked",
    401: "the server refused the key (401); check OPENAI_API_KEY",
    403: "the key is not allowed to do this (403); check what OPENAI_API_KEY may use",
    404: "the server has no such model, or no Chat Completions at that address (404); check the model's name and "
    "OPENAI_BASE_URL",
    413: "that is more than the server takes at once (413); shorten what is asked",
    422: "the server refused the request (422){quote}; change the model or shorten what is asked",
    429: "too many requests, or nothing left of the quota (429); wait {wait}",
}
KINDS = {401: "key", 403: "forbidden", 404: "not_found", 405: "not_found", 429: "busy"}
TOO_LONG = "the request is longer than the model takes{most} ({status}); send less of the history: a smaller budget"
REDIRECTED = (
    "the server sends requests on to another address ({status}), which is not followed, as the messages would go "
    "there; set OPENAI_BASE_URL to the address that answers"
)
PRIVATE = "the base URL leads to a private address, which is not asked from here"
ABOUT_THE_REQUEST = frozenset({400, 413, 422})  # another request may succeed at once


def status_error(
    asked: str, status: int, words: str, wait: float | None, secrets: tuple[str, ...], too_long: TooLong | None = None
) -> ModelError:
    """The error for an HTTP status of 300 or more; `words` is the server's own message."""
    if status < 400:
        return ModelError(f"{asked}: {REDIRECTED.format(status=status)}", "redirect", pause=PAUSE, status=status)
    if too_long:
        return too_long_error(asked, status, too_long)
    quote = quote_server(words, secrets)
    otherwise = f"the server failed ({status}){quote}; try again later"
    sentence = ADVICE.get(status, otherwise)
    advice = (
        sentence.format(quote=quote, wait=f"{wait:.0f} s" if wait else "a minute") if status in ADVICE else sentence
    )
    kind = KINDS.get(status, "refused" if status < 500 else "server")
    pause = 0 if status in ABOUT_THE_REQUEST else wait or PAUSE
    shown = redact(words, secrets)
    return ModelError(f"{asked}: {advice}", kind, pause=pause, status=status, wait=wait, quote=shown)


def too_long_error(asked: str, status: int, found: TooLong) -> ModelError:
    """The error for a request that doesn't fit the model's window."""
    most = f", {found.window:,} tokens" if found.window else ""
    advice = TOO_LONG.format(most=most, status=status or "in the stream")
    return ModelError(f"{asked}: {advice}", "too_long", status=status, window=found.window, requested=found.requested)


def connection_error(asked: str, cause: BaseException | None, *, private: bool = False) -> ModelError:
    """The error for a request without a response. Only the kind of the cause is named: its text may contain headers.

    `private`: it was broken off, as it led to a private address and only public ones are allowed.
    """
    if private:
        return ModelError(f"{asked}: {PRIVATE}", "private")
    text = str(cause).lower()
    if "refused" in text:
        why = "nothing listens there (connection refused)"
    elif any(hint in text for hint in ("name or service", "getaddrinfo", "name resolution", "nodename")):
        why = "there is no server of that name"
    else:
        why = "the connection broke before an answer came"
    advice = f"{why}; check the network, and OPENAI_BASE_URL if it is set"
    return ModelError(f"{asked}: {advice}", "network", pause=PAUSE, quote=why)


def timeout_error(asked: str, seconds: float) -> ModelError:
    advice = f"no answer within {seconds:g} s; try again later, or ask a faster model"
    return ModelError(f"{asked}: {advice}", "timeout", pause=PAUSE, wait=seconds)


def unusable_reply_error(asked: str, found: str, secrets: tuple[str, ...]) -> ModelError:
    """The error for a response that is not a chat completion."""
    advice = "try again, and check that OPENAI_BASE_URL names a Chat Completions server"
    shown = redact(found, secrets)
    return ModelError(f"{asked}: the answer cannot be used ({shown}); {advice}", "unusable", quote=shown)


def quote_server(words: str, secrets: tuple[str, ...]) -> str:
    """A server's own message as the end of a clause; "" if it is empty."""
    return f": “{redact(words, secrets)}”" if words.strip() else ""


def redact(words: str, secrets: tuple[str, ...]) -> str:
    """The message on one line, shortened, without secrets."""
    for secret in secrets:
        words = words.replace(secret, "…")
    words = " ".join(SECRET.sub("…", words).split())
    return words if len(words) <= LONGEST_QUOTE else words[:LONGEST_QUOTE] + "…"
