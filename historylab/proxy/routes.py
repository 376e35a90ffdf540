"""What a request asks for, by its path: which API's body it carries, for which app, and what is asked of the upstream.

Only the few shapes of a path that no server reads in two ways are let through, so that a request reaches nothing but
what stands below the upstream's address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

TRIMMED: Mapping[bytes, str] = {
    b"/chat/completions": "chat_completions",
    b"/messages": "anthropic",
    b"/responses": "responses",
}
"""Path below the version → the form of its requests (`formats/requests`)."""
COUNTS = b"/messages/count_tokens"
"""A body with text that is counted and answered by no model."""
READING = ("GET", "HEAD", "DELETE")
METHODS = (*READING, "POST", "PUT", "PATCH")

ENCODED = rb"%(?!2[eEfF]|5[cC]|25|[01]|7[fF])[0-9A-Fa-f]{2}"  # no dot, slash, backslash, percent sign or control
SEGMENT = rb"(?!\.\.?(?:[/;]|$))(?:[\w.~!$&'()*+,;=:@-]|" + ENCODED + rb")+"
PATH = re.compile(rb"/(?:(?P<app>" + SEGMENT + rb")/)?v1(?P<rest>(?:/" + SEGMENT + rb")*/?)")
PRODUCT = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Route:
    """`rest`: the path below the version, as it came; `form`: of its requests, "" for what passes through untouched."""

    app: str
    form: str
    rest: bytes

    @property
    def provider(self) -> str:
        """In whose shape errors are, as far as the path says."""
        return "anthropic" if self.rest.startswith(b"/messages") else "openai"

    def may_carry_text(self, method: str) -> bool:
        """Whether it may bring messages to a model that no filter of ours looks at."""
        return not self.form and method not in READING and _plain(self.rest) != COUNTS


def route_of(method: str, path: bytes, user_agent: str) -> Route | None:
    """The route of a request, by its path as it came; None for what is refused."""
    found = PATH.fullmatch(path)
    if not found or method not in METHODS:
        return None
    name = (found["app"] or b"").decode("ascii") or first_product(user_agent)
    form = TRIMMED.get(_plain(found["rest"]), "") if method == "POST" else ""
    return Route(name[:LONGEST_NAME], form, found["rest"])


def first_product(user_agent: str) -> str:
    """ "ferry-bot" of "ferry-bot/1.0 (linux) openai/3.0"; "" without one."""
    found = PRODUCT.match(user_agent)
    return found[0] if found else ""


def _plain(rest: bytes) -> bytes:
    return unquote_to_bytes(rest).rstrip(b"/")
