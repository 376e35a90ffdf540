"""What a request asks for, by its path: which API's body it carries, for which app, and what is asked of the upstream.

Only the few shapes of a path that no server reads in two ways are let through, so that a request reaches nothing but
what stands below the upstream's address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

TRIMMED: Mapping[str, str] = {
    "chat/completions": "chat_completions",
    "messages": "anthropic",
    "responses": "responses",
}
"""The end of a path → the form of its requests (`formats/requests`), whatever stands before it."""
COUNTS = re.compile(r".*(?:/messages/count_tokens|:countTokens)")
"""A body with text that is counted and answered by no model."""
OWN_NAMES = frozenset((b"api", b"anthropic", b"openai"))
"""Names that stand before the version in providers' own paths (`/openai/v1/responses`), so that no app has them."""
UNVERSIONED = frozenset((b"/messages", b"/messages/count_tokens"))
"""Paths asked for by clients that expect Anthropic's version in the base URL (the AI SDK), where it isn't."""
READING = ("GET", "HEAD", "DELETE")
METHODS = (*READING, "POST", "PUT", "PATCH")

ENCODED = rb"%(?!2[eEfF]|5[cC]|25|[01]|7[fF])[0-9A-Fa-f]{2}"  # no dot, slash, backslash, percent sign or control
SEGMENT = rb"(?!\.\.?(?:[/;]|$))(?:[\w.~!$&'()*+,;=:@-]|" + ENCODED + rb")+"
VERSION = rb"v1(?:(?:alpha|beta)\d*)?"
WHOLE = re.compile(rb"(?:/" + SEGMENT + rb")*/?")
BELOW_VERSION = re.compile(rb"/(?:(?P<app>[^/]+)/)?(?P<path>" + VERSION + rb"(?:/.*)?)")
BASE = re.compile(rb"/(?:" + SEGMENT + rb"/?)?")
GENERATES = r"(?:models|tunedModels|endpoints)/(?P<model>[^/]+):(?:generateContent|(?P<streams>streamGenerateContent))"
TRIMMED_END = re.compile(rf".*/(?:(?P<end>{'|'.join(TRIMMED)})|{GENERATES})")
PRODUCT = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Route:
    """`path`: what the upstream is asked for; `form`: of its requests, "" for what passes through untouched.

    Where the path says it: `model`, and whether the answer `streams`, as events or as a JSON array.
    """

    app: str
    form: str
    path: bytes
    model: str = ""
    streams: bool = False

    @property
    def provider(self) -> str:
        """In whose shape errors are, as far as the path says."""
        if self.form == "gemini" or (not self.form and self.path.startswith((b"/v1beta", b"/v1alpha"))):
            return "google"
        return "anthropic" if self.form == "anthropic" or b"/messages" in self.path else "openai"

    def may_carry_text(self, method: str) -> bool:
        """Whether it may bring messages to a model that no filter of ours looks at."""
        return not self.form and method not in READING and not COUNTS.fullmatch(_plain(self.path))


def route_of(method: str, path: bytes, user_agent: str) -> Route | None:
    """The route of a request, by its path as it came; None for what is refused.

    A name directly before the version is an app's and goes no further. Any other path that an API's own clients ask for
    (`/openai/deployments/D/chat/completions`) is asked for whole, if its body can be trimmed.
    """
    if path in UNVERSIONED:
        path = b"/v1" + path
    if method not in METHODS or not path.startswith(b"/") or not WHOLE.fullmatch(path):
        return None
    trimmed = TRIMMED_END.fullmatch(_plain(path)) if method == "POST" else None
    below = BELOW_VERSION.fullmatch(path)
    if not below and not trimmed:
        return None
    named = below["app"] if below and below["app"] not in OWN_NAMES else None
    name = (named or b"").decode("ascii") or first_product(user_agent)
    asked = b"/" + below["path"] if below and named else path
    form = TRIMMED.get(trimmed["end"], "gemini") if trimmed else ""
    model = (trimmed["model"] if trimmed else None) or ""
    return Route(name[:LONGEST_NAME], form, asked, model, bool(trimmed and trimmed["streams"]))


def is_base(method: str, path: bytes) -> bool:
    """Tell whether it only asks if anything answers at an app's address, which names the app at most."""
    if method != "HEAD":
        return method == "GET" and path == b"/"
    return bool(BASE.fullmatch(path)) and not BELOW_VERSION.fullmatch(path)


def first_product(user_agent: str) -> str:
    """ "ferry-bot" of "ferry-bot/1.0 (linux) openai/3.0"; "" without one."""
    found = PRODUCT.match(user_agent)
    return found[0] if found else ""


def _plain(path: bytes) -> str:
    """The path as servers read it."""
    return unquote_to_bytes(path).decode("latin-1").rstrip("/")
